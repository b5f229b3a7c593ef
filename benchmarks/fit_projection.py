"""Learns the linear map of token states in ``quizapp/scoring/semantic/projection.f16``; run by ``benchmarks/fit_outcomes.py``.

It begins as a discriminant analysis of the rubrics' phrases: directions in which criteria of one question lie apart and phrases of
one criterion together; all tokens count alike. Then it is bent by the marked answers, and so is how much a token counts: which of a
decision's windows makes the claim isn't marked, so the likeliest one counts, by the words' log odds and what nearness adds to them.
What it may move by is held down by an anchor and by leaving out states' dimensions at random. Needs torch; what it learns doesn't.
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
from quizapp.scoring.semantic.projection import MOST, STATES, Projection, packed, unpacked
from quizapp.scoring.semantic.tier import nearest
from quizapp.scoring.words import read_words

DIMENSIONS = 64
FOLDS = 8
SHRINKAGE, SHAPE = 2.0, 0.25
"""Of the scatter within criteria towards its mean; the power of the ratio of scatters by which an axis counts."""
EPOCHS, RATE, TELLING_RATE, HEAD_RATE, LEFT_OUT, ANCHOR, SEED = 30, 5e-4, 3e-3, 5e-3, 0.4, 0.5, 0
BEGIN = (1.0, -1.0, 1.0, 5.0, -2.0)
"""The head before it is learned: weight of the words' log odds, intercept; nearness, its margin, that to a misconception."""
Numbers = np.ndarray


@dataclass(frozen=True)
class Texts:
    """The token states of some texts."""

    states: Numbers
    """(tokens, 384)."""
    text: Numbers
    """Token -> text."""
    count: int

    @property
    def means(self) -> Numbers:
        """(texts, 384)."""
        sums = np.zeros((self.count, STATES), np.float32)
        np.add.at(sums, self.text, self.states)
        return sums / np.maximum(np.bincount(self.text, minlength=self.count), 1)[:, None]


@dataclass(frozen=True)
class Phrases:
    """A rubric's phrases."""

    item: str
    accept: tuple[Texts, ...]
    """One for each criterion."""
    described: Texts
    wrong: tuple[Texts, ...]
    """One for each misconception."""

    @property
    def groups(self) -> list[Numbers]:
        """The mean states of phrases that say the same."""
        same = [np.vstack([accept.means, text[None]]) for accept, text in zip(self.accept, self.described.means, strict=True)]
        return [*same, *(some.means for some in self.wrong)]


@dataclass(frozen=True)
class Material:
    """The decisions on the answers to one probe. A row is a window in which one criterion could be claimed."""

    phrases: Phrases
    clauses: Texts
    windows: Numbers
    """(windows, clauses): 1 for each clause that a window holds."""
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


def texts_of(several: Sequence[Numbers]) -> Texts:
    """The token states of each text."""
    states = np.concatenate([np.zeros((0, STATES), np.float32), *several])
    return Texts(states, np.repeat(np.arange(len(several)), [len(one) for one in several]), len(several))


def encoded(encoder: Encoder, texts: Sequence[str]) -> Texts:
    return texts_of([one.states for one in encoder.encode(texts)])


