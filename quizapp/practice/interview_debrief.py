"""What an interview showed: criteria with the words that met them, topics, misconceptions, what to study next.

Here: data, and pure functions over an interview. How it is drawn or written to a file is for others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quizapp.bank.load import Library
from quizapp.model.figures import in_a_row
from quizapp.model.formula import Formula, FormulaError
from quizapp.model.misconception import Misconception
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.model.score import CriterionScore, Met
from quizapp.model.variant import shown
from quizapp.practice.asked import Asked, title
from quizapp.practice.interview import Interview
from quizapp.practice.interview_belief import NAMED, WORTH_SAYING
from quizapp.practice.interview_exchange import Exchange, Question
from quizapp.practice.interview_plan import Kind, role, shown_by, subjects
from quizapp.practice.standing import Opinions

STRONG = 0.7
"""Share of the points from which a topic is a strength."""
MOST_TOPICS, MOST_ITEMS, ITEMS_EACH = 3, 6, 2
KINDS: Mapping[Kind, str] = {
    "opening": "opening",
    "probe": "case",
    "words": "explanation",
    "number": "calculation",
    "expression": "derivation",
    "choice": "quick question",
    "walk": "how you got there",
    "confirm": "asking back",
    "follow-up": "follow-up",
    "lab": "code lab",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion of one answer."""

    criterion: str
    """Its id."""
    description: str
    met: Met
    points: int
    max_points: int
    words: tuple[str, ...]
    """The words of the answer that decided it."""
    reason: str
    disputed: bool
    """The candidate says that it was said; nobody has ruled on it yet."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its answer."""

    number: int
    question: Question
    text: str
    said: str
    """The text as words: of chosen options, what they say."""
    options: tuple[str, ...]
    """What there was to choose from; empty for other questions."""
    spans: tuple[tuple[int, int], ...]
    """Of the text: what met a criterion; half-open, in order, not overlapping."""
    points: int
    max_points: int
    lines: tuple[Line, ...]
    named: tuple[str, ...]
    verdict: str | None
    """Of a lab: its outcome and what the judge said."""
    right_answer: str | None
    """Of what can be right in one way only."""
    missing: tuple[str, ...]
    """What a strong answer would have said beside what was said."""
    notes: str
    seconds: float | None
    attempt: int | None
    """The stored answer's id."""

    @property
    def open_lines(self) -> tuple[Line, ...]:
        """Criteria of an answer in words that can be disputed."""
        if self.question.rubric is None or self.passed or self.attempt is None:
            return ()
        return tuple(line for line in self.lines if line.met != "met" and not line.disputed)

    @property
    def label(self) -> str:
        return KINDS[self.question.kind]

    @property
    def scored(self) -> bool:
        return self.max_points > 0

    @property
    def passed(self) -> bool:
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class TopicResult:
    """What the answers on one topic earned."""

    topic: str
    title: str
    points: int
    max_points: int

    @property
    def share(self) -> float:
        return self.points / self.max_points


@dataclass(frozen=True, slots=True)
class Shown:
    """A misconception that came up."""

    id: str
    entry: Misconception | None
    questions: tuple[int, ...]
    """Numbers of the questions whose answers showed it; empty for a suspicion."""

    @property
    def title(self) -> str:
        return self.entry.title if self.entry is not None else self.id


