"""Answers to probes with the marks that people gave, and how the app's scorer does on them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from quizapp.bank.draw import draw
from quizapp.bank.find import builtin_folder
from quizapp.bank.load import load
from quizapp.model.rubric import Rubric
from quizapp.model.variant import fill
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.text import score_text
from quizapp.scoring.words import in_another_language, read_words

FOLDER = Path(__file__).with_name("answers")
FURTHER = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
SETS = {"first": FOLDER, **{name: FOLDER / name for name in FURTHER}}
"""Answers to 38 probes, by many writers (``answers/README.md``), on which the weights are fitted."""
HELD_OUT = FOLDER / "tenth"
"""New answers to twelve of these probes, by two further writers, on which nothing is fitted."""
DENYING = frozenset({"negated", "contradictory", "echo", "empty", "offtopic"})
BLUFFING = frozenset({"stuffed", "nonsense", "orders"})
VERBS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "must",
        "should",
        "can",
        "will",
        "would",
        "do",
        "does",
        "did",
        "may",
        "might",
        "could",
        "need",
        "needs",
    ]
)


@dataclass(frozen=True)
class Answer:
    """One answer and its marks."""

    kind: str
    text: str
    met: frozenset[str]
    misconceptions: frozenset[str]
    unsure: frozenset[str] = frozenset()
    """Criteria on which two fair readers could differ: left out."""


@dataclass(frozen=True)
class Answers:
    """The marked answers to one probe."""

    name: str
    rubric: Rubric
    stem: str
    answers: tuple[Answer, ...]


@dataclass
class Judged:
    """Counts over all decisions."""

    right: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    false_met: int = 0
    false_unmet: int = 0
    abroad: int = 0
    """How many of the latter are in answers in another language, on which the scorer decides nothing."""
    abroad_right: int = 0
    """Decisions on such answers that agree with the marks."""
    ideas: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Misconceptions named rightly, falsely, and missed."""
    credit: dict[str, list[int]] = field(default_factory=lambda: {"denying": [0, 0], "bluffing": [0, 0]})
    kinds: dict[str, list[int]] = field(default_factory=dict)
    """Kind of answer -> rightly met, falsely met, missed, rightly not met."""
    turned: list[int] = field(default_factory=lambda: [0, 0])
    turned_there: list[int] = field(default_factory=lambda: [0, 0])

    def __iadd__(self, other: Judged) -> Judged:
        for value, more in other.right.items():
            self.right[value] += more
        self.false_met += other.false_met
        self.false_unmet += other.false_unmet
        self.abroad += other.abroad
        self.abroad_right += other.abroad_right
        for kind, counts in other.kinds.items():
            self.kinds[kind] = [a + b for a, b in zip(self.kinds.get(kind, [0, 0, 0, 0]), counts, strict=True)]
        lists = [(self.ideas, other.ideas), (self.turned, other.turned), (self.turned_there, other.turned_there)]
        for mine, more_of in (*lists, *((self.credit[kind], other.credit[kind]) for kind in self.credit)):
            mine[:] = [a + b for a, b in zip(mine, more_of, strict=True)]
        return self

    @property
    def f1(self) -> float:
        return 2 * self.right[True] / max(1, 2 * self.right[True] + self.false_met + self.false_unmet)

    @property
    def accuracy(self) -> float:
        right = sum(self.right.values())
        return right / max(1, right + self.false_met + self.false_unmet)

    @property
    def in_reach(self) -> tuple[float, float]:
        """F1 and accuracy without the answers in another language."""
        missed, right = self.false_unmet - self.abroad, sum(self.right.values()) - self.abroad_right
        f1 = 2 * self.right[True] / max(1, 2 * self.right[True] + self.false_met + missed)
        return f1, right / max(1, right + self.false_met + missed)

    def in_mix(self, mix: Mapping[str, int]) -> tuple[float, float]:
        """F1 and accuracy where each kind of answer counts as often as in a mix."""
        shares = [
            [mix.get(kind, 0) * count / sum(counts) for count in counts] for kind, counts in self.kinds.items() if sum(counts)
        ]
        met, false_met, missed, unmet = (sum(column) for column in zip(*shares, strict=True))
        return 2 * met / max(1e-9, 2 * met + false_met + missed), (met + unmet) / max(1e-9, met + false_met + missed + unmet)

    @property
    def misconception_f1(self) -> float:
        return 2 * self.ideas[0] / max(1, 2 * self.ideas[0] + self.ideas[1] + self.ideas[2])

    def false_credit(self, kind: str) -> float:
        return self.credit[kind][0] / max(1, self.credit[kind][1])

    @property
    def still_accepted(self) -> float:
        """With the *not* after the sentence's first auxiliary, wherever that stands."""
        return self.turned[0] / max(1, self.turned[1])

    @property
    def still_accepted_there(self) -> float:
        """With the *not* among the words that earned the point, or in what stands between commas around them."""
        return self.turned_there[0] / max(1, self.turned_there[1])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def builtin_answers(only: str | None = None, folder: Path = FOLDER) -> list[Answers]:
    """The marked answers in a folder, to the probes of the built-in banks."""
    library = load([builtin_folder()])
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        if only not in (None, path.stem) or path.stem not in library.items:
            continue
        rows = [row for row in _rows(path) if "met" in row]
        item = library.items[path.stem].item
        values = draw(item, None).values
        rubric = filled_rubric(item.rubric, values)  # type: ignore[union-attr]
        answers = tuple(
            Answer(
                row["kind"],
                row["text"],
                frozenset(row["met"]),
                frozenset(row.get("misconceptions", ())),
                frozenset(row.get("unsure", ())),
            )
            for row in rows
        )
        if answers:
            found.append(Answers(path.stem, rubric, fill(item.stem, values), answers))
    return found


