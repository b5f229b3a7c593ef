"""A mock interview as it is held: started or resumed, answered, kept. What it asks is ``interview_dialogue``'s to say.

Its state is what the store holds: the setup, the answers and choices in their order, the notes and the clock. Each of them is
stored before the method returns, so that a killed process loses nothing. The clock is an argument; nothing that is asked depends on
it: it makes the interviewer offer to go on or to stop, and which of the two is the candidate's choice.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from quizapp.bank.load import Library
from quizapp.model.score import Score
from quizapp.practice.asked import scorer
from quizapp.practice.interview_course import Course, GoneOn, joined_notes, mapped, over_stored
from quizapp.practice.interview_dialogue import Dialogue
from quizapp.practice.interview_exchange import Exchange, Key, Question
from quizapp.practice.interview_offer import ENOUGH, Offer, one_more, time_is_up
from quizapp.practice.interview_plan import ALL_BANKS, Setup, read_setup
from quizapp.practice.standing import Opinions
from quizapp.store.record import Answer, Attempt, DraftKey, Session
from quizapp.store.store import Store


def now() -> float:
    """Seconds on a clock that only goes forward."""
    return time.monotonic()


def open_session(store: Store, bank: str | None = None) -> Session | None:
    """The unfinished interview used last, where there is one; ``bank``: only one that is confined to that bank."""
    for session in store.unfinished("interview"):
        setup = read_setup(session.position.get("setup"))
        if setup is not None and bank in (None, setup.bank):
            return session
    return None


def next_seed(store: Store) -> int:
    """A seed for the next interview, where the learner chooses none: one more than the last one's, from 1 on."""
    last = last_session(store)
    return 1 if last is None or last.seed is None else last.seed + 1


def last_session(store: Store) -> Session | None:
    """The interview that was answered last, finished or not; ``None`` where there was none."""
    ids = {mark.session for mark in store.marks() if mark.session is not None}
    found = [store.session(id_) for id_ in ids]
    held = [one for one in found if one.kind == "interview" and read_setup(one.position.get("setup")) is not None]
    return max(held, key=lambda one: (one.updated_at, one.id), default=None)


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(one for one in value if isinstance(one, int)) if isinstance(value, list) else ()


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


