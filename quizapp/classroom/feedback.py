"""One page for each student: points with their reasons, the weights as a picture, the diagnosis. Markdown and HTML.

Whatever a student wrote, or their program printed or raised, stands on the page as text and nothing else.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quizapp.classroom.asked import Work
from quizapp.classroom.page import assembled, code_block, document, plain
from quizapp.classroom.picture import in_figures, weight_rows, weights_picture
from quizapp.classroom.result import Result
from quizapp.model.alike import same, scale
from quizapp.model.nouns import points
from quizapp.model.question import TextPart

if TYPE_CHECKING:
    from quizapp.model.score import CriterionScore
    from quizapp.model.verdict import ScenarioVerdict, Verdict

SIGNS = {"met": "✓", "unsure": "?", "unmet": "✗"}
MOST_ROWS = 32
MOST_OUTPUT = 4_000


def shown_scenario(verdict: "Verdict") -> "ScenarioVerdict | None":
    """The scenario whose weights are worth a picture: the smallest failing one, else a telling one, else the first."""
    from quizapp.judge.judge import most_telling  # brings numpy

    if verdict.counterexample is not None and verdict.counterexample.weights:
        return verdict.counterexample
    weighed = [one for one in verdict.scenarios if one.weights]
    return most_telling([one for one in weighed if one.outcome != "pass"]) or next(iter(weighed), None)


def markdown_page(work: Work, student: str, results: Sequence[Result]) -> str:
    """The page as Markdown, with the weights as a table."""
    return "\n\n".join(_blocks(work, student, results, pictures=False)) + "\n"


def html_page(work: Work, student: str, results: Sequence[Result]) -> str:
    """The page as self-contained HTML, with the weights as an inline SVG."""
    return document(f"{student}: {work.item}", assembled(_blocks(work, student, results, pictures=True)))


def _blocks(work: Work, student: str, results: Sequence[Result], pictures: bool) -> list[str]:
    earned, most = sum(result.points for result in results), sum(result.most for result in results)
    blocks = [f"# {plain(work.item)}: {points(earned, most)}", f"For {plain(student)}."]
    for result in results:
        if len(work.loaded.item.parts) > 1:
            blocks.append(f"## Part {plain(result.part)}: {points(result.points, result.most)}")
        blocks += _part(work, result, pictures)
    return blocks


def _part(work: Work, result: Result, pictures: bool) -> list[str]:
    if result.problem is not None:
        return [f"**Not graded** ({result.problem.status}): {plain(result.problem.reason)}."]
    blocks = _code(work, result.verdict, pictures) if result.verdict is not None else _answer(work, result)
    for id in result.misconceptions:
        blocks.append(f"### What happened: {plain(work.titles.get(id, id))}")
        evidence = [found.evidence for found in result.verdict.diagnosis if found.id == id] if result.verdict is not None else []
        blocks += [f"{plain(text[0].upper() + text[1:])}." for text in evidence]
        if id in work.cures:
            blocks.append(work.cures[id].strip())
    if result.note:
        blocks.append(f"Note: {plain(result.note)}.")
    return blocks


def _answer(work: Work, result: Result) -> list[str]:
    score = result.score
    assert score is not None
    blocks = []
    if score.outcome == "unsure":
        blocks.append("A person looks at this answer again: where a line has a ?, the points are not final.")
    lines = [
        f"- {SIGNS[one.met]} {one.points} of {one.max_points}: {_asked(work, result, one)}{plain(one.reason)}{_quotes(result, one)}"
        for one in score.criteria
    ]
    blocks.append("\n".join(lines))
    if result.answer:
        blocks += ["You wrote:", code_block(result.answer)]
    return blocks


def _asked(work: Work, result: Result, criterion: "CriterionScore") -> str:
    """What a criterion asks for, where a person has decided: the scorer's reason, which says it, is gone there."""
    rubrics = [part.rubric for part in work.loaded.item.parts if part.id == result.part and isinstance(part, TextPart)]
    if criterion.id not in result.rulings or not rubrics:
        return ""
    described = next((one.description for one in rubrics[0].criteria if one.id == criterion.id), "")
    return f"{plain(described.strip().rstrip('.'))}: " if described else ""


def _quotes(result: Result, criterion: "CriterionScore") -> str:
    """The words of the answer that a criterion was judged by, unless its reason quotes them or a person has decided."""
    assert result.score is not None
    if len(result.score.criteria) == 1 or criterion.id in result.rulings or "“" in criterion.reason:
        return ""
    return "".join(f' "{plain((result.answer or "")[start:end])[:300]}"' for start, end in criterion.evidence[:3])


def _code(work: Work, verdict: "Verdict", pictures: bool) -> list[str]:
    sign = "✓" if verdict.outcome == "pass" else "✗"
    blocks = [f"{sign} **{verdict.outcome}**, {points(verdict.points, verdict.max_points)}. {plain(verdict.summary)}"]
    if work.program is not None:
        shown = {found.id for found in verdict.diagnosis}
        blocks += [wrong.hint.strip() for wrong in work.program.lab.misconceptions if wrong.id in shown and wrong.hint]
    if verdict.scenarios:
        what = "size" if any(one.size for one in verdict.scenarios) else "valid tokens per rank"
        lines = [f"| ranks | scenario | {what} | outcome |", "| --- | --- | --- | --- |"]
        for one in verdict.scenarios:
            counts = plain(one.size or ", ".join("+".join(map(str, row)) for row in one.counts))
            mark = "✓ pass" if one.outcome == "pass" else f"✗ {one.outcome}"
            lines.append(f"| {one.world_size} | {plain(one.name)} | {counts} | {mark} |")
        blocks.append("\n".join(lines))
    scenario = shown_scenario(verdict)
    if scenario is not None:
        blocks.append(f"### The weight of each token: {plain(scenario.called)}")
        if scenario not in verdict.scenarios:
            blocks.append("A scenario beside those of the table above: the smallest that was found to fail.")
        blocks.append(weights_picture(scenario) if pictures else _weights(scenario))
    if verdict.ranks:
        lines = ["| rank | state | line | last collective | said |", "| --- | --- | --- | --- | --- |"]
        for rank in verdict.ranks:
            line = rank.place.line if rank.place is not None else ""
            said = plain((rank.message or "")[:400])
            lines.append(f"| {rank.rank} | {rank.state} | {line} | {plain(rank.collective or '')} | {said} |")
        blocks += ["### Where each rank stood", "\n".join(lines)]
    if verdict.output.strip():
        blocks += ["### What it printed", code_block(verdict.output[:MOST_OUTPUT])]
    blocks.append(f"Scenarios drawn by seed {verdict.seed}; {verdict.collectives} on {verdict.device}.")
    return blocks


def _weights(scenario: "ScenarioVerdict") -> str:
    every, largest = weight_rows(scenario), scale(scenario.weights)
    lines = ["| token | wanted | given | |", "| --- | --- | --- | --- |"]
    for name, wanted, given in every[:MOST_ROWS]:
        mark = "✓" if same(wanted, given, largest) else "✗"
        lines.append(f"| {name} | {in_figures(wanted)} | {in_figures(given)} | {mark} |")
    if len(every) > MOST_ROWS:
        lines.append(f"| and {len(every) - MOST_ROWS} more | | | |")
    return "\n".join(lines)