def by_probe(sets: Iterable[Answers]) -> list[Answers]:
    """All answers to one probe together."""
    found: dict[str, Answers] = {}
    for one in sets:
        known = found.get(one.name)
        found[one.name] = replace(one, answers=known.answers + one.answers) if known else one
    return list(found.values())


def outside_answers(folder: Path) -> list[Answers]:
    """Probes kept elsewhere: a rubric as JSON, and answers with a grade of 0 or 1 for each criterion."""
    found = []
    for path in sorted(folder.glob("*.rubric.json")):
        name = path.name.removesuffix(".rubric.json")
        data = json.loads(path.read_text("utf-8"))
        ideas = data.get("misconceptions", ())
        rubric = Rubric.model_validate(
            {
                "criteria": [{"id": id, **criterion} for id, criterion in data["criteria"].items()],
                "misconceptions": [
                    {"id": m["id"].replace("_", "-"), "accept": m["accept"], "refute": m["reject"], "cancels": m["links"]}
                    for m in ideas
                ],
            }
        )
        only = frozenset(m["id"].replace("_", "-") for m in ideas[:1])
        answers = tuple(
            Answer(
                row["kind"],
                row["text"],
                frozenset(id for id, met in row["grades"].items() if met),
                only if row.get("misconception") else frozenset(),
            )
            for row in _rows(folder / f"{name}.answers.jsonl")
        )
        found.append(Answers(name, rubric, data["question"], answers))
    return found


def with_not(sentence: str) -> str | None:
    """The sentence with a *not* after its first auxiliary; ``None`` where it has none, or denies something already."""
    if re.search(r"\b(?:not|no|never|nothing|none|nor|neither|cannot|without)\b|n['’]t\b", sentence, re.I):
        return None
    words = sentence.split()
    for at, word in enumerate(words):
        if word.lower() in VERBS:
            return " ".join([*words[: at + 1], "not", *words[at + 1 :]])
    return None


def judged(sets: Sequence[Answers], tier: Any) -> Judged:
    """Scores every answer and compares, criterion by criterion; *unsure* counts as not met."""
    out = Judged()
    for probe in sets:
        for answer in probe.answers:
            score = score_text(probe.rubric, probe.stem, answer.text, {}, tier)
            abroad = in_another_language(read_words(answer.text))
            for criterion in score.criteria:
                if criterion.id in answer.unsure:
                    continue
                met, wanted = criterion.met == "met", criterion.id in answer.met
                out.right[wanted] += met == wanted
                out.false_met += met and not wanted
                out.false_unmet += wanted and not met
                of_kind = out.kinds.setdefault(answer.kind, [0, 0, 0, 0])
                of_kind[(0 if wanted else 1) if met else 2 if wanted else 3] += 1
                out.abroad += abroad and wanted
                out.abroad_right += abroad and not wanted
                kind = "denying" if answer.kind in DENYING else "bluffing" if answer.kind in BLUFFING else None
                if kind and not wanted:
                    out.credit[kind][0] += met
                    out.credit[kind][1] += 1
                if met and wanted:
                    _turn(probe, answer.text, criterion.id, criterion.evidence, tier, out)
            shown = set(score.misconceptions)
            out.ideas[0] += len(shown & answer.misconceptions)
            out.ideas[1] += len(shown - answer.misconceptions)
            out.ideas[2] += len(answer.misconceptions - shown)
    return out


def _turn(probe: Answers, text: str, id: str, evidence: Sequence[tuple[int, int]], tier: Any, out: Judged) -> None:
    """The sentence that earned a criterion, by itself and with a *not* put in, in two places."""
    ends = [0, *(match.end() for match in re.finditer(r"[.!?;]\s+|\n", text)), len(text)]
    start, end = next(((a, b) for a, b in pairwise(ends) if a <= evidence[0][0] < b), (0, 0))
    sentence = text[start:end].strip()
    if not _met(probe, sentence, id, tier):
        return
    offset = text.index(sentence, start) if sentence else start
    first, last = evidence[0][0] - offset, min(evidence[-1][1] - offset, len(sentence))
    breaks = [0, *(match.end() for match in re.finditer(r"[,:()]\s*", sentence)), len(sentence)]
    left, right = max(b for b in breaks if b <= first), min((b for b in breaks if b >= last), default=len(sentence))
    changed, there = with_not(sentence), with_not(sentence[left:right])
    for text_changed, counts in (
        (changed, out.turned),
        (None if there is None or changed is None else sentence[:left] + there + " " + sentence[right:], out.turned_there),
    ):
        if text_changed is not None:
            counts[0] += _met(probe, text_changed, id, tier)
            counts[1] += 1


def _met(probe: Answers, text: str, id: str, tier: Any) -> bool:
    return any(c.id == id and c.met == "met" for c in score_text(probe.rubric, probe.stem, text, {}, tier).criteria)


def seconds_each(sets: Sequence[Answers], tier: Any) -> tuple[float, float]:
    """Median and 95th percentile of the processor's seconds for one answer, once the rubrics are read."""
    taken = []
    for probe in sets:
        score_text(probe.rubric, probe.stem, "Each rank divides by its own count.", {}, tier)
        for answer in probe.answers:
            start = time.process_time()
            score_text(probe.rubric, probe.stem, answer.text, {}, tier)
            taken.append(time.process_time() - start)
    taken.sort()
    return taken[len(taken) // 2], taken[int(0.95 * (len(taken) - 1))]
