"""What all models of this room share: unknown keys are errors, values don't change.

The docstrings below the fields become the JSON Schema's descriptions (``quizapp.bank.schema``). They are read only there:
pydantic's own reading of them parses every model's source at each start.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo

from quizapp.model.formula import Formula, FormulaError


class Model(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="null")


CHECKED: Mapping[str, bool] = {"checked": True}
"""Validation context for what has been validated before: formulas aren't parsed again."""


def _formula(text: str, info: ValidationInfo) -> str:
    if info.context is CHECKED:
        return text
    try:
        Formula.parse(text)
    except FormulaError as error:
        raise ValueError(f"formula {text!r}: {error}") from None
    return text


def as_formula_text(value: object) -> object:
    """YAML writes ``key: 2`` as a number; formulas are text."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
"""Lower-case words joined by hyphens; stable for ever."""
FormulaText = Annotated[str, AfterValidator(_formula)]
"""Text that parses as a formula."""
Markdown = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
"""Markdown; ``{{ formula }}`` is replaced by its value in the variant shown."""
Points = Annotated[int, Field(ge=1, le=100)]
