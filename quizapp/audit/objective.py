"""The objective that a trainer is held against: a name, or a weight formula of one's own."""

from dataclasses import dataclass
from fractions import Fraction

from quizapp.audit.weighing import NAMES
from quizapp.model.formula import Formula, FormulaError, UndefinedValue
from quizapp.model.lab import WeightRule


@dataclass(frozen=True)
class Objective:
    """The weight wanted of every valid token; padding weighs 0."""

    name: str
    formula: str
    said: str

    @property
    def called(self) -> str:
        """What a sentence calls it: its name, or the formula where it has none of its own."""
        return self.formula if self.name in ("constant", "formula") else self.name

    @property
    def rule(self) -> WeightRule:
        return WeightRule(valid=self.formula)


OBJECTIVES = (
    Objective("token-mean", "1/N", "the mean over all valid tokens of a step, on all ranks and in all microbatches"),
    Objective("sequence-mean", "1/(S*n_s)", "the mean over the rows of a step of each row's token mean"),
    Objective("sample-mean", "1/S", "each row's token losses added up, and the mean over the rows of a step"),
)
CONSTANT = "constant="


class ObjectiveError(ValueError):
    """An objective that can't be read; the message says what may be written."""


def objective(text: str) -> Objective:
    """Reads ``token-mean``, ``sequence-mean``, ``sample-mean``, ``constant=NUMBER``, or a weight formula such as ``1/(S*512)``.

    Raises:
        ObjectiveError: none of these.
    """
    for known in OBJECTIVES:
        if text == known.name:
            return known
    divisor = text.removeprefix(CONSTANT).strip() if text.startswith(CONSTANT) else None
    formula = text if divisor is None else f"1/{divisor}" if divisor.isdecimal() else f"1/({divisor})"
    names = ", ".join(known.name for known in OBJECTIVES)
    try:
        parsed = Formula.parse(formula)
    except FormulaError as error:
        raise ObjectiveError(f"objective {text!r} is none of {names}, constant=NUMBER, and no weight formula: {error}") from None
    if divisor is not None and not _positive(parsed):
        raise ObjectiveError(f"objective {text!r}: write constant=NUMBER, a number above 0; other objectives are {names}")
    unknown = sorted(parsed.names - set(NAMES))
    if unknown:
        raise ObjectiveError(f"objective {text!r}: {unknown[0]!r} is neither an objective ({names}) nor a variable of weights")
    vectors = ("n", "t")
    try:
        parsed.scalar({name: (Fraction(1), Fraction(1)) if name in vectors else Fraction(1) for name in NAMES})
    except UndefinedValue:
        pass  # a division by zero here may be none elsewhere
    except FormulaError as error:
        raise ObjectiveError(f"objective {text!r} is none of {names}, and gives no weight: {error}") from None
    said = f"every valid token weighs {formula}"
    return Objective("constant" if text.startswith(CONSTANT) else "formula", formula, said)


def _positive(formula: Formula) -> bool:
    """Whether a formula is a number above 0, without any variable."""
    try:
        return not formula.names and formula.scalar({}) > 0
    except FormulaError:
        return False
