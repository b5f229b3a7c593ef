"""Every lab's folder holds together: its programs, the wrong ideas that it predicts, and the registry agree."""

import ast
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.bank.load import Library
from quizapp.judge.scenario import SEPARATING_SCENARIOS, Floats, Scenario, apart, draw, rules_of, steps_of, weights
from quizapp.model.formula import Formula
from quizapp.model.lab import Lab, WeightRule

FOLDERS = sorted(file.parent for file in builtin_folder().rglob("lab.yaml"))
SCENARIOS = {
    "uneven": ((2, 1, 3), (4, 2, 4)),
    "two ranks": ((1, 4), (3, 5)),
    "four ranks": ((3, 1, 5, 2), (4, 3, 6, 5)),
    "even": ((2, 2, 2), (3, 4, 5)),
    "empty rank": ((2, 0, 3), (3, 2, 4)),
    "lone token": ((0, 1, 0), (1, 2, 2)),
    "all empty": ((0, 0, 0), (1, 2, 2)),
}
"""Valid tokens and positions per rank."""
TOLERANCE = 1e-9


@cache
def drawn(folder: Path) -> tuple[Lab, tuple[Scenario, ...]]:
    lab = load_lab(folder)
    return lab, draw(lab, 1)


def observed(rule: WeightRule, scenario: Scenario) -> Floats:
    """What the first and the last rank end with under a rule, steps taken included. A NaN reaches all of its step's gradient."""
    tables = np.concatenate([weights(rule, scenario, observer) for observer in (0, scenario.world_size - 1)])
    tables[np.isnan(tables).any(axis=1)] = np.nan
    return np.append(tables.reshape(-1), steps_of(rule, scenario))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
class TestFolder:
    def test_programs_define_the_entry(self, folder: Path) -> None:
        lab = load_lab(folder)
        programs = [folder / "starter.py", folder / "solution.py", *folder.glob("right/*.py"), *folder.glob("wrong/*.py")]
        for program in programs:
            tree = ast.parse(program.read_text("utf-8"))
            assert lab.entry in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, program
            assert ast.get_docstring(tree), program

    def test_there_are_enough_programs_and_no_two_alike(self, folder: Path) -> None:
        right, wrong = list(folder.glob("right/*.py")), list(folder.glob("wrong/*.py"))
        assert len(right) >= 2
        assert len(wrong) >= 8
        code = {ast.dump(ast.parse(file.read_text("utf-8"))) for file in (*right, *wrong)}
        assert len(code) == len(right) + len(wrong)

    def test_wrong_programs_are_named_after_a_predicted_misconception(self, folder: Path, library: Library) -> None:
        predicted = {misconception.id for misconception in load_lab(folder).misconceptions}
        shown = {file.stem.split("--")[0] for file in folder.glob("wrong/*.py")}
        assert shown == predicted
        assert predicted <= library.registry.keys()

    def test_predictions_differ_from_the_objective_and_from_each_other(self, folder: Path) -> None:
        lab, scenarios = drawn(folder)
        named = [("the objective", lab.objective)] if lab.objective is not None else []
        tables = [(name, rule, [observed(rule, scenario) for scenario in scenarios]) for name, rule in [*named, *rules_of(lab)]]
        for index, (name, rule, mine) in enumerate(tables):
            for other, _, theirs in tables[:index]:
                told = sum(apart(a, b, TOLERANCE) for a, b in zip(mine, theirs, strict=True))
                assert other == name or told >= SEPARATING_SCENARIOS, (name, rule, other, told)

    def test_a_desync_is_predicted_where_ranks_part_and_nowhere_else(self, folder: Path) -> None:
        for misconception in load_lab(folder).misconceptions:
            if misconception.desync is None:
                continue
            parts = {
                name: Formula.parse(misconception.desync).holds(
                    {
                        "n": tuple(map(Fraction, n)),
                        "N": Fraction(sum(n)),
                        "R": Fraction(len(n)),
                        "K": Fraction(1),
                        "T": Fraction(sum(t)),
                    }
                )
                for name, (n, t) in SCENARIOS.items()
            }
            assert any(parts.values()), misconception.id
            assert not parts["uneven"], misconception.id
            assert not parts["even"], misconception.id


def test_the_first_lab_runs_all_shapes_at_three_world_sizes(questions: Path) -> None:
    lab = load_lab(questions / "intended-average" / "labs" / "scale-local-loss")
    assert lab.world_sizes == (2, 3, 4)
    assert {s.shape for s in lab.scenarios} == {"uneven", "even", "one-token-rank", "empty-rank", "lone-token", "all-empty"}
    assert any(s.probe for s in lab.scenarios)
