"""A debrief as a file: Markdown, or HTML that needs nothing beside it. Only text goes in and out; no file is opened here.

Whatever the candidate or a bank wrote is escaped: a file made from an interview runs nothing and loads nothing.
"""

from collections.abc import Iterable, Iterator
from html import escape

from quizapp.model.figures import in_a_row
from quizapp.practice.interview_debrief import Debrief, Row, Shown

_MET = {"met": "earned", "unsure": "can't tell", "unmet": "missed"}
STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;width:100%;margin:.5em 0}
td,th{border:1px solid #8886;padding:.3em .6em;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;background:#8882;padding:.6em;border-left:4px solid #8886}
mark{background:#fe89;color:inherit;text-decoration:underline}
.said{font-style:italic;opacity:.75}section{border-top:1px solid #8886;margin-top:2em}
.aside{opacity:.75}
"""


def clock(seconds: float) -> str:
    """``12:05``; hours too where there are any."""
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def points(earned: int, possible: int) -> str:
    """``3 of 4 points``."""
    return f"{earned} of {possible} point{'' if possible == 1 else 's'}"


def _facts(found: Debrief) -> list[str]:
    return [
        f"Subject: {found.subject}",
        f"Role: {found.role}",
        f"Planned for {found.minutes} minutes, seed {found.seed}",
        f"Began {found.began:%Y-%m-%d %H:%M} UTC, took {clock(found.elapsed)}",
        *found.course,
        f"Result: {points(found.points, found.max_points)}",
    ]


def _where(one: Shown) -> str:
    return f" (question{'' if len(one.questions) == 1 else 's'} {in_a_row(one.questions)})" if one.questions else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _fenced(text: str) -> str:
    """The text as a block in which nothing is Markdown."""
    longest = max((len(run) for run in _runs(text, "`")), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def _runs(text: str, sign: str) -> Iterator[str]:
    run = ""
    for one in text:
        if one == sign:
            run += one
        elif run:
            yield run
            run = ""
    if run:
        yield run


def _table(row: Row) -> str:
    lines = ["| points | | asked for | your words |", "|---|---|---|---|"]
    for line in row.lines:
        words = " … ".join(f"“{words}”" for words in line.words)
        asked = line.description if row.question.rubric is not None else line.reason
        lines.append(f"| {line.points}/{line.max_points} | {_MET[line.met]} | {_cell(asked)} | {_cell(words)} |")
    return "\n".join(lines)


def _markdown_row(row: Row) -> Iterator[str]:
    heading = f"### {row.number}. {row.question.title or row.label} ({row.label})"
    yield heading
    if row.question.said:
        yield f"*{row.question.said}*"
    yield row.question.text
    if row.options:
        yield "\n".join(f"- {' '.join(text.split())}" for text in row.options)
    if row.passed:
        yield "You passed on this one."
    else:
        yield "You said:" if row.question.heard else "You answered:"
        yield _fenced(row.said)
    if row.verdict:
        yield f"The judge: {row.verdict}"
    if row.scored:
        yield f"**{points(row.points, row.max_points)}**"
    if row.lines:
        yield _table(row)
    if row.right_answer:
        yield f"Right: {row.right_answer}"
    if row.question.explanation or row.missing:
        yield "**What a strong answer says**"
    if row.missing:
        yield "\n".join(f"- {text}" for text in row.missing)
    if row.question.explanation:
        yield row.question.explanation.strip()
    if row.notes.strip():
        yield "Your notes:"
        yield _fenced(row.notes)


def _shown(entries: Iterable[Shown]) -> Iterator[str]:
    for one in entries:
        yield f"- **{one.title}**{_where(one)}"
        if one.entry is not None:
            yield f"  - What it computes: {' '.join(one.entry.computes.split())}"
            yield f"  - Instead: {' '.join(one.entry.cure.split())}"


def markdown(found: Debrief) -> str:
    """The debrief as Markdown."""
    blocks = ["# Interview debrief", "\n".join(f"- {fact}" for fact in _facts(found))]
    if found.named:
        blocks += ["## Misconceptions that came up", "\n".join(_shown(found.named))]
    if found.suspected:
        blocks += ["## What your words sounded like, and no answer confirmed", "\n".join(_shown(found.suspected))]
    if found.topics:
        blocks.append("## Topics")
        if found.strongest:
            blocks.append("Strongest: " + "; ".join(f"{one.title} ({one.points}/{one.max_points})" for one in found.strongest))
        if found.weakest:
            blocks.append("Weakest: " + "; ".join(f"{one.title} ({one.points}/{one.max_points})" for one in found.weakest))
    if found.study_next:
        blocks += ["## What to study next", "\n".join(f"- {one.title} (`{one.item}`): {one.reason}" for one in found.study_next)]
    blocks.append("## Questions and answers")
    for row in found.rows:
        blocks += _markdown_row(row)
    return "\n\n".join(blocks) + "\n"


def _rendered(text: str) -> str:
    """Markdown as HTML; raw HTML in it is escaped, and images, which would be loaded from elsewhere, are left as text."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(text))


def _marked(row: Row) -> str:
    """The answer, with the words marked that met a criterion."""
    if not row.spans:
        return escape(row.said)
    parts, at = [], 0
    for start, end in row.spans:
        parts += [escape(row.text[at:start]), f"<mark>{escape(row.text[start:end])}</mark>"]
        at = end
    return "".join(parts) + escape(row.text[at:])


def _html_row(row: Row) -> Iterator[str]:
    yield f"<section><h3>{row.number}. {_inline(row.question.title or row.label)} <small>({escape(row.label)})</small></h3>"
    if row.question.said:
        yield f'<p class="said">{escape(row.question.said)}</p>'
    yield _rendered(row.question.text)
    if row.options:
        yield f'<ul class="options">{"".join(f"<li>{_inline(text)}</li>" for text in row.options)}</ul>'
    if row.passed:
        yield "<p>You passed on this one.</p>"
    else:
        yield f"<p>{'You said' if row.question.heard else 'You answered'}:</p><pre>{_marked(row)}</pre>"
    if row.verdict:
        yield f"<p>The judge: {escape(row.verdict)}</p>"
    if row.scored:
        yield f"<p><strong>{points(row.points, row.max_points)}</strong></p>"
    if row.lines:
        yield "<table><tr><th>points</th><th></th><th>asked for</th><th>your words</th></tr>"
        for line in row.lines:
            asked = line.description if row.question.rubric is not None else line.reason
            words = " … ".join(f"“{escape(words)}”" for words in line.words)
            cells = (f"{line.points}/{line.max_points}", _MET[line.met], _inline(asked), words)
            yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        yield "</table>"
    if row.right_answer:
        yield f"<p>Right: {_inline(row.right_answer)}</p>"
    if row.question.explanation or row.missing:
        yield "<h4>What a strong answer says</h4>"
    if row.missing:
        yield "<ul>" + "".join(f"<li>{_inline(text)}</li>" for text in row.missing) + "</ul>"
    if row.question.explanation:
        yield _rendered(row.question.explanation)
    if row.notes.strip():
        yield f'<p class="aside">Your notes:</p><pre>{escape(row.notes)}</pre>'
    yield "</section>"


def _inline(text: str) -> str:
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).disable("image").renderInline(" ".join(text.split())))


def _html_shown(entries: Iterable[Shown]) -> str:
    items = []
    for one in entries:
        detail = ""
        if one.entry is not None:
            detail = f"<br>What it computes: {_inline(one.entry.computes)}<br>Instead: {_inline(one.entry.cure)}"
        items.append(f"<li><strong>{_inline(one.title)}</strong>{escape(_where(one))}{detail}</li>")
    return f"<ul>{''.join(items)}</ul>"


def html(found: Debrief) -> str:
    """The debrief as one HTML page without scripts, images or anything to load."""
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Interview debrief</title>',
        '<meta name="viewport" content="width=device-width">',
        f"<style>{STYLE}</style></head><body><h1>Interview debrief</h1>",
        "<ul>" + "".join(f"<li>{escape(fact)}</li>" for fact in _facts(found)) + "</ul>",
    ]
    if found.named:
        parts += ["<h2>Misconceptions that came up</h2>", _html_shown(found.named)]
    if found.suspected:
        parts += ["<h2>What your words sounded like, and no answer confirmed</h2>", _html_shown(found.suspected)]
    if found.topics:
        parts.append("<h2>Topics</h2><table><tr><th>topic</th><th>points</th></tr>")
        parts += [f"<tr><td>{_inline(one.title)}</td><td>{one.points}/{one.max_points}</td></tr>" for one in found.topics]
        parts.append("</table>")
    if found.study_next:
        parts.append("<h2>What to study next</h2><ul>")
        for entry in found.study_next:
            parts.append(f"<li>{_inline(entry.title)} (<code>{escape(entry.item)}</code>): {escape(entry.reason)}</li>")
        parts.append("</ul>")
    parts.append("<h2>Questions and answers</h2>")
    for row in found.rows:
        parts += _html_row(row)
    parts.append("</body></html>\n")
    return "\n".join(parts)