class Interview:
    """One interview: begun with :meth:`start`, or made from the session of one that was begun before.

    Every method that reads or writes the store may raise :class:`~quizapp.store.database.StoreError`; what writes where it stands
    raises :class:`~quizapp.practice.interview_course.GoneOn` where another app has gone on with it: :meth:`taken_up` does so too.
    """

    def __init__(
        self,
        store: Store,
        library: Library,
        session: Session,
        *,
        clock: Callable[[], float] | None = None,
        dialogue: Dialogue | None = None,
    ) -> None:
        """Raises ``LookupError`` where the banks have nothing to ask within the session's setup."""
        setup = read_setup(session.position.get("setup"))
        if setup is None:
            raise LookupError("this interview was begun by another version of quizapp and can't be resumed")
        self.store = store
        self.library = library
        self.session = session
        self.setup = setup
        self.clock = clock or now
        self.dialogue = dialogue or Dialogue(library, setup)
        position = session.position
        self._notes = {at: text for at, text in mapped(position.get("notes")).items() if isinstance(text, str)}
        self._labs = {item: at for item, at in mapped(position.get("labs")).items() if isinstance(at, int | str)}
        self._elapsed = _number(position.get("elapsed"))
        self._asked_at = _number(position.get("asked_at"))
        self._recommended = position.get("recommended") is True
        self._since = self.clock()
        self._noted: set[str] = set()
        """The questions whose notes were written here."""
        self.exchanges: tuple[Exchange, ...] = self._read()
        self.further = tuple(at for at in _numbers(position.get("further")) if at <= len(self.exchanges))
        """After how many exchanges one more question than planned was asked for, in order."""
        overtime = position.get("overtime")
        self.overtime: int | None = overtime if isinstance(overtime, int) else None
        """After how many exchanges the time was up and the candidate went on; ``None``: neither."""
        self._known = self._course(session)
        self._through: bool | None = None
        if session.finished_at is not None:  # one that was killed while it was ended goes on
            through = position.get("through")
            # Earlier versions kept neither.
            self._through = through if isinstance(through, bool) else None if "further" in position else True
        self.question: Question | None = None
        self.offer: Offer | None = None
        """What is offered in place of a question; never beside one."""
        if session.finished_at is None:
            self._turn()

    @classmethod
    def start(cls, store: Store, library: Library, setup: Setup, *, clock: Callable[[], float] | None = None) -> "Interview":
        """Begins an interview; one that was open is closed, and its answers stay.

        Raises:
            LookupError: nothing can be asked within this setup; nothing was stored.
        """
        dialogue = Dialogue(library, setup)
        for session in store.unfinished("interview"):
            store.finish(session.id)
        session = store.start("interview", setup.bank or ALL_BANKS, {"setup": setup.stored()}, seed=setup.seed)
        return cls(store, library, session, clock=clock, dialogue=dialogue)

    # ---- the clock

    @property
    def elapsed(self) -> float:
        """Seconds that this interview has been on the screen, over all sittings; while an offer stands, the clock does too."""
        return self._elapsed if self.question is None else self._elapsed + max(self.clock() - self._since, 0.0)

    @property
    def on_question(self) -> float:
        """Seconds since the open question was put."""
        return max(self.elapsed - self._asked_at, 0.0)

    @property
    def _given_at(self) -> float:
        """The clock as it is kept with an answer: what is offered after it mustn't be another thing once it is read again."""
        return round(self.elapsed, 1)

    @property
    def answer_left(self) -> float | None:
        """Seconds left for the open answer; ``None`` where answers have no limit, or none applies (a lab)."""
        if not self.setup.limit or self.question is None or self.question.kind == "lab":
            return None
        return self.setup.limit * 60 - self.on_question

    def _position(self, asked_at: float | None = None) -> dict[str, object]:
        """Where the interview stands; with ``asked_at``: where it will stand when the open question is answered at that time."""
        return {
            "setup": self.setup.stored(),
            "elapsed": round(self.elapsed, 1) if asked_at is None else asked_at,
            "asked_at": self._asked_at if asked_at is None else asked_at,
            "notes": dict(self._notes),
            "labs": dict(self._labs),
            "further": list(self.further),
            "overtime": self.overtime,
            "through": self._through,
            "recommended": self._recommended,
        }

    def keep(self) -> None:
        """Stores the clock and the notes as they stand."""
        self._move(self._position())

    # ---- another app on the same interview

    def _course(self, session: Session) -> Course:
        return Course.of(session.position, len(self.store.marks(session=session.id)), session.finished_at is not None)

    def _move(self, position: Mapping[str, object]) -> None:
        self.store.move(self.session.id, self._placed(position))
        self._known = Course.of(position, self._known.answers, self._known.ended)

    def _placed(self, position: Mapping[str, object]) -> Callable[[Session], Mapping[str, object]]:
        """What stores a position where the store has no other course than is known here."""

        def place(session: Session) -> Mapping[str, object]:
            if self._course(session) != self._known:
                raise GoneOn
            return over_stored(position, session, {at: self._notes[at] for at in self._noted})

        return place

    def taken_up(self, typed: str = "") -> tuple["Interview", bool]:
        """The interview as the store has it now, with what was noted here. ``typed``: what stands in the open question's box; where
        that is no choice, and was answered in other words, it goes into the notes beside it, and the second result is true."""
        session = self.store.session(self.session.id)
        found = Interview(self.store, self.library, session, clock=self.clock, dialogue=self.dialogue)
        ours, at = {one: self._notes[one] for one in self._noted}, self.number
        in_words = self.question is not None and not self.question.choices
        answered = found.exchanges[at - 1 : at] if in_words else ()
        lost = bool(answered) and bool(typed.strip()) and answered[0].text.strip() != typed.strip()
        if lost:
            ours[str(at)] = joined_notes(self.notes(), typed)
        for one, text in ours.items():
            found._notes[one] = joined_notes(found._notes.get(one, ""), text)
            found._noted.add(one)
        if ours:
            found.keep()
        return found, lost

    # ---- what was said

    def _read(self) -> tuple[Exchange, ...]:
        found = self.store.attempts(session=self.session.id)
        if self._labs:
            found = sorted((*found, *self._lab_attempts()), key=lambda one: (one.at, one.id))
        exchanges: list[Exchange] = []
        for attempt in found:
            if not attempt.withdrawn:
                exchanges.append(self._exchange(attempt, exchanges))
        return tuple(exchanges)

    def _lab_attempts(self) -> list[Attempt]:
        """The verdicts that labs were gone on from, given in sittings of their own. They are known by item and moment: an answer's
        number is another one on another machine. Earlier versions kept the number."""
        since = self.session.started_at
        return [
            one
            for one in self.store.attempts()
            if one.verdict_json is not None and one.at >= since and self._labs.get(one.item) in (one.at.isoformat(), one.id)
        ]

    def _exchange(self, attempt: Attempt, before: Sequence[Exchange]) -> Exchange:
        lab = attempt.verdict_json is not None
        key = Key.read(attempt.item, attempt.part, self._lab_seed(attempt.item) if lab else attempt.seed)
        try:
            question = self.dialogue.question(key, before)
        except (KeyError, ValueError):
            gone = "This question is no longer in the banks, or not in this form."
            question = Question(key, "lab" if lab else "words", "", gone, title=attempt.item)
        return Exchange(question, attempt.text, attempt.score(), attempt.verdict(), attempt.seconds, attempt.id)

    def as_they_stand(self, opinions: Opinions) -> tuple[Exchange, ...]:
        """What was said, with the scores that hold now: as last regraded, an instructor's rulings over them. What was asked, and
        why, hangs on the scores of then."""
        stored = {attempt.id: attempt for attempt in self.store.attempts(session=self.session.id)}
        found = []
        for one in self.exchanges:
            attempt = None if one.attempt is None or one.score is None else stored.get(one.attempt)
            found.append(one if attempt is None else replace(one, score=opinions.standing(attempt, one.question.rubric)))
        return tuple(found)

    def _lab_seed(self, item: str) -> int | None:
        return next((one.seed for one in self.dialogue.asks if one.item == item), None)

    def _turn(self) -> None:
        """Puts the next question, or makes an offer in its place. What an offer goes by is when the last answer was given, not how
        late it is: who takes the interview up again in the middle of an answer finds the question."""
        key = self.dialogue.next(self.exchanges, self.further)
        left = self.setup.minutes * 60 - self._asked_at
        self.offer = None
        if key is not None and left <= 0 and self.overtime is None:
            self.offer = time_is_up(None if self.further else self.dialogue.planned_left(self.exchanges))
        elif key is None and left >= ENOUGH and self.dialogue.next(self.exchanges, self._one_more) is not None:
            self.offer = one_more(left, len(self.further))
        self.question = None if key is None or self.offer is not None else self.dialogue.question(key, self.exchanges)

    @property
    def _one_more(self) -> tuple[int, ...]:
        return (*self.further, len(self.exchanges))

    @property
    def through(self) -> bool:
        """True where everything was asked that was planned, and each further question with what followed it up. Of an interview
        that was ended, what held then: its banks may have other questions now."""
        return self.dialogue.next(self.exchanges, self.further) is None if self._through is None else self._through

    @property
    def over(self) -> bool:
        """True when nothing is left to ask and nothing is offered, or the interview was ended."""
        return self.question is None and self.offer is None

    @property
    def number(self) -> int:
        """Which question is open, from 1; while an offer stands, the last one that was."""
        return len(self.exchanges) + (self.question is not None)

    def draft_key(self) -> DraftKey:
        """Where the open answer's draft is kept: apart from other interviews'."""
        assert self.question is not None
        key = self.question.key
        return DraftKey("interview", key.item, f"{key.stored_part}@{self.session.uid}", key.seed)

    def notes(self, number: int | None = None) -> str:
        """What was noted beside a question, the open one without a number; ``""`` where nothing was."""
        return self._notes.get(str(number or self.number), "")

    def note(self, text: str) -> None:
        """Keeps the notes beside the open question. They are never scored."""
        if text != self.notes():
            self._notes[str(self.number)] = text
            self._noted.add(str(self.number))
            self.keep()

    # ---- answering

    def go_on(self) -> Question | None:
        """Takes up what is offered; :meth:`end` declines it. Raises ``ValueError`` where nothing is offered."""
        if self.offer is None:
            raise ValueError("nothing is offered")
        more = self.offer.kind == "further"
        further = self._one_more if more else self.further
        overtime = self.overtime if more else len(self.exchanges)
        self._move({**self._position(), "further": list(further), "overtime": overtime})
        self.further, self.overtime, self._since = further, overtime, self.clock()
        self._turn()
        return self.question

    def answer(self, text: str) -> Question | None:
        """Scores and stores the answer to the open question; an empty one is a pass.

        Returns: the next question, or ``None`` when the interview is over.

        Raises:
            ValueError: there is no open question.
            TypeError: the open question is a lab.
            quizapp.scoring.answer.AnswerError: the answer can't be read as one; nothing is stored.
        """
        question = self._open()
        if question.kind == "lab" and text.strip():
            raise TypeError("a lab is run by the judge")
        return self._record(text, self.dialogue.score(question, text))

    def take_as_it_stands(self, text: str) -> Question | None:
        """Takes what was written when the time for an answer is up: scored where it can be read, else kept without points."""
        from quizapp.scoring.answer import AnswerError

        question = self._open()
        try:
            score = self.dialogue.score(question, text)
        except AnswerError:
            score = self.dialogue.score(question, "")
        return self._record(text, score)

    def lab_attempt(self) -> Attempt | None:
        """The latest verdict on the open lab since the last answer: read again, it stands where it was gone on from."""
        question = self._open()
        answered = self.store.attempts(session=self.session.id)
        since = answered[-1].at if answered else self.session.started_at
        found = self.store.attempts(item=question.key.item, part=question.key.part)
        return next(
            (one for one in reversed(found) if one.verdict_json is not None and one.at >= since and not one.withdrawn), None
        )

    def take_lab(self, attempt: Attempt) -> Question | None:
        """Goes on from the open lab with that verdict. Raises ``ValueError`` where no lab is open."""
        question = self._open()
        if question.kind != "lab":
            raise ValueError("the open question is no lab")
        given_at, labs = self._given_at, {**self._labs, question.key.item: attempt.at.isoformat()}
        self._move({**self._position(given_at), "labs": labs})
        self._labs = labs
        exchange = Exchange(question, attempt.text, attempt.score(), attempt.verdict(), attempt.seconds, attempt.id)
        self._go_on(exchange, given_at)
        return self.question

    def _open(self) -> Question:
        if self.question is None:
            raise ValueError("the interview is over")
        return self.question

    def _record(self, text: str, score: Score) -> Question | None:
        question = self._open()
        key = question.key
        loaded = self.library.items.get(key.item)
        seconds, given_at = round(self.on_question, 1), self._given_at
        answer = Answer(
            session=self.session.id,
            bank=self.session.bank if loaded is None else loaded.bank_id,
            item=key.item,
            part=key.stored_part,
            seed=key.seed,
            text=text,
            item_hash="" if loaded is None else loaded.hash,
            scorer=scorer(),
            score=score,
            seconds=seconds,
        )
        # Who passes may have written something first: that stays as a draft.
        # The clock goes with the answer: killed in between, the next question would begin with this one's time on it.
        stored = self.store.add(answer, self.draft_key() if text.strip() else None, self._placed(self._position(given_at)))
        self._known = replace(self._known, answers=self._known.answers + 1)
        self._go_on(Exchange(question, text, score, None, seconds, stored.id), given_at)
        return self.question

    def _go_on(self, exchange: Exchange, given_at: float) -> None:
        self._elapsed, self._since = given_at, self.clock()
        self._asked_at = given_at
        self.exchanges = (*self.exchanges, exchange)
        self._turn()

    def recommend(self, items: Mapping[str, str]) -> None:
        """Asks the study queue for items, with the reason why; only the first call of an interview does."""
        if not self._recommended:
            self.store.recommend(items)
            self._recommended = True
            self.keep()

    def end(self) -> None:
        """Ends the interview where it stands: an open question stays unanswered, its draft is kept."""
        elapsed, through = self.elapsed, self.through
        self._move({**self._position(), "through": through})
        self.store.finish(self.session.id)
        self._known = replace(self._known, ended=True)
        self._elapsed, self._through = elapsed, through
        self.question = self.offer = None
        self.session = replace(self.session, finished_at=self.store.clock())
