"""Learns the linear map of token states in ``quizapp/scoring/semantic/projection.f16``; run by ``benchmarks/fit_outcomes.py``.

It begins as a discriminant analysis of the rubrics' phrases: directions in which criteria of one question lie apart and phrases of
one criterion together. Then it is bent by the marked answers: which of a decision's windows makes the claim isn't marked, so the
likeliest one counts, by the words' log odds and what nearness adds to them. What it may move by is held down by an anchor and by
leaving out states' dimensions at random. Needs torch; what it learns doesn't.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from probes import Answers

from quizapp.bank.draw import draw
from quizapp.bank.find import builtin_folder
from quizapp.bank.load import load
from quizapp.model.rubric import Rubric
from quizapp.scoring.clauses import Clause, split
from quizapp.scoring.lexical import ready
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.semantic.encoder import Encoder
from quizapp.scoring.semantic.projection import Projection, packed, unpacked
from quizapp.scoring.semantic.tier import nearest
from quizapp.scoring.words import read_words

DIMENSIONS = 64
FOLDS = 8
SHRINKAGE, SHAPE = 2.0, 0.25
"""Of the scatter within criteria towards its mean; the power of the ratio of scatters by which an axis counts."""
EPOCHS, RATE, HEAD_RATE, LEFT_OUT, ANCHOR, SEED = 30, 5e-4, 5e-3, 0.4, 0.5, 0
BEGIN = (1.0, -1.0, 1.0, 5.0, -2.0)
"""The head before it is learned: weight of the words' log odds, intercept; nearness, its margin, that to a misconception."""
Numbers = np.ndarray


@dataclass(frozen=True)
class Phrases:
    """The mean states of a rubric's phrases."""

    item: str
    accept: tuple[Numbers, ...]
    """Criterion -> (phrases, 384)."""
    described: Numbers
    """(criteria, 384)."""
    wrong: tuple[Numbers, ...]
    """Misconception -> (phrases, 384)."""

    @property
    def groups(self) -> list[Numbers]:
        """Phrases that say the same."""
        same = [np.vstack([accept, text[None]]) for accept, text in zip(self.accept, self.described, strict=True)]
        return [*same, *self.wrong]


@dataclass(frozen=True)
class Material:
    """The decisions on the answers to one probe. A row is a window in which one criterion could be claimed."""

    phrases: Phrases
    windows: Numbers
    """(windows, 384): mean states."""
    window: Numbers
    criterion: Numbers
    decision: Numbers
    odds: Numbers
    """Row -> log odds by its words."""
    met: Numbers
    """Decision -> 1 where the criterion is met."""


@dataclass(frozen=True)
class Place:
    """A decision's windows in its answer."""

    answer: int
    criterion: int
    met: bool
    places: tuple[tuple[int, int], ...]
    """First and last clause."""
    odds: Numbers
    """Window -> log odds by its words."""


def mean_states(encoder: Encoder, texts: Sequence[str]) -> Numbers:
    """(texts, 384)."""
    found = [one.states.mean(axis=0) if one.pieces else np.zeros(384) for one in encoder.encode(texts)]
    return np.array(found, np.float32).reshape(-1, 384)


def phrases_of(encoder: Encoder, item: str, rubric: Rubric) -> Phrases:
    return Phrases(
        item,
        tuple(mean_states(encoder, criterion.accept) for criterion in rubric.criteria),
        mean_states(encoder, [criterion.description for criterion in rubric.criteria]),
        tuple(mean_states(encoder, shown.accept) for shown in rubric.misconceptions),
    )


def builtin_phrases(encoder: Encoder) -> list[Phrases]:
    """Those of all rubrics of the built-in banks."""
    out = []
    for item_id, loaded in load([builtin_folder()]).items.items():
        item = loaded.item
        for part in item.parts:
            if getattr(part, "rubric", None) is not None:
                out.append(phrases_of(encoder, item_id, filled_rubric(part.rubric, draw(item, None).values)))
    return out


def material(encoder: Encoder, probe: Answers, decided: Iterable[Place]) -> Material:
    """What the decisions on a probe's answers teach."""
    rubric = ready(probe.rubric, probe.stem)
    windows: list[Numbers] = []
    known: dict[tuple[int, int, int], int] = {}
    rows: list[tuple[int, int, int]] = []
    odds: list[float] = []
    met: list[float] = []
    read: dict[int, list[Numbers]] = {}
    for decision in decided:
        if decision.answer not in read:
            text = probe.answers[decision.answer].text
            read[decision.answer] = _clause_states(encoder, text, split(text, read_words(text, rubric.spelling)))
        states = read[decision.answer]
        for (first, last), own in zip(decision.places, decision.odds, strict=True):
            place = decision.answer, first, last
            if place not in known:
                said = np.concatenate(states[first : last + 1])
                known[place] = len(windows)
                windows.append(said.mean(axis=0) if len(said) else np.zeros(384, np.float32))
            rows.append((known[place], decision.criterion, len(met)))
            odds.append(own)
        met.append(float(decision.met))
    window, criterion, numbers = np.array(rows, int).reshape(-1, 3).T
    vectors = np.array(windows, np.float32).reshape(-1, 384)
    return Material(
        phrases_of(encoder, probe.name, probe.rubric), vectors, window, criterion, numbers, np.array(odds), np.array(met)
    )