def phrases_of(encoder: Encoder, item: str, rubric: Rubric) -> Phrases:
    return Phrases(
        item,
        tuple(encoded(encoder, criterion.accept) for criterion in rubric.criteria),
        encoded(encoder, [criterion.description for criterion in rubric.criteria]),
        tuple(encoded(encoder, shown.accept) for shown in rubric.misconceptions),
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
    windows: list[tuple[int, int]] = []
    clauses: list[Numbers] = []
    known: dict[tuple[int, int, int], int] = {}
    rows: list[tuple[int, int, int]] = []
    odds: list[float] = []
    met: list[float] = []
    read: dict[int, int] = {}
    for decision in decided:
        if decision.answer not in read:
            text = probe.answers[decision.answer].text
            read[decision.answer] = len(clauses)
            clauses += _clause_states(encoder, text, split(text, read_words(text, rubric.spelling)))
        begin = read[decision.answer]
        for (first, last), own in zip(decision.places, decision.odds, strict=True):
            place = decision.answer, first, last
            if place not in known:
                known[place] = len(windows)
                windows.append((begin + first, begin + last))
            rows.append((known[place], decision.criterion, len(met)))
            odds.append(own)
        met.append(float(decision.met))
    window, criterion, numbers = np.array(rows, int).reshape(-1, 3).T
    places = np.arange(len(clauses))
    held = np.array([(first <= places) & (places <= last) for first, last in windows], np.float32).reshape(-1, len(clauses))
    phrases = phrases_of(encoder, probe.name, probe.rubric)
    return Material(phrases, texts_of(clauses), held, window, criterion, numbers, np.array(odds), np.array(met))


def _clause_states(encoder: Encoder, text: str, clauses: Sequence[Clause]) -> list[Numbers]:
    """The token states of each clause, each sentence encoded by itself."""
    spans: dict[int, tuple[int, int]] = {}
    for clause in clauses:
        spans[clause.sentence] = spans.get(clause.sentence, (clause.start, 0))[0], clause.end
    sentences = dict(zip(spans, encoder.encode([text[start:end] for start, end in spans.values()]), strict=True))
    out = []
    for clause in clauses:
        offset, found = spans[clause.sentence][0], sentences[clause.sentence]
        inside = [at for at, piece in enumerate(found.pieces) if clause.start <= piece.start + offset < clause.end]
        out.append(found.states[inside])
    return out


def discriminant(rubrics: Sequence[Phrases]) -> Projection:
    """Fisher's discriminants of phrases by criterion, within rubrics; closed form."""
    groups = [[group for group in rubric.groups if len(group) > 1] for rubric in rubrics]
    centre = np.concatenate([group for rubric in groups for group in rubric]).mean(axis=0)
    within, count = np.zeros((STATES, STATES)), 0
    between, freedom = np.zeros((STATES, STATES)), 0
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
    return Projection(found.astype(np.float32), centre.astype(np.float32), np.zeros(STATES, np.float32))


def learned(rubrics: Sequence[Phrases], decided: Sequence[Material]) -> Projection:
    """The map after the marked answers have bent it."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, normalize

    torch.set_num_threads(1)
    begin = discriminant(rubrics)

    centre = torch.tensor(begin.centre)

    class Words:
        """Texts whose weighted means are asked for again and again."""

        def __init__(self, texts: Texts, within: Numbers | None = None) -> None:
            self.states, self.text, self.count = torch.tensor(texts.states), torch.tensor(texts.text), texts.count
            self.within = None if within is None else torch.tensor(within)

        def means(self, axes: torch.Tensor, telling: torch.Tensor) -> torch.Tensor:
            weights = (self.states @ telling).clamp(-MOST, MOST).exp()[:, None]
            weighted = torch.cat([self.states * weights, weights], dim=1)
            sums = torch.zeros(self.count, STATES + 1).index_add(0, self.text, weighted)
            sums = sums if self.within is None else self.within @ sums
            return normalize((sums[:, :-1] - sums[:, -1:] * centre) @ axes, dim=1)

    probes = [
        (
            Words(one.clauses, one.windows),
            [Words(some) for some in one.phrases.accept],
            [Words(some) for some in one.phrases.wrong],
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
    telling = torch.zeros(STATES, requires_grad=True)
    steps = torch.optim.Adam(
        [{"params": [axes], "lr": RATE}, {"params": [telling], "lr": TELLING_RATE}, {"params": [head], "lr": HEAD_RATE}]
    )
    draws, order = torch.Generator().manual_seed(SEED), random.Random(SEED)
    total, total_telling, late = torch.zeros_like(first), torch.zeros(STATES), 0
    for epoch in range(EPOCHS):
        order.shuffle(probes)
        for windows, accepted, wrong, window, criterion, decision, odds, met in probes:
            kept = (torch.rand(STATES, generator=draws) > LEFT_OUT).float() / (1 - LEFT_OUT)
            bent = axes * kept[:, None]
            said = windows.means(bent, telling)
            near = torch.stack(
                [
                    (said @ texts.means(bent, telling).T).topk(nearest(texts.count), dim=1).values.mean(dim=1)
                    if texts.count
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
            beliefs = [(said @ texts.means(bent, telling).T).max(dim=1).values for texts in wrong if texts.count]
            belief = torch.stack(beliefs).max(dim=0).values if beliefs else torch.zeros(len(said))
            value = head[0] * odds + head[1] + head[4] * belief[window]
            value = value + head[2] * near[window, criterion] + head[3] * margin[window, criterion]
            likeliest = torch.full((len(met),), -1e9).scatter_reduce(0, decision, value, "amax")
            loss = binary_cross_entropy_with_logits(likeliest, met)
            loss = loss + ANCHOR * ((axes - first) ** 2).sum() / (first**2).sum()
            steps.zero_grad()
            loss.backward()
            steps.step()
        if epoch >= EPOCHS // 2:
            total, total_telling, late = total + axes.detach(), total_telling + telling.detach(), late + 1
    # As it will be read from its file.
    return unpacked(packed(Projection((total / late).numpy(), begin.centre, (total_telling / late).numpy())))


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
