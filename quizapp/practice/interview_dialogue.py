"""The conversation: what is asked next, and what the question is. A function of the setup and of what was said; stores nothing.

The rules, in this order: a shown misconception is followed up before all; one that was heard between the words is asked about
straight out; then criteria that may be met (unsure), then missed ones by points; all that at most ``Setup.depth`` deep. Then a new
thread: one that tests a suspicion, else one of the kind that the plan has next, picked by how many misconceptions it is expected to
bring to light. After the plan the same goes on thread by thread, as often as the candidate wants; no clock is looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from math import inf

from quizapp.bank.draw import Stream, draw
from quizapp.bank.load import Library
from quizapp.model.formula import Value
from quizapp.model.question import CodePart, FollowUp, Probe, TextPart
from quizapp.model.rubric import Rubric
from quizapp.model.score import Score, score_of
from quizapp.model.variant import ShownChoice, fill
from quizapp.practice.asked import Asked, ask, grade, titles
from quizapp.practice.interview_belief import (
    LIKELY,
    NAMED,
    Belief,
    Evidence,
    expected_namings,
    suspects,
)
from quizapp.practice.interview_exchange import CONFIRM, OPENING, UNSCORED, WALK, Exchange, Key, Question
from quizapp.practice.interview_follow_up import FollowUpQuestion, choose_follow_up, find_follow_up
from quizapp.practice.interview_listen import Listener
from quizapp.practice.interview_phrases import CONFIRM_NO, CONFIRM_YES, Situation, confirm, line, more_exactly, opening, walk
from quizapp.practice.interview_plan import FURTHER, GRACE, MINUTES, Ask, Opens, Setup, Slot, questions, slots, subjects
from quizapp.scoring.choice import choose
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.text import score_text

DERIVED, SAME_TOPICS, JITTER = 1.1, 0.8, 0.15
"""Preference for what is worked out, against what was just talked about, and a seed's own taste."""
WARM_UP, EASY = 2, 3
"""The first threads prefer items up to this difficulty."""
HARD = 0.6


def _scores(chain: Sequence[Exchange]) -> list[tuple[str | None, Score]]:
    return [(one.question.key.follow, one.score) for one in chain if one.score is not None]


Prefer = Callable[[Belief, Ask], float]
"""How much a question is wanted, given the belief."""