def _clause_states(encoder: Encoder, text: str, clauses: Sequence[Clause]) -> list[Numbers]:
    """The token states of each clause, each sentence encoded by itself."""
    spans: dict[int, tuple[int, int]] = {}
    for clause in clauses:
        spans[clause.sentence] = spans.get(clause.sentence, (clause.start, 0))[0], clause.end
    encoded = dict(zip(spans, encoder.encode([text[start:end] for start, end in spans.values()]), strict=True))
    out = []
    for clause in clauses:
        offset, found = spans[clause.sentence][0], encoded[clause.sentence]
        inside = [at for at, piece in enumerate(found.pieces) if clause.start <= piece.start + offset < clause.end]
        out.append(found.states[inside])
    return out


def discriminant(rubrics: Sequence[Phrases]) -> Projection:
    """Fisher's discriminants of phrases by criterion, within rubrics; closed form."""
    groups = [[group for group in rubric.groups if len(group) > 1] for rubric in rubrics]
    centre = np.concatenate([group for rubric in groups for group in rubric]).mean(axis=0)
    within, count = np.zeros((384, 384)), 0
    between, freedom = np.zeros((384, 384)), 0
    for rubric in groups:
        for group in rubric:
            within += np.cov(group.T)
            count += 1
        if len(rubric) > 1:
            means = np.stack([group.mean(axis=0) for group in rubric])
            between += np.cov(means.T) * (len(means) - 1)
            freedom += len(means) - 1
    spread, axes = np.linalg.eigh(within / count)
    white = axes / np.sqrt(spread + SHRINKAGE * spread.mean())
    ratio, turned = np.linalg.eigh(white.T @ (between / freedom) @ white)
    best = np.argsort(-ratio)[:DIMENSIONS]
    found = white @ turned[:, best] * np.maximum(ratio[best], 0) ** SHAPE
    found /= np.sqrt((found**2).sum() / DIMENSIONS)
    return Projection(found.astype(np.float32), centre.astype(np.float32))


def learned(rubrics: Sequence[Phrases], decided: Sequence[Material]) -> Projection:
    """The map after the marked answers have bent it."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, normalize

    torch.set_num_threads(1)
    begin = discriminant(rubrics)

    def tensor(values: Numbers) -> torch.Tensor:
        return torch.tensor(values - begin.centre)

    probes = [
        (
            tensor(one.windows),
            [tensor(accept) for accept in one.phrases.accept],
            tensor(np.concatenate([np.zeros((0, 384), np.float32), *one.phrases.wrong])),
            torch.tensor(one.window),
            torch.tensor(one.criterion),
            torch.tensor(one.decision),
            torch.tensor(one.odds, dtype=torch.float32),
            torch.tensor(one.met, dtype=torch.float32),
        )
        for one in decided
        if len(one.met)
    ]
    first = torch.tensor(begin.axes)
    axes, head = first.clone().requires_grad_(), torch.tensor(BEGIN, requires_grad=True)
    steps = torch.optim.Adam([{"params": [axes], "lr": RATE}, {"params": [head], "lr": HEAD_RATE}])
    draws, order = torch.Generator().manual_seed(SEED), random.Random(SEED)
    total, late = torch.zeros_like(first), 0
    for epoch in range(EPOCHS):
        order.shuffle(probes)
        for windows, accepted, wrong, window, criterion, decision, odds, met in probes:
            kept = (torch.rand(384, generator=draws) > LEFT_OUT).float() / (1 - LEFT_OUT)
            bent = axes * kept[:, None]
            said = normalize(windows @ bent, dim=1)
            near = torch.stack(
                [
                    (said @ normalize(texts @ bent, dim=1).T).topk(nearest(len(texts)), dim=1).values.mean(dim=1)
                    if len(texts)
                    else torch.zeros(len(said))
                    for texts in accepted
                ],
                dim=1,
            )
            margin = torch.zeros_like(near)
            if near.shape[1] > 1:
                best = near.topk(2, dim=1)
                first_of = torch.arange(near.shape[1])[None] == best.indices[:, :1]
                margin = near - torch.where(first_of, best.values[:, 1:], best.values[:, :1])
            belief = (said @ normalize(wrong @ bent, dim=1).T).max(dim=1).values if len(wrong) else torch.zeros(len(said))
            value = head[0] * odds + head[1] + head[4] * belief[window]
            value = value + head[2] * near[window, criterion] + head[3] * margin[window, criterion]
            likeliest = torch.full((len(met),), -1e9).scatter_reduce(0, decision, value, "amax")
            loss = binary_cross_entropy_with_logits(likeliest, met)
            loss = loss + ANCHOR * ((axes - first) ** 2).sum() / (first**2).sum()
            steps.zero_grad()
            loss.backward()
            steps.step()
        if epoch >= EPOCHS // 2:
            total, late = total + axes.detach(), late + 1
    # As it will be read from its file.
    return unpacked(packed(Projection((total / late).numpy(), begin.centre)))


def fold(name: str) -> int:
    """The fold of a probe, the same in every run."""
    return zlib.crc32(name.encode()) % FOLDS


def cross_fitted(rubrics: Sequence[Phrases], decided: Sequence[Material]) -> Mapping[str, Projection]:
    """Probe -> a map that saw neither its rubric nor its answers; under an empty name, that of all."""
    by_fold = {}
    names = [one.phrases.item for one in decided]
    for number in {fold(name) for name in names}:
        held = {name for name in names if fold(name) == number}
        by_fold[number] = learned(
            [one for one in rubrics if one.item not in held], [one for one in decided if one.phrases.item not in held]
        )
    return {"": learned(rubrics, decided), **{name: by_fold[fold(name)] for name in names}}
