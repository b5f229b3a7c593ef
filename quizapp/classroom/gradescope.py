"""Gradescope's ``results.json`` for one student, after its autograder specification (output format, version of 2025)."""

import json
from collections.abc import Sequence
from typing import Any

from quizapp.classroom.asked import Work
from quizapp.classroom.feedback import markdown_page
from quizapp.classroom.result import Result


def results_json(work: Work, student: str, results: Sequence[Result]) -> str:
    """One JSON object: ``score`` holds; the tests explain it. A criterion or part is a test with points, a scenario one without."""
    tests = [test for result in results for test in _tests(result)]
    return json.dumps(
        {
            "score": sum(result.points for result in results),
            "output": markdown_page(work, student, results),
            "output_format": "md",
            "test_output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": tests,
            "extra_data": {
                "item": work.item,
                "max_score": sum(result.most for result in results),
                "seed": next((result.seed for result in results if result.verdict is not None), None),
                "status": {result.part: result.status for result in results},
                "misconceptions": sorted({id for result in results for id in result.misconceptions}),
                "outer_sandbox": any(result.outer_sandbox for result in results),
            },
        },
        indent=1,
    )


def _test(name: str, passed: bool, output: str, points: tuple[int, int] | None = None) -> dict[str, Any]:
    test: dict[str, Any] = {"name": name, "status": "passed" if passed else "failed", "output": output}
    return test if points is None else {"score": points[0], "max_score": points[1], **test}


def _tests(result: Result) -> list[dict[str, Any]]:
    if result.score is not None:
        return [
            _test(
                f"{result.part}: {one.id}" if one.id != result.part else one.id,
                one.met == "met",
                one.reason,
                (one.points, one.max_points),
            )
            for one in result.score.criteria
        ]
    whole = _test(result.part, result.outcome == "pass", result.reason, (result.points, result.most))
    scenarios = result.verdict.scenarios if result.verdict is not None else ()
    return [
        whole,
        *(_test(f"{one.world_size} ranks, {one.name}", one.outcome == "pass", one.message or one.outcome) for one in scenarios),
    ]
