"""Labs whose ranks return values: data sets laid out by what the masks hold, and ideas that foretell where ranks part ways."""

import numpy as np
import pytest
from pydantic import ValidationError

from quizapp.judge import names
from quizapp.judge.expect import Observed, with_model
from quizapp.judge.judge import most_telling
from quizapp.judge.names import Run
from quizapp.judge.scenario import Scenario, draw
from quizapp.model.lab import Draw, Lab, LabMisconception, ScenarioSpec, Sizes
from quizapp.model.verdict import Outcome, ScenarioVerdict


def lab() -> Lab:
    return Lab(
        entry="count",
        signature="count()",
        drive="drive.py",
        observation="returned",
        world_sizes=(2, 3),
        sizes=Sizes(valid=(1, 4), padding=(0, 2), microbatches=(2, 3)),
        draws={"dealt": Draw(each="scenario", counts="valid"), "slots": Draw(each="scenario", counts="positions")},
        scenarios=tuple(ScenarioSpec(name=shape, shape=shape) for shape in ("uneven", "empty-rank", "all-empty")),
        misconceptions=(LabMisconception(id="rank-left-out"), LabMisconception(id="phantom-tokens")),
    )


def test_counts_are_what_the_masks_hold() -> None:
    for scenario in draw(lab(), 5):
        assert scenario.shared["dealt"].dtype == np.int64
        assert scenario.shared["dealt"].tolist() == [list(row) for row in scenario.counts]
        assert scenario.shared["slots"].tolist() == [[len(mask) for mask in row] for row in scenario.masks]


def test_counts_are_told_to_all_ranks_or_to_none() -> None:
    with pytest.raises(ValidationError, match="each: scenario"):
        Draw(each="rank", counts="valid")
    with pytest.raises(ValidationError, match="exactly one"):
        Draw(each="scenario", counts="valid", normal=(0, 1))


def total(scenario: Scenario, phantoms: int = 0) -> tuple[Observed, ...]:
    return ({"total": np.array(float(scenario.shared["dealt"].sum() + phantoms))},) * scenario.world_size


def runs(parted: bool) -> list[Run]:
    """A program that leaves out ranks without data (``parted``), or counts one sample too many."""
    found = []
    for scenario in draw(lab(), 5):
        leaves = scenario.name == "empty-rank"
        predictions = {
            "rank-left-out": [({},) * scenario.world_size if leaves else total(scenario)],
            "phantom-tokens": [total(scenario, 1)],
        }
        its = with_model(lab(), scenario, total(scenario), None, None, predictions)
        if parted:
            found.append(Run(its, None if leaves else total(scenario), desync=leaves))
        else:
            found.append(Run(its, total(scenario, 1)))
    return found


def test_an_empty_prediction_foretells_that_ranks_part_ways() -> None:
    named = names.name(lab(), runs(parted=True))
    assert named is not None
    assert named.id == "rank-left-out"


def test_it_does_not_match_ranks_that_finish() -> None:
    named = names.name(lab(), runs(parted=False))
    assert named is not None
    assert named.id == "phantom-tokens"


def test_parting_ways_elsewhere_than_foretold_has_no_name() -> None:
    bent = [Run(run.expected, None, desync=True) for run in runs(parted=True)]
    assert names.name(lab(), bent) is None


def test_of_values_a_case_is_told_that_shows_at_a_glance() -> None:
    def case(
        name: str, world_size: int, counts: list[list[int]], error: float | None, outcome: Outcome = "wrong"
    ) -> ScenarioVerdict:
        held = tuple(map(tuple, counts))
        return ScenarioVerdict(name=name, world_size=world_size, counts=held, outcome=outcome, max_relative_error=error)

    faint, plain = case("faint", 2, [[3], [2]], 0.003), case("plain", 2, [[4], [5]], 0.5)
    larger, empty, none = (
        case("larger", 3, [[1], [2], [3]], 0.9),
        case("empty", 2, [[4], [0]], 0.9),
        case("none", 2, [[0], [0]], None),
    )

    def told(*cases: ScenarioVerdict) -> str:
        found = most_telling(cases)
        assert found is not None
        return found.name

    assert told(none, empty, faint, larger, plain) == "plain"
    assert told(none, empty, faint, larger) == "empty"
    assert told(none, faint, larger) == "faint"
    assert told(none, larger) == "larger"
    stuck, other = case("stuck", 2, [[1], [0]], None, "desync"), case("other", 2, [[4], [5]], None, "desync")
    assert told(other, stuck) == "stuck"