@dataclass(frozen=True, slots=True)
class Next:
    """An item to study, and why."""

    item: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Debrief:
    """The whole."""

    subject: str
    role: str
    minutes: int
    seed: int
    began: datetime
    elapsed: float
    """Seconds."""
    through: bool
    """Nothing is left unasked: neither of what was planned, nor of what was asked for after it."""
    beyond: bool
    """More than planned was asked for, and so all that was planned had been asked."""
    further: tuple[int, ...]
    """Numbers of the questions with which more than planned was asked, at the candidate's wish."""
    overtime: int | None
    """Number of the question before which the time was up, where the candidate went on."""
    rows: tuple[Row, ...]
    topics: tuple[TopicResult, ...]
    """Best share first."""
    named: tuple[Shown, ...]
    suspected: tuple[Shown, ...]
    """Never confirmed: what the words sounded like, where a question that could show it wasn't answered in full."""
    study_next: tuple[Next, ...]

    @property
    def points(self) -> int:
        return sum(row.points for row in self.rows)

    @property
    def max_points(self) -> int:
        return sum(row.max_points for row in self.rows)

    @property
    def course(self) -> tuple[str, ...]:
        """How it went on beside the plan, as sentences."""
        said = []
        if self.further:
            said.append(f"After the plan, at your wish: question{'' if len(self.further) == 1 else 's'} {in_a_row(self.further)}")
        if self.overtime is not None:
            said.append(f"The time was up before question {self.overtime}, and you went on")
        if not self.through:
            said.append("Stopped in a question after the plan" if self.beyond else "Stopped before all was asked that was planned")
        return tuple(said)

    @property
    def strongest(self) -> tuple[TopicResult, ...]:
        return tuple(topic for topic in self.topics if topic.share >= STRONG)[:MOST_TOPICS]

    @property
    def weakest(self) -> tuple[TopicResult, ...]:
        weak = [topic for topic in self.topics if topic.share < STRONG]
        return tuple(sorted(weak, key=lambda topic: topic.share))[:MOST_TOPICS]


