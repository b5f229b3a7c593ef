"""What an interview is about: role, length, topics; the questions that may open a thread; how threads follow each other.

Here: data, and pure functions over a library. Not here: what was answered, what is said, anything stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quizapp.bank.draw import DrawError, Stream, draw
from quizapp.bank.load import Library, LoadedItem
from quizapp.model.question import ChoicePart, CodePart, NumericPart, Part, Probe, SymbolicPart
from quizapp.model.rubric import Rubric
from quizapp.practice.asked import varies

ALL_BANKS = "*"
"""Stands for a bank's id in a session over all of them."""
LENGTHS = (15, 35, 60)
"""Minutes that an interview can be planned for."""
LIMITS = (0, 2, 5)
"""Minutes that one answer may take; 0: as long as it takes."""
DEPTH: Mapping[int, int] = {15: 1, 35: 2, 60: 3}
"""Length -> follow-ups on one question, at most."""
NOT_SUBJECTS = frozenset({"interview", "incident", "code", "code-review", "derivation"})
"""Topics that say what sort of a question it is, not what it is about."""
Kind = Literal["opening", "probe", "words", "number", "expression", "choice", "walk", "confirm", "follow-up", "lab"]
"""``words``: a written part of an exercise. ``walk``: how somebody came to a wrong result. ``confirm``: whether a wrong idea that
was heard between the words is meant. The others are as they say."""
Opens = Literal["probe", "words", "number", "expression", "choice", "lab"]
"""The kinds that open a thread."""
Slot = Literal["short", "probe", "lab"]
MINUTES: Mapping[Kind, float] = {
    "opening": 1.5,
    "probe": 4,
    "words": 2.5,
    "number": 2,
    "expression": 3,
    "choice": 1,
    "walk": 1,
    "confirm": 0.5,
    "follow-up": 2,
    "lab": 12,
}
"""What a question is reckoned to take. The plan goes by these and not by the clock: slow and fast people get the same one."""
GRACE = 1.0
"""Minutes that a plan may run over."""
SLOTS: Mapping[Opens, Slot] = {
    "probe": "probe",
    "words": "probe",
    "number": "short",
    "expression": "short",
    "choice": "short",
    "lab": "lab",
}
PATTERN: tuple[Slot, ...] = ("short", "short", "short", "probe", "lab", "short", "probe", "short", "probe", "short", "probe")
"""What follows the opening, over and over until the time is planned out. A lab comes once."""
BRIEF: tuple[Slot, ...] = ("short", "short", "probe")
"""The same in the shortest interview, which has no time for a lab."""
FURTHER: tuple[Slot, ...] = ("probe", "short")
"""What comes after the plan, over and over, each time that the candidate wants one more question."""


@dataclass(frozen=True, slots=True)
class Role:
    """What somebody is interviewed for: the topics that are asked about."""

    id: str
    title: str
    topics: tuple[str, ...]
    """Empty: all of them."""


ROLES: tuple[Role, ...] = (
    Role("any", "Anything in this field", ()),
    Role(
        "training",
        "Training engineer",
        (
            "global-mean", "valid-tokens", "ddp", "world-size-factor", "accumulation", "short-window", "no-sync", "collectives",
            "empty-rank", "clipping", "loss-scaling", "sampling", "shuffling", "verification",
        ),
    ),
    Role(
        "platform",
        "Distributed systems engineer",
        (
            "collectives", "mesh", "sharding", "fsdp", "tensor-parallel", "context-parallel", "expert-parallel", "pipeline",
            "sequence-parallel", "comm-hook", "low-precision", "loss-scaling", "uneven-inputs", "empty-rank", "no-sync", "clipping",
        ),
    ),
    Role(
        "post-training",
        "Preference and policy training",
        (
            "policy-loss", "preference-loss", "groups", "whitening", "objective", "auxiliary-terms", "masking", "global-mean",
            "valid-tokens", "accumulation",
        ),
    ),
    Role(
        "evaluation",
        "Data and evaluation engineer",
        (
            "evaluation", "metrics", "perplexity", "units", "sampling", "shuffling", "equal-work", "reporting", "merging",
            "variance", "comparison", "fixtures", "tolerance", "properties",
        ),
    ),
)  # fmt: skip
"""In the order shown; the first is the default."""


def role(id_: str) -> Role:
    """The role of that id. Raises ``KeyError`` where there is none."""
    for known in ROLES:
        if known.id == id_:
            return known
    raise KeyError(id_)


@dataclass(frozen=True, slots=True)
class Setup:
    """What was chosen before the first question."""

    bank: str | None = None
    """Only this bank's questions; ``None``: all banks'."""
    minutes: int = 35
    role: str = "any"
    topics: tuple[str, ...] = ()
    """Only these topics; empty: those of the role."""
    seed: int = 0
    limit: int = 0
    """Minutes per answer; 0: none."""
    lab: bool = True
    """A code lab may be asked for."""

    def __post_init__(self) -> None:
        if self.minutes not in LENGTHS:
            raise ValueError(f"an interview of {self.minutes} minutes; lengths are {', '.join(map(str, LENGTHS))}")
        if self.limit < 0:
            raise ValueError("a time limit below 0 minutes")
        role(self.role)

    @property
    def depth(self) -> int:
        return DEPTH[self.minutes]

    def stored(self) -> dict[str, object]:
        """As the store keeps it; :func:`read_setup` reads it back."""
        return {
            "bank": self.bank,
            "minutes": self.minutes,
            "role": self.role,
            "topics": list(self.topics),
            "seed": self.seed,
            "limit": self.limit,
            "lab": self.lab,
        }


