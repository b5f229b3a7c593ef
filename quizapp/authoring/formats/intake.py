"""What a reader of a foreign format fills: questions that a bank can hold, and what was wrong with or lost of the others.

Here: what every format has in common, such as ids, points, shares of options. Not here: any format's syntax.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from quizapp.authoring.formats.bank_yaml import unfit
from quizapp.authoring.formats.numeral import read_number
from quizapp.authoring.formats.question import Body, Choose, Number, Option, Question, ShortAnswer, WrongNumber
from quizapp.authoring.formats.report import Fate, Loss, Trouble
from quizapp.bank.words import slug

MOST_OPTIONS = 26
MOST_POINTS = 100
MOST_QUESTIONS = 20_000
CLOSE = Fraction(1, 1000)
"""Shares this near to each other are equal: programs write a third as 33.33333."""


@dataclass(frozen=True, slots=True)
class Share:
    """An option, and the share of the points that it earns: 1 for all of them, below 0 for a penalty."""

    text: str
    share: Fraction
    note: str | None = None


def free(base: str, taken: dict[str, int]) -> str:
    """An id that isn't taken: the base, or the base with a number; takes it. ``taken`` counts how often a base was asked for."""
    name = base
    while name in taken:
        taken[base] += 1
        name = f"{base}-{taken[base]}"
    taken[name] = 1
    return name


