"""Study: a bank from its reading notes to its lab, resumed at the step where it was left. Draws nothing on a screen.

A queue over all banks (``quizapp.practice.review``) is a study with other steps.
"""

from collections.abc import Mapping

from quizapp.bank.load import Library, LoadedBank
from quizapp.model.score import Score
from quizapp.model.verdict import Verdict
from quizapp.practice.asked import Asked, Step, ask, grade, is_code, scorer, titles, varies
from quizapp.practice.face import kept, open_study, standing
from quizapp.practice.order import stage
from quizapp.practice.standing import Opinions, rubric_of
from quizapp.store.record import Answer, Attempt, DraftKey, Session
from quizapp.store.store import Store


def steps(library: Library, bank: LoadedBank, only: str | None = None) -> tuple[Step, ...]:
    """The steps of a bank: reading notes, checkpoints, exercises, probes, labs; within each, the bank's order.

    ``only``: an item's id; its parts alone.
    """
    items = [library.items[item.id] for item in bank.bank.items if only in (None, item.id)]
    pages = () if only else tuple(Step(reading=page) for page in bank.bank.reading)
    return pages + tuple(Step(loaded=loaded, part=part) for loaded in sorted(items, key=stage) for part in loaded.item.parts)


def find_bank(library: Library, bank_id: str) -> LoadedBank:
    """The bank of that id. Raises ``KeyError`` where no folder holds it."""
    for bank in library.banks:
        if bank.bank.id == bank_id:
            return bank
    raise KeyError(bank_id)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


