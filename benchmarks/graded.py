"""Readers of human-graded answer sets, and what a pair of answer and reference looks like in numbers.

The sets are not part of this project: a folder that holds them is given to ``benchmarks/scoring.py``. Needs numpy.
"""

from __future__ import annotations

import csv
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from alignment import Text, align, weighted
from rapidfuzz import fuzz

from quizapp.scoring.clauses import split, window
from quizapp.scoring.signs import ABBREVIATIONS
from quizapp.scoring.words import Word, read_words, stem

FEATURES = (
    *("recall", "precision", "f1", "new recall", "new precision", "idf recall", "new idf recall", "fuzzy recall", "trigrams"),
    *("bigrams", "order", "token set", "token sort", "length", "length ratio", "of question", "negation differs"),
)
ALIGNED = (
    *("aligned cosine", "aligned recall", "aligned precision", "new aligned recall", "idf aligned recall", "aligned share"),
    *("least aligned", "answer aligned to question", "cosine beside question", "new aligned precision"),
)
BEYOND = ("cosine beyond the question", "parts of words beyond the question", "a word or two")
"""For grades on a scale; chosen on sets other than those they are measured on."""
ALIKE = 0.6
"""Cosine from which two tokens count as aligned."""


@dataclass(frozen=True)
class Graded:
    """One answer that people have graded."""

    group: str
    """The question's id, or the assignment."""
    split: str
    question: str
    references: tuple[str, ...]
    answer: str
    grade: float


def semeval(folder: Path, corpus: str) -> Iterator[Graded]:
    """SemEval-2013 task 7, two classes: 1 for correct."""
    for row in json.loads((folder / "semeval2013" / "2way.json").read_text("utf-8")):
        if row["corpus"] == corpus:
            best = tuple(dict.fromkeys(row["refs"]))
            yield Graded(row["qid"], row["split"], row["question"], best, row["answer"], float(row["label"] == "correct"))