class Intake:
    """The questions of one file, as they are read."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.questions: list[Question] = []
        self.losses: list[Loss] = []
        self.troubles: list[Trouble] = []
        self._taken: dict[str, int] = {}

    def fail(self, line: int, column: int, message: str, mend: str) -> None:
        """Something at a place can't be read."""
        self.troubles.append(Trouble(self.file, line, column, message, mend))

    def lose(self, item: str | None, what: str, fate: Fate, detail: str) -> None:
        """Something was read and has no place in a bank."""
        self.losses.append(Loss(item, what, fate, detail))

    def drop(self, item: str) -> None:
        """A question that failed lost nothing: takes its losses back."""
        self.losses = [loss for loss in self.losses if loss.item != item]

    def name(self, wanted: str) -> str:
        """An id near to a foreign name that no other question has."""
        base = slug(wanted)[:60].strip("-") or f"question-{len(self._taken) + 1}"
        return free(base, self._taken)

    def add(self, question: Question) -> bool:
        """Takes a question in, if a bank can hold it; else says what is wrong with it."""
        wrong = self._wrong(question)
        if wrong is not None:
            self.fail(question.line, question.column, *wrong)
            self.drop(question.id)
            return False
        if isinstance(question.body, ShortAnswer) and (number := _only_number(question.body)) is not None:
            question = replace(question, body=Number(number, Fraction(0)))
            self.lose(question.id, "short", "changed", "the answer is a number, so it becomes a question for a number")
        for what, detail in unfit(question):
            self.lose(question.id, what, "changed", detail)
        self.questions.append(question)
        return True

    def _wrong(self, question: Question) -> tuple[str, str] | None:
        """What keeps a question out of a bank, and the mend."""
        if len(self.questions) >= MOST_QUESTIONS:
            return f"more than {MOST_QUESTIONS} questions", "split the file"
        if not question.stem.strip():
            return "a question without text", "write what is asked"
        match question.body:
            case Choose(options=options):
                if not 2 <= len(options) <= MOST_OPTIONS:
                    return f"a choice with {len(options)} options", f"give it 2 to {MOST_OPTIONS}"
                if any(not option.text.strip() for option in options):
                    return "an option without text", "write the option"
                if not any(option.key for option in options):
                    return "a choice without a right option", "mark the right one"
                seen = [" ".join(option.text.split()) for option in options]
                if len(set(seen)) < len(seen):
                    double = next(text for text in seen if seen.count(text) > 1)
                    return f"two options that read {double[:60]!r}", "remove one, or tell them apart"
            case ShortAnswer(accepted=accepted):
                if not any(text.strip(" *") for text in accepted):
                    return "a short answer that nothing or anything meets", "write the answer that is right"
            case _:
                pass
        return None

    def points(self, item: str, given: Fraction | None) -> int:
        """Whole points from 1 to 100 for what a file gives."""
        if given is None:
            return 1
        points = min(max(round(given), 1), MOST_POINTS)
        if points != given:
            self.lose(item, "points", "changed", f"{float(given):g} becomes {points}: points are whole, from 1 to {MOST_POINTS}")
        return points

    def choose(self, item: str, shares: Sequence[Share], *, single: bool, shuffle: bool = True) -> Choose:
        """A choice of options that earn shares of the points.

        Args:
            single: only one option can be chosen.
        """
        if len(shares) > MOST_OPTIONS:
            # Refused when it is added; no need to weigh them.
            return Choose(tuple(Option(option.text, False) for option in shares))
        best = max((option.share for option in shares), default=Fraction(0))
        keys = [option for option in shares if (option.share > best - CLOSE if single else option.share > 0) and best > 0]
        for option in shares:
            if option.share > 0 and option not in keys:
                detail = f"{_short(option.text)} earned {_percent(option.share)}; here it earns nothing"
                self.lose(item, "partial-credit", "lost", detail)
        if single and keys and best < 1 - CLOSE:
            self.lose(item, "partial-credit", "changed", f"the best option earned {_percent(best)}; here it earns everything")
        if not single and keys:
            self._shares(item, shares, keys)
        chosen = {id(option) for option in keys}
        return Choose(tuple(Option(option.text, id(option) in chosen, option.note) for option in shares), shuffle)

    def number(self, item: str, found: Sequence[tuple[Fraction, Fraction, Fraction, str | None]]) -> Number | None:
        """A number out of values with absolute tolerance, share and note; ``None`` where no value is right."""
        best = max((share for _, _, share, _ in found), default=Fraction(0))
        if best <= 0:
            return None
        if best < 1 - CLOSE:
            self.lose(item, "partial-credit", "changed", f"the best number earned {_percent(best)}; here it earns everything")
        right = next(entry for entry in found if entry[2] == best)
        wrong = []
        for entry in found:
            value, _, share, note = entry
            if entry is right:
                if note:
                    self.lose(item, "option-notes", "lost", "what was said to the right number")
            elif share > 0:
                detail = f"{float(value):g} earned {_percent(share)} too; only {float(right[0]):g} is right here"
                self.lose(item, "partial-credit", "lost", detail)
            elif note and value != right[0]:
                wrong.append(WrongNumber(value, note))
        return Number(right[0], right[1], None, tuple(wrong))

    def matched(self, item: str, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, Body]]:
        """Matching as one choice for each thing that has a match: prompts and bodies."""
        answers = tuple(dict.fromkeys(answer for _, answer in pairs))
        asked = [(prompt, answer) for prompt, answer in pairs if prompt.strip()]
        detail = f"matching becomes {len(asked)} choices; each counts on its own"
        self.lose(item, "matching", "changed", detail)
        return [(prompt, Choose(tuple(Option(text, text == answer) for text in answers))) for prompt, answer in asked]

    def _shares(self, item: str, shares: Sequence[Share], keys: Sequence[Share]) -> None:
        even = Fraction(1, len(keys))
        if len(keys) == 1:
            self.lose(item, "several", "changed", "only one option is right, so one is to be chosen")
            return
        if any(abs(option.share - even) > CLOSE for option in keys):
            self.lose(item, "partial-credit", "changed", f"each right option earns the same, {_percent(even)}")
        wrong = [option for option in shares if option.share <= 0]
        if any(abs(option.share + even) > CLOSE for option in wrong):
            self.lose(item, "partial-credit", "changed", "each wrong option takes back what a right one earns")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _percent(share: Fraction) -> str:
    return f"{float(share) * 100:.6g} %"


def _only_number(body: ShortAnswer) -> Fraction | None:
    """The number that all accepted answers are."""
    numbers = {read_number(text) for text in body.accepted}
    return numbers.pop() if len(numbers) == 1 else None