class Study:
    """A sitting: steps, and where the learner stands in them. Each move and each answer is stored before the method returns."""

    steps: tuple[Step, ...]

    def __init__(self, store: Store, library: Library, bank_id: str, only: str | None = None) -> None:
        """Resumes the unfinished sitting over this bank, or starts one.

        Raises:
            KeyError: no such bank, or no such item in it.
            quizapp.store.database.StoreError: the learner's file can't be used.
        """
        self.store = store
        self.library = library
        self.titles = titles(library)
        self._bank = find_bank(library, bank_id)
        self.steps = steps(library, self._bank, only)
        if not self.steps:
            raise KeyError(only or bank_id)
        session = open_study(store, bank_id, only)
        self.resumed = session is not None
        self.session: Session = session or store.start("study", bank_id, {"step": self.steps[0].id}, item=only)
        position = self.session.position
        self._seeds = self._read_seeds(position.get("seeds"))
        self.index = self._find(_text(position.get("step")))
        if "standing" not in position:
            self._keep()

    @property
    def bank(self) -> LoadedBank:
        """The bank of the present step."""
        return self._bank

    @property
    def title(self) -> str:
        """What the sitting is over."""
        return self._bank.bank.title

    @staticmethod
    def _read_seeds(value: object) -> dict[str, int]:
        return {str(item): seed for item, seed in value.items() if isinstance(seed, int)} if isinstance(value, Mapping) else {}

    def _find(self, step_id: str | None) -> int:
        """The step of that id; where an edited bank has lost it, the first one without an answer."""
        for index, step in enumerate(self.steps):
            if step.id == step_id:
                return index
        answered = {(attempt.item, attempt.part) for attempt in self.store.attempts(session=self.session.id)}
        for index, step in enumerate(self.steps):
            if step.loaded is not None and step.part is not None and (step.loaded.item.id, step.part.id) not in answered:
                return index
        return 0

    @property
    def step(self) -> Step:
        return self.steps[self.index]

    def seed(self, item_id: str) -> int | None:
        """The seed of the numbers that this sitting shows for an item; ``None`` for the bank's own."""
        return self._seeds.get(item_id)

    @property
    def since(self) -> int:
        """The id of the answer after which answers to the present step belong to it."""
        return 0

    def asked(self) -> Asked:
        """The present step's question. Raises as :func:`~quizapp.practice.asked.ask` does; a reading step has none."""
        step = self.step
        if step.loaded is None or step.part is None:
            raise ValueError("a reading step asks nothing")
        return ask(step.loaded, step.part.id, self.seed(step.loaded.item.id))

    def result(self) -> Attempt | None:
        """The last answer of this sitting to the present question with its present numbers, if it was no slip."""
        step = self.step
        if step.loaded is None or step.part is None:
            return None
        stored = self.store.attempts(session=self.session.id, item=step.loaded.item.id, part=step.part.id)
        found = sorted((one for one in stored if one.id > self.since and not one.withdrawn), key=lambda one: -one.id)
        if is_code(step.part):
            return next((attempt for attempt in found if attempt.verdict() is not None), None)
        seed = self.seed(step.loaded.item.id)
        return next((attempt for attempt in found if attempt.seed == seed and attempt.score() is not None), None)

    def stands_at(self, attempt: Attempt) -> tuple[Score | None, frozenset[str]]:
        """What an answer stands at: as last regraded, with an instructor's rulings over it; and the criteria of which the learner
        says *I did say that*, and on which nobody has ruled yet."""
        opinions = Opinions.of(self.store)
        waiting = opinions.disputes.keys() - opinions.rulings.keys()
        rubric = rubric_of(self.library, attempt.item, attempt.part)
        return opinions.standing(attempt, rubric), frozenset(criterion for at, criterion in waiting if at == attempt.id)

    def withdraw(self) -> Attempt | None:
        """Takes back the last answer to the present question as a slip: it stays in the log and counts for nothing.

        Returns: the answer taken back; ``None`` where there was none.
        """
        attempt = self.result()
        if attempt is not None:
            self.store.withdraw(attempt.id)
        return attempt

    def draft_key(self) -> DraftKey:
        """Where the present question's draft is kept."""
        step = self.step
        assert step.loaded is not None
        assert step.part is not None
        seed = None if is_code(step.part) else self.seed(step.loaded.item.id)
        return DraftKey("study", step.loaded.item.id, step.part.id, seed)

    def grade(self, answer: str) -> Score:
        """What an answer would earn; nothing is stored. Raises as :func:`~quizapp.practice.asked.grade` does."""
        return grade(self.asked(), answer, self.titles)

    def record(self, answer: str, score: Score, confidence: int | None = None, seconds: float | None = None) -> Attempt:
        """Stores an answer to the present question with its score; ``seconds``: how long the learner took."""
        key = self.draft_key()
        return self._add(answer, seed=key.seed, score=score, confidence=confidence, seconds=seconds, draft=key)

    def record_code(self, source: str, verdict: Verdict, confidence: int | None = None, seconds: float | None = None) -> Attempt:
        """Stores a submission with its verdict. The draft stays: the learner goes on from it."""
        return self._add(source, seed=verdict.seed, verdict=verdict, confidence=confidence, seconds=seconds, draft=None)

    def _add(
        self,
        text: str,
        *,
        seed: int | None,
        score: Score | None = None,
        verdict: Verdict | None = None,
        confidence: int | None,
        seconds: float | None,
        draft: DraftKey | None,
    ) -> Attempt:
        step = self.step
        assert step.loaded is not None
        assert step.part is not None
        answer = Answer(
            session=self.session.id,
            bank=step.loaded.bank_id,
            item=step.loaded.item.id,
            part=step.part.id,
            seed=seed,
            text=text,
            item_hash=step.loaded.hash,
            scorer=scorer(),
            score=score,
            verdict=verdict,
            confidence=confidence,
            seconds=seconds,
        )
        return self.store.add(answer, draft)

    def go(self, index: int) -> bool:
        """Moves to a step; False, and no move, where there is none."""
        if not 0 <= index < len(self.steps):
            return False
        self.index = index
        self._keep()
        return True

    def again(self) -> bool:
        """Takes other numbers for the present item; False where the item has only one set of numbers."""
        loaded = self.step.loaded
        if loaded is None or not varies(loaded):
            return False
        shown = self.asked().variant.values
        seed = self.seed(loaded.item.id) or 0
        part = self.step.part
        assert part is not None
        for _ in range(50):
            seed += 1
            if ask(loaded, part.id, seed).variant.values != shown:
                break
        self._take_seed(loaded.item.id, seed)
        self._keep()
        return True

    def _take_seed(self, item_id: str, seed: int) -> None:
        self._seeds[item_id] = seed

    def finish(self) -> None:
        """Ends the sitting."""
        self.store.finish(self.session.id)

    def _keep(self) -> None:
        position = {"step": self.step.id, "seeds": dict(self._seeds), "standing": kept(standing(self))}
        self.store.move(self.session.id, position)
