"""Pictures as inline SVG: weights wanted and given, histograms, bars, an item map. Pure functions from numbers to text."""

import html
import math
from collections.abc import Sequence

from quizapp.classroom.page import Picture
from quizapp.model.alike import InName, alike, in_names, named, place, same, scale
from quizapp.model.figures import as_fraction
from quizapp.model.verdict import ScenarioVerdict, TokenWeight

MOST_TOKENS = 32
GOOD, BAD, PLAIN = "var(--good, #1a7f37)", "var(--bad, #cf222e)", "var(--plain, #8c959f)"
ACCENT, LINE = "var(--accent, #0969da)", "var(--line, #d0d7de)"


def _svg(width: int, height: int, title: str, body: Sequence[str]) -> Picture:
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
        f"<title>{html.escape(title)}</title>{''.join(body)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12">{html.escape(text)}</text>'


def _rectangle(x: float, y: float, width: float, height: float, fill: str, told: str = "") -> str:
    title = f"<title>{html.escape(told)}</title>" if told else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" fill="{fill}">{title}</rect>'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{LINE}"/>'


def token_name(weight: TokenWeight, names: InName) -> str:
    """A token's name: its rank, its step and microbatch where there are several, its position."""
    return f"{place(weight, names)} token {weight.token}" + ("" if weight.valid else ", padding")


def in_figures(value: float | None) -> str:
    """A weight as people write it."""
    return "no number" if value is None else as_fraction(value)


def weight_rows(scenario: ScenarioVerdict) -> list[tuple[str, float, float | None]]:
    """Name, weight wanted and weight given of each token, or, where they are too many, of those that are alike."""
    weights, names = scenario.weights, in_names(scenario.weights)
    if len(weights) <= MOST_TOKENS:
        return [(token_name(weight, names), weight.wanted, weight.given) for weight in weights]
    return [(named(group, names), group.wanted, group.given) for group in alike(weights)]


def weights_picture(scenario: ScenarioVerdict) -> Picture:
    """Each token's weight: wanted above, given below, on one scale. Empty where the scenario has no weights."""
    weights = scenario.weights
    if not weights:
        return Picture("")
    every = weight_rows(scenario)
    shown, names = every[:MOST_TOKENS], in_names(weights)
    largest = scale(weights) or 1.0
    lowest = min(0.0, *(v for w in weights for v in (w.wanted, w.given or 0.0) if math.isfinite(v)))
    left, wide, row = 150 + 60 * (names.microbatch + names.step), 300, 30
    span = largest - lowest
    zero = left + wide * (-lowest / span)
    body = [_rule(zero, 24, zero, 28 + row * len(shown))]
    body += [_rectangle(left, 6, 10, 10, PLAIN), _text(left + 14, 15, "wanted")]
    body += [_rectangle(left + 80, 6, 10, 10, GOOD), _text(left + 94, 15, "given, right")]
    body += [_rectangle(left + 190, 6, 10, 10, BAD), _text(left + 204, 15, "given, wrong")]
    for index, (name, wanted, given) in enumerate(shown):
        top, right = 28 + row * index, same(wanted, given, largest)
        body.append(_text(0, top + 15, name))
        for offset, value, colour, what in (
            (0, wanted, PLAIN, "wanted"),
            (11, given, GOOD if right else BAD, "given"),
        ):
            if value is not None and math.isfinite(value):
                length = wide * (abs(value) / span)
                start = zero if value >= 0 else zero - length
                body.append(_rectangle(start, top + 1 + offset, length, 9, colour, f"{name}: {what} {value:.6g}"))
        sign = "✓" if right else "✗"
        told = in_figures(wanted) + ("" if right else f" wanted, {in_figures(given)} given")
        body.append(_text(left + wide + 10, top + 15, f"{sign} {told}"))
    height = 34 + row * len(shown)
    if len(every) > len(shown):
        body.append(_text(0, height + 10, f"and {len(every) - len(shown)} more"))
        height += 18
    return _svg(left + wide + 220, height, f"Weight of each token, wanted and given: {scenario.name}", body)


def histogram(counts: Sequence[int], labels: Sequence[str], title: str) -> Picture:
    """Vertical bars, one for each count."""
    width, height, left, step = 640, 210, 30, 600 / max(1, len(counts))
    most = max(counts, default=0) or 1
    body = [_rule(left, 170, width, 170)]
    for index, (count, label) in enumerate(zip(counts, labels, strict=True)):
        x, size = left + step * index, 140 * count / most
        body.append(_rectangle(x + 3, 170 - size, step - 6, size, ACCENT, f"{label}: {count}"))
        body.append(_text(x + step / 2, 165 - size, str(count) if count else "", "middle"))
        body.append(_text(x + step / 2, 188, label, "middle"))
    return _svg(width, height, title, body)


def bars(rows: Sequence[tuple[str, float, str, bool]], title: str) -> Picture:
    """Horizontal bars: a name, a share from 0 to 1, what to write beside it, and whether it is a right answer."""
    left, wide, row = 260, 260, 24
    body = []
    for index, (name, share, told, good) in enumerate(rows):
        top = row * index
        body.append(_text(0, top + 16, name if len(name) <= 40 else f"{name[:39]}…"))
        body.append(_rectangle(left, top + 5, wide * min(1.0, max(0.0, share)), 14, GOOD if good else ACCENT, f"{name}: {told}"))
        body.append(_text(left + wide * min(1.0, max(0.0, share)) + 6, top + 16, told))
    return _svg(left + wide + 120, row * max(1, len(rows)) + 4, title, body)


def item_map(points: Sequence[tuple[str, float, float]], title: str) -> Picture:
    """Difficulty (0 to 1) across, discrimination (-1 to 1) up, a dot for each item."""
    left, top, wide, high = 50, 16, 520, 260
    body = [_rectangle(left, top, wide, high, "none"), _rule(left, top + high / 2, left + wide, top + high / 2)]
    body += [_rule(left, top, left, top + high), _rule(left, top + high, left + wide, top + high)]
    body += [_text(left - 6, top + high * (1 - y) / 2 + 4, f"{y:g}", "end") for y in (-1, 0, 1)]
    body += [_text(left + wide * x, top + high + 16, f"{x:g}", "middle") for x in (0, 0.25, 0.5, 0.75, 1)]
    body.append(_text(left + wide / 2, top + high + 34, "mean share of the points (easy to the right)", "middle"))
    body.append(_text(4, 12, "discrimination"))
    for name, across, up in points:
        x, y = left + wide * across, top + high * (1 - up) / 2
        fill = BAD if up < 0 else ACCENT
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}"><title>{html.escape(name)}</title></circle>')
        if len(points) <= 12:
            body.append(_text(x + 8, y + 4, name[:28]))
    return _svg(left + wide + 150, top + high + 44, title, body)