def read_setup(value: object) -> Setup | None:
    """A stored setup; ``None`` where it isn't one (another version wrote it)."""
    if not isinstance(value, Mapping):
        return None
    bank, topics = value.get("bank"), value.get("topics")
    if not (bank is None or isinstance(bank, str)) or not isinstance(topics, list):
        return None
    try:
        minutes, seed, limit = (int(value[name]) for name in ("minutes", "seed", "limit"))
        return Setup(bank, minutes, str(value["role"]), tuple(map(str, topics)), seed, limit, value.get("lab") is not False)
    except (ValueError, TypeError, KeyError):
        return None


def subjects(library: Library, bank: str | None = None, among: Sequence[str] = ()) -> dict[str, str]:
    """Topic -> its title, of all that the items are about, in the library's order; ``among``: only these, where there are any."""
    titles = {id_: topic.title for id_, topic in library.topics.items()}
    found: dict[str, str] = {}
    for loaded in library.items.values():
        if bank in (None, loaded.bank_id):
            for topic in loaded.item.topics:
                if topic not in NOT_SUBJECTS and (not among or topic in among):
                    found.setdefault(topic, titles.get(topic, topic.replace("-", " ")))
    return found


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that may open a thread: one part of one item."""

    item: str
    part: str
    seed: int | None
    kind: Opens
    shows: frozenset[str]
    """Misconceptions that an answer to it can show."""
    topics: tuple[str, ...]
    difficulty: int

    @property
    def slot(self) -> Slot:
        return SLOTS[self.kind]

    @property
    def minutes(self) -> float:
        return MINUTES[self.kind]


def rubrics(loaded: LoadedItem) -> Iterator[Rubric]:
    """The rubrics of an item and its follow-ups."""
    for part in loaded.item.parts:
        rubric = getattr(part, "rubric", None)
        if isinstance(rubric, Rubric):
            yield rubric
    if isinstance(loaded.item, Probe):
        yield from (follow_up.rubric for follow_up in loaded.item.follow_ups)


def shown_by(part: Part) -> frozenset[str]:
    """The misconceptions that an answer to this part can show by itself. What code shows is known to its lab only."""
    match part:
        case ChoicePart():
            return frozenset(choice.misconception for choice in part.choices if choice.misconception)
        case NumericPart() | SymbolicPart():
            return frozenset(wrong.misconception for wrong in part.wrong)
        case CodePart():
            return frozenset()
        case _:
            return frozenset(shown.id for shown in part.rubric.misconceptions)


def _kind(loaded: LoadedItem, part: Part) -> Opens:
    match part:
        case ChoicePart():
            return "choice"
        case NumericPart():
            return "number"
        case SymbolicPart():
            return "expression"
        case CodePart():
            return "lab"
        case _:
            return "probe" if isinstance(loaded.item, Probe) else "words"


def variant_seed(loaded: LoadedItem, seed: int) -> int | None:
    """Which of the item's variants an interview of that seed asks; ``None``: the bank's own values."""
    if not varies(loaded):
        return None
    drawn = 1 + Stream("interview", str(seed), loaded.item.id).below(9_999)
    try:
        draw(loaded.item, drawn)
    except DrawError:
        return None
    return drawn


def questions(library: Library, setup: Setup) -> tuple[Ask, ...]:
    """Everything that may open a thread of such an interview, in the library's order.

    A written part that isn't its exercise's first is left out: it speaks of what came before it. Where a role's topics are none
    of the bank's, all of the bank is asked about.
    """
    wanted = frozenset(setup.topics or role(setup.role).topics)
    here = [loaded for loaded in library.items.values() if setup.bank in (None, loaded.bank_id)]
    chosen = [loaded for loaded in here if not wanted or wanted.intersection(loaded.item.topics)]
    if not chosen and not setup.topics:
        chosen = here
    found = []
    for loaded in chosen:
        seed = variant_seed(loaded, setup.seed)
        for number, part in enumerate(loaded.item.parts):
            kind = _kind(loaded, part)
            if (kind == "words" and number) or (kind == "lab" and not setup.lab):
                continue
            topics = tuple(topic for topic in loaded.item.topics if topic not in NOT_SUBJECTS)
            found.append(Ask(loaded.item.id, part.id, seed, kind, shown_by(part), topics, loaded.item.difficulty))
    return tuple(found)


def slots(minutes: int) -> Iterator[Slot]:
    """What kind of thread comes after what, without an end."""
    lab = True
    while True:
        for slot in BRIEF if minutes == min(LENGTHS) else PATTERN:
            if slot != "lab" or lab:
                yield slot
        lab = False