class Dialogue:
    """The rules of one interview over one library."""

    def __init__(self, library: Library, setup: Setup, prefer: Prefer = expected_namings, *, listens: bool = True) -> None:
        """``prefer`` and ``listens`` are there to be measured against: another order, an interviewer who hears no words.

        Raises:
            LookupError: nothing can be asked within this setup.
        """
        self.library = library
        self.setup = setup
        self.titles: Mapping[str, str] = titles(library)
        self.asks: tuple[Ask, ...] = questions(library, setup)
        if not any(one.slot != "lab" for one in self.asks):
            where = f" in the bank {setup.bank}" if setup.bank else ""
            raise LookupError(f"there is no question on these topics{where}; choose others")
        self._by_place = {(one.item, one.part): one for one in self.asks}
        self._prefer = prefer
        self._listens = listens

    @cached_property
    def misconceptions(self) -> tuple[str, ...]:
        """What this interview can find out."""
        return tuple(sorted(frozenset[str]().union(*(one.shows for one in self.asks))))

    @cached_property
    def _listener(self) -> Listener:
        return Listener(self.library, self.misconceptions)

    def warm_up(self) -> None:
        """Reads what the first spoken answer would wait for; may run in another thread."""
        _ = self._listener

    @cached_property
    def subject(self) -> str:
        """What the interview is about, in words."""
        titles_ = subjects(self.library, self.setup.bank, self.setup.topics)
        if self.setup.topics and len(self.setup.topics) <= 3:
            return ", ".join(titles_.get(topic, topic) for topic in self.setup.topics)
        for bank in self.library.banks:
            if bank.bank.id == self.setup.bank:
                return bank.bank.title
        return "training on several devices"

    def belief(self, exchanges: Sequence[Exchange], *, guessing: bool = True) -> dict[str, float]:
        """What the interviewer thinks after these exchanges. ``guessing``: the candidate's own ways are taken to voice something,
        however little they sound so; that is worth a question, and no remark.
        """
        found = Evidence(self.misconceptions)
        for exchange in exchanges:
            question = exchange.question
            if exchange.passed:
                continue
            if question.heard and self._listens:
                openly = guessing and question.kind in ("opening", "walk")
                found = found.after_words(self._listener.heard(exchange.text, openly=openly))
            denied = question.kind == "confirm" and not exchange.named
            found = found.after_answer(question.shows, question.kind, named=exchange.named, right=exchange.right or denied)
        return found.belief()

    # ---- what is asked next

    def next(self, exchanges: Sequence[Exchange], further: Sequence[int] = ()) -> Key | None:
        """The next question's key; ``None`` when the plan, and every further question that was asked for, is through.

        ``further``: after how many exchanges the candidate asked for one more question than planned, in order. Such a question
        opens a thread, and is followed up like any other; it is never a lab.
        """
        if not exchanges:
            return OPENING
        if not further:
            left = self.planned_left(exchanges)
            return self._follow_up(exchanges, left) or self._thread(exchanges, left, self._planned(exchanges))
        if len(exchanges) not in further:
            return self._follow_up(exchanges, inf)
        return self._thread(exchanges, inf, FURTHER[further.index(len(exchanges)) % len(FURTHER)])

    def planned_left(self, exchanges: Sequence[Exchange]) -> float:
        """Minutes that the plan has left, as questions are reckoned."""
        return self.setup.minutes + GRACE - sum(MINUTES[exchange.question.kind] for exchange in exchanges)

    @staticmethod
    def _chain(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
        """The latest thread: its opening question and the follow-ups so far."""
        first = max(at for at, exchange in enumerate(exchanges) if not exchange.question.is_follow_up)
        return exchanges[first:]

    def _follow_up(self, exchanges: Sequence[Exchange], left: float) -> Key | None:
        chain = self._chain(exchanges)
        root = chain[0]
        key = root.question.key
        if root.passed or chain[-1].passed or len(chain) > self.setup.depth or root.question.kind in ("opening", "lab"):
            return None
        rubric, bound = self._rubric(key)
        if rubric is None:
            worked_out = root.question.kind in ("number", "expression", "choice")
            fits = worked_out and len(chain) == 1 and not root.right and MINUTES["walk"] <= left
            return Key(key.item, key.part, key.seed, WALK) if fits else None
        if self._was_another(chain[-1], rubric, exchanges):
            return None
        found = choose_follow_up(rubric, bound, _scores(chain))
        if found is None or found.cause != "misconception":
            meant = self._between_the_words(rubric, exchanges)
            if meant is not None and MINUTES["confirm"] <= left:
                return Key(key.item, key.part, key.seed, f"{CONFIRM}{meant}")
        if found is None or MINUTES["follow-up"] > left:
            return None
        return Key(key.item, key.part, key.seed, found.id)

    def _was_another(self, last: Exchange, rubric: Rubric, exchanges: Sequence[Exchange]) -> bool:
        """Whether a suspicion has just been denied, so that another one, which other questions can show, is likely now."""
        if last.question.kind != "confirm" or last.named or not self._listens:
            return False
        here = {shown.id for shown in rubric.misconceptions}
        used = {one.question.key.item for one in exchanges}
        elsewhere = {id_ for one in self.asks if one.item not in used for id_ in one.shows} - here
        return not elsewhere.isdisjoint(suspects(self.belief(exchanges)))

    def _between_the_words(self, rubric: Rubric, exchanges: Sequence[Exchange]) -> str | None:
        """A misconception of the rubric that was heard between the words, and that nobody has been asked about yet."""
        if not self._listens:
            return None
        asked = {one.question.key.follow for one in exchanges}
        belief = self.belief(exchanges)
        likely = [
            (belief.get(shown.id, 0.0), shown.id)
            for shown in rubric.misconceptions
            if LIKELY <= belief.get(shown.id, 0.0) < NAMED and f"{CONFIRM}{shown.id}" not in asked
        ]
        return max(likely)[1] if likely else None

    @staticmethod
    def _roots(exchanges: Sequence[Exchange]) -> list[Key]:
        """The questions that opened a thread."""
        return [one.question.key for one in exchanges if not one.question.is_follow_up and one.question.key != OPENING]

    def _planned(self, exchanges: Sequence[Exchange]) -> Slot:
        """What kind of thread the plan has next."""
        return next(islice(slots(self.setup.minutes), len(self._roots(exchanges)), None))

    def _thread(self, exchanges: Sequence[Exchange], left: float, wanted: Slot) -> Key | None:
        roots = self._roots(exchanges)
        used = {key.item for key in roots}
        fitting = [one for one in self.asks if one.item not in used and one.minutes <= left]
        if wanted == "lab" and not any(one.slot == "lab" for one in fitting):
            wanted = "probe"
        here = [one for one in fitting if one.slot == wanted]
        others = [one for one in fitting if one.slot != "lab"]
        belief = self.belief(exchanges)
        previous = self._chain(exchanges)[0].question.topics
        testing = self._testing(here if wanted == "probe" and here else others, belief) if wanted != "lab" else ()
        if testing:
            best: Ask | None = max(testing, key=lambda one: (self._prefer(belief, one), one.item, one.part))
        else:
            best = self._best(here or others, belief, previous, warm_up=len(roots) < WARM_UP)
        return None if best is None else Key(best.item, best.part, best.seed)

    def _testing(self, asks: Sequence[Ask], belief: Belief) -> list[Ask]:
        """Questions that can show what is suspected most, of what any can show; none where nothing is suspected."""
        if self._listens:
            for id_ in suspects(belief):
                if found := [one for one in asks if id_ in one.shows]:
                    return found
        return []

    def _best(self, asks: Sequence[Ask], belief: Belief, previous: tuple[str, ...], warm_up: bool) -> Ask | None:
        best: tuple[float, Ask] | None = None
        for one in asks:
            taste = Stream("interview taste", str(self.setup.seed), one.item, one.part).below(1001) / 500 - 1
            value = (self._prefer(belief, one) + 1e-4) * (1 + JITTER * taste)
            value *= DERIVED if one.kind in ("number", "expression") else 1.0
            value *= SAME_TOPICS if set(one.topics) & set(previous) else 1.0
            value *= HARD if warm_up and one.difficulty > EASY else 1.0
            if best is None or value > best[0]:
                best = value, one
        return None if best is None else best[1]

    # ---- what the question is

    def _values(self, key: Key) -> Mapping[str, Value]:
        return draw(self.library.items[key.item].item, key.seed).values

    def _rubric(self, key: Key) -> tuple[Rubric | None, tuple[FollowUp, ...]]:
        """The rubric of the part that a key belongs to, as the bank has it, and the follow-ups bound to it."""
        loaded = self.library.items.get(key.item)
        if loaded is None:
            return None, ()
        item = loaded.item
        for part in item.parts:
            if part.id == key.part and isinstance(part, TextPart):
                return part.rubric, item.follow_ups if isinstance(item, Probe) else ()
        return None, ()

    def question(self, key: Key, exchanges: Sequence[Exchange]) -> Question:
        """The question of that key, as it is put after these exchanges.

        Raises:
            KeyError: the banks no longer have it.
            ValueError: they have it, and not with these numbers.
        """
        number = len(exchanges)
        if key == OPENING:
            return Question(key, "opening", self._line("opening", number), opening(self.subject), title="Opening")
        if key.follow is not None:
            return self._follow_up_question(key, exchanges)
        asked = ask(self.library.items[key.item], key.part, key.seed)
        one = self._by_place.get((key.item, key.part))
        kind: Opens = "words"
        if isinstance(asked.part, CodePart):
            kind = "lab"
        elif one is not None:
            kind = one.kind
        rubric = filled_rubric(asked.part.rubric, asked.variant.values) if isinstance(asked.part, TextPart) else None
        return Question(
            key,
            kind,
            self._line(kind, number),
            self._text(asked),
            choices=asked.choices,
            asked=asked,
            rubric=rubric,
            explanation=asked.explanation,
            shows=one.shows if one is not None else frozenset(),
            topics=one.topics if one is not None else tuple(asked.loaded.item.topics),
            title=asked.title,
        )

    def _line(self, situation: Situation, number: int) -> str:
        return line(situation, self.setup.seed, number)

    @staticmethod
    def _text(asked: Asked) -> str:
        """The stems; after that of a later part, what the earlier ones asked, as it may speak of them."""
        parts = asked.loaded.item.parts[: asked.number - 1]
        before = [" ".join(fill(part.stem, asked.variant.values).split()) for part in parts if part.stem]
        context = f"> *The question goes back to this, which isn't asked now:* {' — '.join(before)}" if before else ""
        return "\n\n".join(filter(None, (asked.stem.strip(), (asked.part_stem or "").strip(), context)))

    def _follow_up_question(self, key: Key, exchanges: Sequence[Exchange]) -> Question:
        assert key.follow is not None
        number = len(exchanges)
        loaded = self.library.items[key.item]
        opened = Key(key.item, key.part, key.seed)
        root = next((one for one in reversed(exchanges) if one.question.key == opened), None)
        topics = root.question.topics if root is not None else tuple(loaded.item.topics)
        title = root.question.title if root is not None else loaded.item.id
        if key.follow == WALK:
            said = root.said if root is not None else ""
            text = walk(said, markdown=root is not None and said != root.text)
            return Question(key, "walk", self._line("walk", number), text, topics=topics, title=title)
        rubric, bound = self._rubric(key)
        if rubric is None:
            raise KeyError(key.item)
        if key.follow.startswith(CONFIRM):
            return self._confirmation(key, rubric, number, topics, title)
        found = find_follow_up(rubric, bound, key.follow)
        if root is not None:
            chain = exchanges[exchanges.index(root) :]
            called = choose_follow_up(rubric, bound, _scores(chain))
            found = called if called is not None and called.id == key.follow else found
        values = self._values(key)
        stem = self._stem(found, root)
        return Question(
            key,
            "follow-up",
            self._line(found.cause, number),
            fill(stem, values) if found.stem is not None else stem,
            rubric=filled_rubric(found.rubric, values),
            explanation=None if found.explanation is None else fill(found.explanation, values),
            shows=frozenset(shown.id for shown in found.rubric.misconceptions),
            topics=topics,
            title=title,
            cause=found.cause,
            about=found.about,
        )

    def _confirmation(self, key: Key, rubric: Rubric, number: int, topics: tuple[str, ...], title: str) -> Question:
        assert key.follow is not None
        id_ = key.follow.removeprefix(CONFIRM)
        for shown in filled_rubric(rubric, self._values(key)).misconceptions:
            if shown.id == id_:
                yes = ShownChoice("A", "yes", CONFIRM_YES, None, False, id_, None)
                no = ShownChoice("B", "no", CONFIRM_NO, None, False, None, None)
                said = self._line("confirm", number)
                text = confirm(shown.accept[0])
                return Question(
                    key, "confirm", said, text, (yes, no), shows=frozenset({id_}), topics=topics, title=title, about=id_
                )
        raise KeyError(id_)

    @staticmethod
    def _stem(found: FollowUpQuestion, root: Exchange | None) -> str:
        if found.stem is not None:
            return found.stem
        if root is None or root.score is None:
            return more_exactly("")
        spans = [span for one in root.score.criteria if one.id == found.about for span in one.evidence]
        return more_exactly(root.text[spans[0][0] : spans[-1][1]] if spans else "")

    def score(self, question: Question, answer: str) -> Score:
        """What an answer earns; a pass, an opening, a walk-through and a yes or no earn nothing and lose nothing.

        Raises:
            quizapp.scoring.answer.AnswerError: the answer can't be read as one to this question.
            TypeError: a lab, which the judge runs.
        """
        if question.kind in ("opening", "walk"):
            return UNSCORED
        if question.kind == "confirm":
            meant = [choice.misconception for choice in choose(question.choices, answer)] if answer.strip() else []
            return UNSCORED.model_copy(update={"misconceptions": tuple(id_ for id_ in meant if id_ is not None)})
        if not answer.strip():
            return self._nothing(question)
        if question.rubric is not None:
            return score_text(question.rubric, question.text, answer, self.titles)
        assert question.asked is not None
        return grade(question.asked, answer, self.titles)

    @staticmethod
    def _nothing(question: Question) -> Score:
        from quizapp.model.score import CriterionScore

        reason = "You passed on this one."
        if question.rubric is not None:
            return score_of(
                tuple(
                    CriterionScore(id=one.id, points=0, max_points=one.points, met="unmet", reason=reason)
                    for one in question.rubric.criteria
                )
            )
        assert question.asked is not None
        part = question.asked.part
        return score_of((CriterionScore(id=part.id, points=0, max_points=part.points, met="unmet", reason=reason),))
