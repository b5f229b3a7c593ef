"""What a learner sees of a step before anything is answered: plain texts, kept with the sitting that stands there.

Drawn from them, the step a sitting was left at stands on the screen before any bank is read. Here: what it looks like, and
keeping that. Not here: what an answer is worth. Only making a face needs the banks; everything else here loads no model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from quizapp.store.record import DraftKey

if TYPE_CHECKING:
    from quizapp.model.formula import Value
    from quizapp.model.question import Part, Reading
    from quizapp.model.variant import ShownChoice
    from quizapp.practice.asked import Asked
    from quizapp.practice.study import Study
    from quizapp.store.record import Session
    from quizapp.store.store import Store

STALE = timedelta(hours=12)
"""A queue left alone for longer is not gone on with: a new one knows better what is due. What it had left is still due, or new."""


class Option(NamedTuple):
    """An option as shown."""

    letter: str
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Way:
    """How an answer is given: by choosing, in one line, or in words."""

    kind: Literal["choice", "line", "words"]
    options: tuple[Option, ...] = ()
    several: bool = False
    """More than one option is right."""
    note: str = ""
    """What is accepted in a line."""
    example: str = ""


def choosing(choices: Sequence[ShownChoice], several: bool = False) -> Way:
    """Answering by choosing."""
    return Way("choice", tuple(Option(choice.letter, choice.id, choice.text) for choice in choices), several)


COUNTED = frozenset(("examples", "microbatches", "ranks", "samples", "sequences", "steps", "tokens"))
"""Units of answers that are counts."""


def way(part: Part, choices: Sequence[ShownChoice], values: Mapping[str, Value]) -> Way:
    """The way to answer that fits a part; code has none here."""
    match part.kind:
        case "choice":
            return choosing(choices, len(part.keys) > 1)
        case "numeric":
            from quizapp.scoring.numeric import tolerance_of

            unit = f" in {part.unit}" if part.unit else ""
            within = float(tolerance_of(part, values)) * 100
            note = f"A number{unit}: a fraction exactly, a decimal to within {within:.3g} %."
            return Way("line", note=note, example="such as 12" if part.unit in COUNTED else "such as 7/5 or 1.4")
        case "symbolic":
            meanings = (f"  {symbol}  {' '.join(domain.meaning.split())}" for symbol, domain in part.symbols.items())
            return Way("line", note="\n".join(("An expression in", *meanings)), example="such as a*(b + 1)/c")
    return Way("words")


@dataclass(frozen=True, slots=True)
class Face:
    """A question with its numbers, as it is put."""

    item: str
    part: str
    seed: int | None
    kind: str
    """Of the item: checkpoint, exercise, probe."""
    title: str
    number: int
    """Which of the item's parts, from 1."""
    parts: int
    points: int
    """Of this part."""
    stem: str
    part_stem: str | None
    hint: str | None
    way: Way

    @property
    def draft_key(self) -> DraftKey:
        """Where its draft is kept."""
        return DraftKey("study", self.item, self.part, self.seed)


@dataclass(frozen=True, slots=True)
class Notes:
    """A page of reading notes."""

    title: str
    text: str
    sources: tuple[str, ...] = ()


def notes(reading: Reading) -> Notes:
    """What a page of reading notes looks like."""
    return Notes(reading.title, reading.text, reading.sources)


def face(asked: Asked) -> Face:
    """What a question looks like."""
    return Face(
        item=asked.item_id,
        part=asked.part.id,
        seed=asked.variant.seed,
        kind=asked.loaded.item.kind,
        title=asked.title,
        number=asked.number,
        parts=asked.of,
        points=asked.part.points,
        stem=asked.stem,
        part_stem=asked.part_stem,
        hint=asked.hint,
        way=way(asked.part, asked.choices, asked.variant.values),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a sitting stands, as its heading says it, and what stands there."""

    face: Face | Notes
    sitting: str
    """Its title."""
    place: int
    """Of the step, from 1."""
    steps: int
    bank: str
    """The bank of the step."""
    since: int
    """Only answers stored after that of this id are answers to it."""
    file: str
    """The bank's file, absolute."""
    digest: str
    """Of the file's content, when the step was drawn from it."""


def standing(study: Study) -> Standing | None:
    """Where a sitting stands; ``None`` where no face can be kept: a lab, a file that has gone."""
    from quizapp.bank.draw import DrawError
    from quizapp.model.formula import FormulaError

    reading, part = study.step.reading, study.step.part
    if part is not None and part.kind == "code":
        return None
    try:
        file = study.bank.file.resolve()
        return Standing(
            face=notes(reading) if reading is not None else face(study.asked()),
            sitting=study.title,
            place=study.index + 1,
            steps=len(study.steps),
            bank=study.bank.bank.id,
            since=study.since,
            file=str(file),
            digest=digest(file),
        )
    except (OSError, DrawError, FormulaError):
        return None  # whoever opens the question is told


def kept(standing: Standing | None) -> dict[str, object] | None:
    """As a session keeps it."""
    return None if standing is None else asdict(standing)


def digest(file: Path) -> str:
    """Of a file's content, hexadecimal. Raises ``OSError``."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _shown(value: Any) -> Face | Notes:
    if "way" not in value:
        return Notes(**{**value, "sources": tuple(value["sources"])})
    options = tuple(Option(*map(str, option)) for option in value["way"]["options"])
    return Face(**{**value, "way": Way(**{**value["way"], "options": options})})


def read_standing(value: Any) -> Standing | None:
    """What :func:`kept` made; ``None`` where it was another version, or something else."""
    try:
        return Standing(**{**value, "face": _shown(value["face"])})
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


def open_review(store: Store) -> Session | None:
    """The queue that was left unfinished and can be gone on with; ``None`` where none was."""
    left = last_review(store)
    return left if left is not None and store.clock() - left.updated_at < STALE else None


def last_review(store: Store) -> Session | None:
    """The queue left unfinished last, however long ago."""
    return next(iter(store.unfinished("review")), None)


def open_study(store: Store, bank: str | None, item: str | None) -> Session | None:
    """The unfinished sitting over a bank, or over one item (of whatever bank, where none is given)."""
    for session in store.unfinished("study"):
        if session.item == item and bank in (session.bank, None if item else ""):
            return session
    return None


def holds(found: Standing, folders: Sequence[Path]) -> bool:
    """Whether the file that a step was drawn from lies in one of the folders, unchanged."""
    file = Path(found.file)
    try:
        return any(file.is_relative_to(folder.resolve()) for folder in folders) and digest(file) == found.digest
    except OSError:
        return False


def left_at(store: Store, session: Session | None, folders: Sequence[Path]) -> Standing | None:
    """The page or unanswered question at which a sitting was left, as long as its bank lies in one of the folders, unchanged.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    found = None if session is None else read_standing(session.position.get("standing"))
    if found is None or session is None or not holds(found, folders):
        return None
    asked = found.face
    if isinstance(asked, Notes):
        return found
    answers = store.attempts(session=session.id, item=asked.item, part=asked.part)
    if any(one.id > found.since and one.seed == asked.seed and not one.withdrawn for one in answers):
        return None
    return found
