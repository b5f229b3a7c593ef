"""A plain interview: one probe, one follow-up chosen by what the answer lacked or got wrong, a debrief.

The state is what the store holds, so an interview goes on where it was left. The same bank, seed and answers give the same
interview. Draws nothing on a screen.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quizapp.bank.draw import draw
from quizapp.bank.load import Library, LoadedBank, LoadedItem
from quizapp.model.question import FollowUp, Probe
from quizapp.model.rubric import Rubric
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.practice.asked import SCORER, titles
from quizapp.practice.study import find_bank
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.text import score_text
from quizapp.store.record import Answer, Attempt, DraftKey, Session
from quizapp.store.store import Store

PART = "main"


@dataclass(frozen=True, slots=True)
class FollowUpQuestion:
    """What is asked after the probe, and what called for it."""

    id: str
    """The bank's id of the follow-up, or ``misconception-<id>`` or ``criterion-<id>`` for a question of the rubric itself."""
    stem: str
    rubric: Rubric
    explanation: str | None
    cause: Literal["misconception", "criterion", "always"]
    about: str | None
    """The misconception's or criterion's id."""


def _bound(follow_up: FollowUp, cause: Literal["misconception", "criterion", "always"], about: str | None) -> FollowUpQuestion:
    return FollowUpQuestion(follow_up.id, follow_up.stem, follow_up.rubric, follow_up.explanation, cause, about)


def choose_follow_up(probe: Probe, score: Score) -> FollowUpQuestion | None:
    """The follow-up that an answer calls for; ``None`` where the probe has none for it.

    A shown misconception comes first, in the rubric's order; then unmet and unsure criteria, most points first; then a follow-up
    bound to nothing. A follow-up of the probe goes before the rubric's own question on the same matter.
    """
    for shown in probe.rubric.misconceptions:
        if shown.id not in score.misconceptions:
            continue
        for follow_up in probe.follow_ups:
            if shown.id in follow_up.shown:
                return _bound(follow_up, "misconception", shown.id)
        if shown.follow_up is not None:
            cancelled = tuple(criterion for criterion in probe.rubric.criteria if criterion.id in shown.cancels)
            rubric = Rubric(criteria=cancelled or probe.rubric.criteria, misconceptions=(shown,))
            return FollowUpQuestion(f"misconception-{shown.id}", shown.follow_up, rubric, None, "misconception", shown.id)
    met = {criterion.id for criterion in score.criteria if criterion.met == "met"}
    for criterion in sorted((c for c in probe.rubric.criteria if c.id not in met), key=lambda c: -c.points):
        for follow_up in probe.follow_ups:
            if criterion.id in follow_up.missed:
                return _bound(follow_up, "criterion", criterion.id)
        if criterion.follow_up is not None:
            rubric = Rubric(criteria=(criterion,), misconceptions=probe.rubric.misconceptions)
            return FollowUpQuestion(f"criterion-{criterion.id}", criterion.follow_up, rubric, None, "criterion", criterion.id)
    for follow_up in probe.follow_ups:
        if not follow_up.missed and not follow_up.shown:
            return _bound(follow_up, "always", None)
    return None


def probes(library: Library, bank: LoadedBank) -> tuple[LoadedItem, ...]:
    """A bank's probes, in its order."""
    return tuple(library.items[item.id] for item in bank.bank.items if isinstance(item, Probe))


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of the interview, answered or about to be."""

    part: str
    question: str
    rubric: Rubric
    explanation: str | None
    answer: str | None
    score: Score | None
    cause: Literal["probe", "misconception", "criterion", "always"]
    about: str | None = None

    @property
    def answered(self) -> bool:
        return self.score is not None


class Interview:
    """An interview over one bank. Each answer is stored before the method returns."""

    def __init__(self, store: Store, library: Library, bank_id: str, seed: int = 0) -> None:
        """Resumes the unfinished interview over this bank, or starts one; ``seed`` picks the probe where there are several.

        Raises:
            KeyError: no such bank.
            LookupError: the bank has no probe.
            quizapp.store.database.StoreError: the learner's file can't be used.
        """
        self.store = store
        self.library = library
        self.bank = find_bank(library, bank_id)
        self.titles: Mapping[str, str] = titles(library)
        found = probes(library, self.bank)
        if not found:
            raise LookupError(f"the bank {bank_id} has no probe to ask")
        by_id = {loaded.item.id: loaded for loaded in found}
        sessions = (s for s in store.unfinished("interview") if s.bank == bank_id and s.item in by_id)
        session = next(sessions, None)
        self.resumed = session is not None
        if session is None:
            chosen = random.Random(seed).choice(found)
            session = store.start("interview", bank_id, {}, item=chosen.item.id, seed=seed)
        self.session: Session = session
        self.loaded = by_id[session.item or ""]
        probe = self.loaded.item
        assert isinstance(probe, Probe)
        self.probe: Probe = probe
        self.values = draw(probe, None).values

    def _filled(self, text: str) -> str:
        return fill(text, self.values)

    def turns(self) -> tuple[Turn, ...]:
        """The questions so far; the last one is unanswered unless the interview is over."""
        attempts = {attempt.part: attempt for attempt in self.store.attempts(session=self.session.id)}
        first = attempts.get(PART)
        score = None if first is None else first.score()
        opening = Turn(
            PART,
            self._filled(self.probe.stem),
            self.probe.rubric,
            self._filled(self.probe.explanation),
            None if first is None else first.text,
            score,
            "probe",
        )
        if score is None:
            return (opening,)
        follow_up = choose_follow_up(self.probe, score)
        if follow_up is None:
            return (opening,)
        part = f"{PART}/{follow_up.id}"
        second: Attempt | None = attempts.get(part)
        return (
            opening,
            Turn(
                part,
                self._filled(follow_up.stem),
                follow_up.rubric,
                None if follow_up.explanation is None else self._filled(follow_up.explanation),
                None if second is None else second.text,
                None if second is None else second.score(),
                follow_up.cause,
                follow_up.about,
            ),
        )

    def draft_key(self, turn: Turn) -> DraftKey:
        """Where an answer's draft is kept."""
        return DraftKey("interview", self.probe.id, turn.part)

    def answer(self, text: str) -> Turn | None:
        """Scores and stores the answer to the open question.

        Returns: the next question, or ``None`` when the interview is over.

        Raises:
            ValueError: there is no open question.
            quizapp.scoring.answer.AnswerError: an empty or an endless answer; nothing is stored.
        """
        turn = self.turns()[-1]
        if turn.answered:
            raise ValueError("the interview is over")
        if not text.strip():
            raise AnswerError("An interviewer waits for words; say what comes to mind first.")
        score = score_text(turn.rubric, turn.question, text, self.titles)
        self.store.add(
            Answer(
                session=self.session.id,
                bank=self.bank.bank.id,
                item=self.probe.id,
                part=turn.part,
                seed=None,
                text=text,
                item_hash=self.loaded.hash,
                scorer=SCORER,
                score=score,
            ),
            self.draft_key(turn),
        )
        following = self.turns()[-1]
        return None if following.answered else following

    def finish(self) -> None:
        """Ends the interview: the next one starts anew."""
        self.store.finish(self.session.id)