def mohler(folder: Path) -> Iterator[Graded]:
    """Mohler 2011: grades 0 to 5, grouped by assignment."""
    with (folder / "mohler" / "mohler.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            group = row["id"].split(".")[0]
            yield Graded(group, "", row["question"], (row["desired_answer"],), row["student_answer"], float(row["score_avg"]))


def asap(folder: Path, number: int) -> tuple[str, tuple[str, ...], list[tuple[str, int]]]:
    """ASAP-SAS: the prompt, the key elements of its rubric, and (answer, points)."""
    folder = folder / "asap_sas"
    with zipfile.ZipFile(folder / f"set{number}_description.docx") as document:
        xml = document.read("word/document.xml").decode()
    text = re.sub(r"<[^>]+>", "", xml.replace("</w:p>", "\n"))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    first = lines.index("Key Elements:") + 1
    last = next(at for at in range(first, len(lines)) if lines[at].startswith("Rubric:"))
    prompt = next(lines[at + 1] for at, line in enumerate(lines) if line.startswith("Prompt"))
    with (folder / "public_leaderboard_solution.csv").open(encoding="utf-8", newline="") as file:
        points = {row["id"]: int(row["essay_score"]) for row in csv.DictReader(file)}
    with (folder / "public_leaderboard_rel_2.tsv").open(encoding="utf-8", errors="replace", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["EssaySet"] == str(number)]
    answers = [(row["EssayText"].replace("^p", "\n"), points[row["Id"]]) for row in rows if row["Id"] in points]
    return prompt, tuple(lines[first:last]), answers


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[Word, ...]:
    return read_words(text)


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """Stems of the content words, without this field's concepts, signs and short forms: the sets are about other fields."""
    written = ((word, text[word.start : word.end].casefold()) for word in words(text) if word.content)
    short = ((plain if plain in ABBREVIATIONS or len(plain) == 1 else word.text) for word, plain in written if plain[:1].isalnum())
    return tuple(stem(each) for each in short)


def idf(texts: Sequence[str]) -> dict[str, float]:
    """Stem -> inverse document frequency."""
    seen = Counter(key for text in texts for key in set(stems(text)))
    return {key: math.log((len(texts) + 1) / (count + 0.5)) for key, count in seen.items()}


def _share(wanted: Sequence[str] | set[str], held: set[str], weight: dict[str, float] | None = None) -> float:
    unique = set(wanted)
    total = sum(weight.get(key, 5.0) for key in unique) if weight else len(unique)
    return sum((weight.get(key, 5.0) if weight else 1.0) for key in unique & held) / total if total else 0.0


def _grams(text: str, size: int) -> set[str]:
    flat = " ".join(re.findall(r"\w+", text.casefold()))
    return {flat[at : at + size] for at in range(len(flat) - size + 1)}


def _ordered(one: Sequence[str], other: Sequence[str]) -> float:
    """Longest common subsequence, as a share of the first."""
    row = [0] * (len(other) + 1)
    for key in one:
        last = 0
        for at, held in enumerate(other, 1):
            last, row[at] = row[at], last + 1 if key == held else max(row[at], row[at - 1])
    return row[-1] / len(one) if one else 0.0


def _lexical(question: str, reference: str, answer: str, weight: dict[str, float]) -> list[float]:
    r, a, q = stems(reference), stems(answer), set(stems(question))
    held, wanted = set(a), set(r)
    new = wanted - q
    recall, precision = _share(r, held), _share(a, wanted)
    fuzzy = [max((fuzz.ratio(key, other) for other in held), default=0.0) / 100 for key in wanted]
    one, other = _grams(reference, 3), _grams(answer, 3)
    pairs, found = set(pairwise(r)), set(pairwise(a))
    denied = any(word.negator for word in words(answer)) != any(word.negator for word in words(reference))
    return [
        *(recall, precision, 2 * recall * precision / (recall + precision) if recall + precision else 0.0),
        *(_share(new, held), _share(held - q, wanted), _share(r, held, weight), _share(new, held, weight)),
        *(sum(fuzzy) / len(fuzzy) if fuzzy else 0.0, 2 * len(one & other) / (len(one) + len(other) or 1)),
        *(len(pairs & found) / (len(pairs) or 1), _ordered(r, a)),
        *(fuzz.token_set_ratio(reference, answer) / 100, fuzz.token_sort_ratio(reference, answer) / 100),
        *(math.log1p(len(a)), min(3.0, len(a) / (len(r) or 1)), _share(a, q), float(denied)),
    ]


def _parts(text: str) -> Iterator[str]:
    """Runs of four characters of each word, its ends counted as characters; shorter words whole."""
    for found in re.findall(r"\w+", text.casefold()):
        bounded = f" {found} "
        yield from (bounded[at : at + 4] for at in range(max(1, len(bounded) - 3)))


def _cosine(one: Sequence[str], other: Sequence[str], weight: dict[str, float]) -> float:
    """Of tf-idf vectors, a term's frequency as 1 + log."""
    a, b = ({key: (1 + math.log(count)) * weight.get(key, 5.0) for key, count in Counter(keys).items()} for keys in (one, other))
    product = sum(a[key] * b[key] for key in a.keys() & b.keys())
    return product / math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values())) if product else 0.0


def beyond_question(graded: Graded, weight: dict[str, float]) -> list[float]:
    """``BEYOND``: likenesses without what the question says already, the best over the references; whether the answer is tiny."""
    answer, asked = stems(graded.answer), set(stems(graded.question))
    said = [key for key in answer if key not in asked]
    parts, known = set(_parts(graded.answer)), set(_parts(graded.question))
    near = max(_cosine(said, [key for key in stems(text) if key not in asked], weight) for text in graded.references)
    return [near, max(_share(set(_parts(text)) - known, parts) for text in graded.references), float(len(answer) <= 2)]


