"""How soon the interviewer names a misconception: simulated candidates, each with a single one, beside questions in random order.

A candidate answers right wherever their misconception makes no difference, gives its formula's number or its option where a
question has one, says yes when asked straight out, and says it in words of their own elsewhere (``candidates/wordings.yaml``,
written from the registry's titles and descriptions before any rubric's phrases were read). Misconceptions that only code can show
are left out, and so are those without wordings.

    python benchmarks/interview.py [--quick] [--json]

Ratios, over candidates and seeds:

``named_within_4``: the misconception was named in the first four questions, the opening among them, of an interview over all
banks; ``..._own_bank``: over the one bank that shows it most. ``..._terse``: candidates say the second, shorter wording first.
``..._deaf``: the interviewer goes by scores alone and doesn't listen to words. ``..._random``: four questions in random order,
none of them lost to an opening. ``falsely_named``: something else was named by then.
``sound_candidates_named``: of candidates without a misconception, those of whom one was named.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

from quizapp.bank.draw import Stream
from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.model.formula import Formula, FormulaError
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.model.variant import number
from quizapp.practice.asked import Asked
from quizapp.practice.interview_belief import Belief
from quizapp.practice.interview_dialogue import Dialogue
from quizapp.practice.interview_exchange import OPENING, Exchange, Question
from quizapp.practice.interview_plan import Ask, Setup, shown_by

HERE = Path(__file__).parent
QUESTIONS = 4


@dataclass(frozen=True)
class Candidate:
    """Somebody with one misconception, or none."""

    misconception: str | None
    wordings: Sequence[str]
    spoken: Sequence[str]
    walked: Sequence[str]

    def answer(self, question: Question, before: Sequence[Exchange]) -> str:
        """What they say."""
        touched = self.misconception in question.shows
        said = sum(self.misconception in one.question.shows or one.question.key == OPENING for one in before)
        if question.kind == "opening":
            return self.wordings[0] if self.wordings else self.spoken[0]
        if question.kind == "confirm":
            return "yes" if question.about == self.misconception else "no"
        if question.kind == "walk":
            return self.wordings[1] if self.misconception in before[-1].question.shows else self.walked[0]
        if question.kind == "follow-up" or question.asked is None or question.heard:
            return self.wordings[said % len(self.wordings)] if touched else self.spoken[len(before) % len(self.spoken)]
        return self._worked_out(question.asked)

    def _worked_out(self, asked: Asked) -> str:
        part, values = asked.part, asked.variant.values
        if isinstance(part, ChoicePart):
            mine = [choice.id for choice in asked.choices if choice.misconception == self.misconception and not choice.key]
            return mine[0] if mine and self.misconception else ",".join(choice.id for choice in asked.choices if choice.key)
        assert isinstance(part, NumericPart | SymbolicPart)
        for wrong in part.wrong:
            if wrong.misconception == self.misconception:
                if isinstance(part, SymbolicPart):
                    return str(wrong.value)
                try:
                    value = Formula.parse(wrong.value).scalar(values)
                except FormulaError:
                    continue
                if value != Formula.parse(part.key).scalar(values):
                    return number(value)
        return str(part.key) if isinstance(part, SymbolicPart) else number(Formula.parse(part.key).scalar(values))


@dataclass(frozen=True)
class Outcome:
    """Of one interview: at which question the misconception was named (0: not within four), and what else was named by then."""

    at: int
    others: int


def hold(dialogue: Dialogue, candidate: Candidate, opening: bool = True) -> Outcome:
    """The first four questions. Without ``opening`` it is passed over and costs none."""
    exchanges: list[Exchange] = []
    others: set[str] = set()
    if not opening:
        exchanges.append(Exchange(dialogue.question(OPENING, ()), ""))
    skipped = len(exchanges)
    while len(exchanges) - skipped < QUESTIONS:
        key = dialogue.next(exchanges)
        if key is None:
            break
        question = dialogue.question(key, exchanges)
        text = candidate.answer(question, exchanges)
        exchange = Exchange(question, text, dialogue.score(question, text))
        exchanges.append(exchange)
        others.update(id_ for id_ in exchange.named if id_ != candidate.misconception)
        if candidate.misconception in exchange.named:
            return Outcome(len(exchanges) - skipped, len(others))
    return Outcome(0, len(others))


def at_random(seed: int) -> Callable[[Belief, Ask], float]:
    """Any question as good as any other."""
    return lambda _, ask: 1.0 + Stream("benchmark", str(seed), ask.item, ask.part).below(10**6)


def candidates(library: Library) -> Iterator[Candidate]:
    """One for each misconception that an answer can show and that has wordings."""
    wordings: Mapping[str, Sequence[str]] = yaml.safe_load((HERE / "candidates/wordings.yaml").read_text("utf-8"))
    neutral = yaml.safe_load((HERE / "candidates/neutral.yaml").read_text("utf-8"))
    shown = {id_ for loaded in library.items.values() for part in loaded.item.parts for id_ in shown_by(part)}
    for id_ in sorted(shown & wordings.keys()):
        yield Candidate(id_, wordings[id_], neutral["spoken"], neutral["walked"])


def own_bank(library: Library, misconception: str) -> str:
    """The bank that shows it in most of its parts."""
    seen = [loaded.bank_id for loaded in library.items.values() for part in loaded.item.parts if misconception in shown_by(part)]
    return max(seen, key=lambda bank: (seen.count(bank), bank))


def interviewers(library: Library, seed: int) -> Callable[[str | None, str], Dialogue]:
    """The rules by bank (``None``: all) and by name, each made once."""

    @cache
    def rules(bank: str | None, how: str) -> Dialogue:
        setup = Setup(bank=bank, seed=seed, lab=False)
        if how == "random":
            return Dialogue(library, setup, at_random(seed), listens=False)
        return Dialogue(library, setup, listens=how != "deaf")

    return rules


def measure(library: Library, people: Sequence[Candidate], seeds: Sequence[int]) -> tuple[dict[str, float], dict[str, list[str]]]:
    """The ratios; and the misconceptions that were not named at the first seed, over all banks and over their own."""
    tally: dict[str, list[Outcome]] = {}
    missed: dict[str, list[str]] = {"all banks": [], "own bank": []}
    sound: list[Outcome] = []
    for seed in seeds:
        rules = interviewers(library, seed)
        nobody = Candidate(None, (), people[0].spoken, people[0].walked)
        sound += [hold(rules(bank.bank.id, "listening"), nobody) for bank in library.banks]
        for person in people:
            assert person.misconception is not None
            terse = replace(person, wordings=tuple(reversed(person.wordings)))
            for where, bank in (("", None), ("_own_bank", own_bank(library, person.misconception))):
                for how in ("listening", "terse", "deaf", "random"):
                    speaker = terse if how == "terse" else person
                    outcome = hold(rules(bank, "listening" if how == "terse" else how), speaker, opening=how != "random")
                    tally.setdefault(f"named_within_4{where}{'' if how == 'listening' else f'_{how}'}", []).append(outcome)
                    if how == "listening" and not outcome.at and seed == seeds[0]:
                        missed["own bank" if where else "all banks"].append(person.misconception)
    found = {name: sum(one.at > 0 for one in outcomes) / len(outcomes) for name, outcomes in tally.items()}
    first = tally["named_within_4"]
    named = [one.at for one in first if one.at]
    found["questions_until_named"] = sum(named) / max(len(named), 1)
    found["falsely_named"] = sum(one.others > 0 for one in first) / len(first)
    found["sound_candidates_named"] = sum(one.others > 0 for one in sound) / len(sound)
    found["candidates"] = float(len(people))
    return found, missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one seed instead of three")
    parser.add_argument("--json", action="store_true", help="one JSON object and nothing else")
    arguments = parser.parse_args()
    library = load([builtin_folder()])
    began = time.perf_counter()
    found, missed = measure(library, list(candidates(library)), range(1 if arguments.quick else 3))
    found["seconds"] = time.perf_counter() - began
    if arguments.json:
        print(json.dumps({name: round(value, 4) for name, value in found.items()}))
        return 0
    for name, value in found.items():
        print(f"{name:40} {value:8.3f}")
    for where, ids in missed.items():
        print(f"not named within {QUESTIONS} ({where}, first seed): {', '.join(ids) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