def joined(spans: Iterable[tuple[int, int]], length: int) -> tuple[tuple[int, int], ...]:
    """Spans in order, cut to the text, those that touch or overlap put together."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(end, length)) for start, end in spans):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return tuple(found)


def right_answer(asked: Asked) -> str | None:
    """The right value, expression or options; ``None`` where there are many right answers."""
    part = asked.part
    if isinstance(part, SymbolicPart):
        return part.key
    if isinstance(part, NumericPart):
        try:
            value = shown(Formula.parse(part.key).value(asked.variant.values))
        except FormulaError:
            return None
        return f"{value} {part.unit}" if part.unit else value
    if isinstance(part, ChoicePart):
        return "; ".join(" ".join(choice.text.split()) for choice in asked.choices if choice.key)
    return None


def _line(one: CriterionScore, question: Question, text: str, disputed: bool) -> Line:
    described = {} if question.rubric is None else {criterion.id: criterion.description for criterion in question.rubric.criteria}
    spans = () if question.choices else joined(one.evidence, len(text))  # what is chosen has ids, no words
    words = tuple(" ".join(text[start:end].split()) for start, end in spans)
    description = described.get(one.id) or KINDS[question.kind].capitalize()
    reason = " ".join(one.reason.split())
    return Line(one.id, " ".join(description.split()), one.met, one.points, one.max_points, words, reason, disputed)


def _row(number: int, exchange: Exchange, notes: str, opinions: Opinions) -> Row:
    question, text = exchange.question, exchange.text
    criteria = () if exchange.score is None else exchange.score.criteria
    waiting = {criterion for at, criterion in opinions.disputes.keys() - opinions.rulings.keys() if at == exchange.attempt}
    lines = tuple(_line(one, question, text, one.id in waiting) for one in criteria)
    met = [span for one in criteria if one.met == "met" for span in one.evidence]
    missing = tuple(line.description for line in lines if line.met != "met") if question.rubric is not None else ()
    verdict = None
    if exchange.verdict is not None:
        verdict = " ".join(f"{exchange.verdict.outcome}. {exchange.verdict.summary}".split())
    return Row(
        number,
        question,
        text,
        exchange.said,
        tuple(choice.text for choice in question.choices),
        joined(met, len(text)) if question.rubric is not None else (),
        exchange.points,
        exchange.max_points,
        lines,
        exchange.named,
        verdict,
        None if question.asked is None else right_answer(question.asked),
        missing,
        notes,
        exchange.seconds,
        exchange.attempt,
    )


def _topics(rows: Sequence[Row], titles: Mapping[str, str]) -> tuple[TopicResult, ...]:
    sums: dict[str, tuple[int, int]] = {}
    for row in rows:
        for topic in row.question.topics if row.scored else ():
            points, possible = sums.get(topic, (0, 0))
            sums[topic] = points + row.points, possible + row.max_points
    found = [TopicResult(topic, titles.get(topic, topic), points, possible) for topic, (points, possible) in sums.items()]
    return tuple(sorted(found, key=lambda topic: (-topic.share, -topic.max_points, topic.topic)))


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").replace("*", "").split())


def _next(library: Library, rows: Sequence[Row], named: Sequence[Shown], suspected: Sequence[Shown]) -> tuple[Next, ...]:
    """Items that show what came up, then those that lost points; a few, each once."""
    asked = {row.question.key.item for row in rows}
    reasons: dict[str, str] = {}
    by_ease = sorted(library.items.values(), key=lambda loaded: loaded.item.difficulty)
    for found, said in ((named, "in your interview you showed: {}"), (suspected, "in your interview it sounded like: {}")):
        for one in found:
            fitting = [
                loaded.item.id
                for loaded in by_ease
                if loaded.item.id not in reasons and any(one.id in shown_by(part) for part in loaded.item.parts)
            ]
            fitting.sort(key=lambda item: item in asked)
            for item in fitting[: ITEMS_EACH if found is named else 1]:
                reasons[item] = said.format(_plain(one.title))
    earned: dict[str, tuple[int, int]] = {}
    for row in rows:
        points, most = earned.get(row.question.key.item, (0, 0))
        earned[row.question.key.item] = points + row.points, most + row.max_points
    lost = {item: (points, most) for item, (points, most) in earned.items() if item in library.items and points < most}
    for item, (points, most) in sorted(lost.items(), key=lambda entry: entry[1][0] / entry[1][1]):
        reasons.setdefault(item, f"in your interview it earned {points} of {most}")
    chosen = list(reasons.items())[:MOST_ITEMS]
    return tuple(Next(item, title(library.items[item]), reason) for item, reason in chosen)


def debrief(interview: Interview) -> Debrief:
    """What the interview showed so far. Raises :class:`~quizapp.store.database.StoreError`."""
    library, setup = interview.library, interview.setup
    opinions = Opinions.of(interview.store)
    found = interview.as_they_stand(opinions)
    rows = tuple(_row(at, one, interview.notes(at), opinions) for at, one in enumerate(found, 1))
    where: dict[str, list[int]] = {}
    for row in rows:
        for id_ in row.named:
            where.setdefault(id_, []).append(row.number)
    named = tuple(Shown(id_, library.registry.get(id_), tuple(numbers)) for id_, numbers in where.items())
    belief = interview.dialogue.belief(interview.exchanges, guessing=False)
    fallible = {id_ for one in interview.exchanges if one.points < one.max_points for id_ in one.question.shows}
    guesses = sorted(
        (id_ for id_, held in belief.items() if WORTH_SAYING <= held < NAMED and id_ in fallible - where.keys()),
        key=lambda id_: (-belief[id_], id_),
    )
    suspected = tuple(Shown(id_, library.registry.get(id_), ()) for id_ in guesses[:MOST_TOPICS])
    return Debrief(
        subject=interview.dialogue.subject,
        role=role(setup.role).title,
        minutes=setup.minutes,
        seed=setup.seed,
        began=interview.session.started_at,
        elapsed=interview.elapsed,
        through=interview.through,
        beyond=bool(interview.further),
        further=tuple(at + 1 for at in interview.further if at < len(rows)),
        overtime=interview.overtime + 1 if interview.overtime is not None and interview.overtime < len(rows) else None,
        rows=rows,
        topics=_topics(rows, subjects(library)),
        named=named,
        suspected=suspected,
        study_next=_next(library, rows, named, suspected),
    )


def hand_over(interview: Interview, found: Debrief) -> None:
    """Puts what to study next into the study queue, once. Raises :class:`~quizapp.store.database.StoreError`."""
    interview.recommend({one.item: one.reason for one in found.study_next})
