"""Whether a lab's scenarios can tell its wrong ideas apart, from its formulas alone; nothing is run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from quizapp.bank.document import Document, read
from quizapp.bank.lab import FILE
from quizapp.judge.scenario import Floats, Scenario, apart, draw, feature_width, rules_of, separated, steps_of, weights
from quizapp.judge.tolerance import tolerance
from quizapp.model.formula import FormulaError
from quizapp.model.lab import Lab, WeightRule

SEED = 0


def separation_faults(folder: Path, lab: Lab) -> Document:
    """The lab's file with a fault where no draw separates its misconceptions, and where two of them foretell the same."""
    document = read(folder / FILE)
    document.faults.clear()
    if lab.objective is None or not rules_of(lab):
        return document
    try:
        scenarios = draw(lab, SEED)
        if not separated(lab, scenarios, tolerance(feature_width(lab))):
            message = "no draw of the scenarios tells these wrong ideas from the right answer and from each other on two of them"
            mend = "widen `sizes`, or add a scenario of another shape; every verdict tries 200 draws for nothing"
            document.fault(("misconceptions",), "lab-separation", message, mend, key=True)
        for index, position, what in _alike(lab, scenarios):
            message = f"in every scenario this foretells the same as {what}, so that it can't be named"
            mend = "merge the two, or add a scenario that tells them apart"
            document.fault(("misconceptions", index, "weights", position), "lab-separation", message, mend)
    except (FormulaError, ValueError) as error:
        document.fault(
            ("misconceptions",), "lab-separation", f"the scenarios can't be drawn: {error}", "mend the formulas", key=True
        )
    return document


def _alike(lab: Lab, scenarios: tuple[Scenario, ...]) -> Iterator[tuple[int, int, str]]:
    """Index of each misconception and rule that no scenario tells from the objective or an earlier one, and from what."""
    assert lab.objective is not None
    relative = tolerance(feature_width(lab))
    seen = [("", _foretold(lab.objective, scenarios))]
    for index, wrong in enumerate(lab.misconceptions):
        for position, rule in enumerate(wrong.weights):
            mine = _foretold(rule, scenarios)
            for name, theirs in seen:
                if name != wrong.id and not any(
                    a[1] != b[1] or apart(a[0], b[0], relative) for a, b in zip(mine, theirs, strict=True)
                ):
                    yield index, position, f"{name!r}" if name else "the objective"
                    break
            seen.append((wrong.id, mine))


def _foretold(rule: WeightRule, scenarios: tuple[Scenario, ...]) -> list[tuple[Floats, int]]:
    """What the first and the last rank end with in each scenario, and the steps taken. A NaN reaches all of its step's gradient."""
    found = []
    for scenario in scenarios:
        tables = np.concatenate([weights(rule, scenario, observer) for observer in (0, scenario.world_size - 1)])
        tables[np.isnan(tables).any(axis=1)] = np.nan
        found.append((tables, steps_of(rule, scenario)))
    return found