class Pairs:
    """Features of answers against their references; with an encoder, aligned token states too."""

    def __init__(self, weight: dict[str, float], encoder: Any = None) -> None:
        self.weight, self.encoder = weight, encoder
        self._texts: dict[str, Text] = {}

    def text(self, text: str) -> Text:
        if text not in self._texts:
            content = [(word.start, word.end) for word in words(text) if word.content]
            self._texts[text] = weighted(text, self.encoder.encode([text])[0], content)
        return self._texts[text]

    def _aligned(self, question: str, reference: str, answer: str) -> list[float]:
        wanted, held, asked = self.text(reference), self.text(answer), self.text(question)
        found = align(wanted, held)
        known = set(stems(question))
        spans = [(word.start, word.end) for word in words(reference) if word.content and stem(word.text) not in known]
        new = weighted(reference, wanted.encoded, spans) if spans else wanted
        own = [(word.start, word.end) for word in words(answer) if word.content and stem(word.text) not in known]
        said = weighted(answer, held.encoded, own) if own else held
        if not held.weights.sum() or not wanted.weights.sum():
            return [0.0] * len(ALIGNED)
        nearest = (wanted.encoded.states @ held.encoded.states.T).max(axis=1)
        telling = nearest[wanted.weights == 1.0] if (wanted.weights == 1.0).any() else nearest
        rare = self._rarity(reference, wanted)
        middle = asked.encoded.states.mean(axis=0) if len(asked.weights) else 0.0
        one, other = wanted.encoded.states.mean(axis=0) - middle, held.encoded.states.mean(axis=0) - middle
        beside = float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9))
        return [
            *(found.cosine, found.recall, found.precision, align(new, held).recall),
            *(float((nearest * rare).sum() / max(float(rare.sum()), 1e-9)), float((telling >= ALIKE).mean())),
            float(np.sort(telling)[: max(1, len(telling) // 3)].mean()),
            *(align(asked, held).precision if asked.weights.sum() else 0.0, beside, align(wanted, said).precision),
        ]

    def _rarity(self, text: str, encoded: Text) -> np.ndarray:
        """Each token's weight by how rare its word is."""
        rare = np.array(encoded.weights, dtype=np.float64)
        places = [(word.start, word.end, self.weight.get(stem(word.text), 5.0)) for word in words(text) if word.content]
        for at, piece in enumerate(encoded.encoded.pieces):
            rare[at] = next((weight for start, end, weight in places if start <= piece.start < end), rare[at])
        return rare

    def features(self, graded: Graded) -> list[float]:
        """Best value over the references; what isn't a likeness comes from the reference that is covered best."""
        table = [_lexical(graded.question, reference, graded.answer, self.weight) for reference in graded.references]
        best = max(table, key=lambda row: row[2])
        row = [*(max(column) for column in list(zip(*table, strict=True))[:13]), *best[13:]]
        if self.encoder is not None:
            near = sorted(zip(table, graded.references, strict=True), key=lambda pair: -pair[0][2])[:4]
            found = [self._aligned(graded.question, reference, graded.answer) for _, reference in near]
            row += [max(column) for column in zip(*found, strict=True)]
        return row

    def matrix(self, rows: Sequence[Graded]) -> np.ndarray:
        return np.array([self.features(row) for row in rows])


def turned_round(graded: Graded) -> bool:
    """Whether a clause denies what its nearest reference doesn't deny: the app's rule for what it asks about.

    On the training splits it holds for 7 % of the right answers, and for 4 of 5 of these once they have a *not* put in.
    """
    reference = max(graded.references, key=lambda text: _share(stems(text), set(stems(graded.answer))))
    wanted = {word.key for word in words(reference) if word.content}
    denied = {word.key for clause in split(reference, words(reference)) for word in (*clause.doubted, *clause.doubted_aside)}
    for clause in split(graded.answer, words(graded.answer)):
        doubted = {word.key for word in clause.doubted}
        contested = doubted & wanted
        if doubted and (not denied or 2 * len(contested & denied) < max(1, len(contested))):
            return True
    return False


def windows_of(answer: str) -> list[str]:
    """Each clause, each two neighbours."""
    clauses = split(answer, words(answer))
    spans = [window(clauses, at, min(at + size, len(clauses) - 1)) for size in (0, 1, 2) for at in range(len(clauses))]
    return list(dict.fromkeys(answer[view.clauses[0].start : view.clauses[-1].end] for view in spans))
