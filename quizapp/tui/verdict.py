"""The verdict on one submission: what happened, on which scenario, which weights each token got, what to do about it."""

import re
from collections.abc import Iterator, Mapping
from textwrap import indent, wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from quizapp.judge.in_numbers import in_numbers
from quizapp.model.misconception import Misconception
from quizapp.model.verdict import Listing, RankReport, ScenarioVerdict, Verdict
from quizapp.tui.inline import inline
from quizapp.tui.lanes import explained, lanes
from quizapp.tui.page import Page
from quizapp.tui.signs import points, sign, signed, style, word
from quizapp.tui.table import rows
from quizapp.tui.terms import terms_in
from quizapp.tui.weights import as_wanted, rank_bars, weight_bars

WIDEST = 140
"""Columns beyond which lines are no longer read at a glance."""
SMALLEST = "smallest"
"""The name of a scenario that was made to be small, and isn't among the scenarios of the lab."""
MOST_WORDS = 6
"""Failing scenarios told in a sentence each; the table has them all."""


def counts(scenario: ScenarioVerdict) -> str:
    """Valid tokens of each rank, ``2 | 4``; of each microbatch and step where there are several, ``2+1 then 1 | 4+0 then 2``; or
    what the lab says."""
    return scenario.size or scenario.counted


def size(scenario: ScenarioVerdict) -> str:
    """The same as a part of a sentence."""
    return scenario.size or f"valid tokens {counts(scenario)}"


def spoken_of(verdict: Verdict) -> ScenarioVerdict | None:
    """The scenario that the verdict's first sentence tells of, where it names one."""
    said = ((one, f"With {one.called}: {one.message}") for one in verdict.scenarios if one.message)
    return next((one for one, text in said if text in verdict.summary), None)


def situation(scenario: ScenarioVerdict) -> str:
    """What a scenario is called above what is shown of it."""
    name = "the smallest failing case" if scenario.name == SMALLEST else scenario.name
    return f"{name}, {scenario.world_size} ranks, {size(scenario)}"


def error_text(error: float) -> str:
    """An error relative to what is wanted, as people write it; one of rounding by its size."""
    return f"{error:.0f}" if error >= 100 else f"{error:.2g}" if error >= 1e-4 or not error else f"{error:.1e}"


def scenario_table(scenarios: tuple[ScenarioVerdict, ...]) -> Content:
    """One row per scenario and world size."""
    body = []
    for scenario in scenarios:
        look = style(scenario.outcome)
        error = "" if scenario.max_relative_error is None else error_text(scenario.max_relative_error)
        body.append(
            [
                (f"{sign(scenario.outcome)} {word(scenario.outcome)}", look),
                (scenario.name, ""),
                (str(scenario.world_size), ""),
                (error, ""),
                (counts(scenario), ""),
            ]
        )
    what = "size" if any(scenario.size for scenario in scenarios) else "valid tokens of each rank"
    listed = [counts(scenario) for scenario in scenarios if scenario.counted in counts(scenario)]
    if any("+" in text for text in listed):
        what += ", + between microbatches" + (", then between steps" if any(" then " in text for text in listed) else "")
    return rows(("outcome", "scenario", "ranks", "relative error", what), body)


def rank_lines(ranks: tuple[RankReport, ...], source: str, columns: int) -> Content:
    """Where each rank stood: its state and last collective, the learner's own line cut to ``columns``, what it said."""
    lines = source.splitlines()
    parts: list[tuple[str, str]] = []
    for rank in ranks:
        parts.append((f"rank {rank.rank}: {rank.state}", "bold"))
        parts.append((f", last collective: {rank.collective or 'none'}\n", ""))
        if rank.place is not None:
            text = lines[rank.place.line - 1].strip() if 0 < rank.place.line <= len(lines) else ""
            where = f"  line {rank.place.line}: {text}"
            parts.append(((where if len(where) <= columns else where[: columns - 1] + "…") + "\n", ""))
        if rank.message:
            parts.append((indent(rank.message, "  ") + "\n", ""))  # no line of it stands where ours do
    return Content.assemble(*parts).rstrip()


def shut_in(verdict: Verdict) -> str:
    """What kept the code in."""
    return {"container": "in a container", "bubblewrap": "in bubblewrap", "none": "no sandbox"}[verdict.sandbox]


def uneven(scenario: ScenarioVerdict) -> bool:
    """Whether its valid tokens are off by different factors, so that its weights alone show what is wrong."""
    return len(factors(scenario)) > 1


def factors(scenario: ScenarioVerdict) -> set[float]:
    """By what its valid tokens are off."""
    return {round(w.given / w.wanted, 6) for w in scenario.weights if w.wanted and w.given is not None}


def weighed(verdict: Verdict) -> ScenarioVerdict | None:
    """The scenario whose weights say most: the smallest failing one where its tokens are off by different factors, or by the same
    one as in the scenario that the first sentence tells of; else that scenario, else another one with different factors, a model
    behind it and few tokens; else the smallest that has weights."""
    spoken, least = spoken_of(verdict), verdict.counterexample
    if least is not None and least.weights and spoken is not None and spoken.weights and not uneven(least):
        return least if factors(least) == factors(spoken) else spoken
    failing = [s for s in (verdict.counterexample, *verdict.scenarios) if s is not None and s.outcome != "pass" and s.weights]

    def order(one: ScenarioVerdict) -> tuple[bool, bool, bool, bool, int, int]:
        valid = sum(map(sum, one.counts))
        smallest = one == verdict.counterexample
        return not uneven(one), not smallest, one.name == "probe", one.at_the_edge, one.world_size, valid

    return min(failing, key=order, default=None)


def parted(verdict: Verdict) -> ScenarioVerdict | None:
    """A scenario whose ranks ended with different weights, where the verdict's first sentence tells of such a one: a small one in
    which every rank has some tokens, else the smallest."""
    spoken = spoken_of(verdict)
    if spoken is None or spoken.weights or not any(one.weights_by_rank for one in verdict.scenarios):
        return None
    found = [one for one in (verdict.counterexample, *verdict.scenarios) if one is not None and one.weights_by_rank]
    return min(found, key=lambda one: (one.at_the_edge, one.world_size, sum(map(sum, one.counts))))


def rank_section(scenario: ScenarioVerdict, columns: int) -> Content:
    """Each rank's own weights as bars, and what they make of losses in plain numbers on a rank where that differs."""
    text = rank_bars(scenario.weights_by_rank, columns)
    for rank, weights in enumerate(scenario.weights_by_rank):
        if (numbers := in_numbers(weights, scenario.other_terms)) is not None:
            return text + Content(f"\n{numbers.replace('with these weights', f'with the weights on rank {rank}')}")
    return text


ONE_GRADIENT = "After the step every rank must hold the same gradient. Here they hold different ones:"


def listing_table(listing: Listing) -> Content:
    """A scenario's own numbers, a row for each of its valid positions."""
    columns = zip(*(row.values for row in listing.rows), strict=True)
    places = [0 if all(value.is_integer() for value in column) else 4 for column in columns]
    body = []
    for number, row in enumerate(listing.rows):
        values = [f"{value:.{digits}f}" for value, digits in zip(row.values, places, strict=True)]
        body.append([(text, "") for text in (str(number), str(row.rank), str(row.microbatch + 1), *values)])
    table = rows((listing.each, "rank", "microbatch", *listing.columns), body)
    return table + Content(f"\n{listing.note}") if listing.note else table


def weight_section(scenario: ScenarioVerdict, columns: int) -> Content:
    """Each token's weight as bars, and what they make of losses in plain numbers."""
    text = weight_bars(scenario.weights, columns)
    numbers = in_numbers(scenario.weights, scenario.other_terms)
    if numbers is None and scenario.message and as_wanted(scenario.weights):
        numbers = f"Every token has the weight that it should, but {scenario.message}."
    if scenario.other_terms:
        text += Content(f"\nThe objective also has {' and '.join(scenario.other_terms)}, not drawn here.")
    return text + Content(f"\n{numbers}") if numbers else text


def in_words(scenarios: tuple[ScenarioVerdict, ...]) -> list[str]:
    """What is said of the scenarios, each sentence once."""
    found: dict[str, list[ScenarioVerdict]] = {}
    for scenario in scenarios:
        if scenario.message:
            found.setdefault(scenario.message, []).append(scenario)
    where = {
        message: f"{s[0].name}, {s[0].world_size} ranks" if len(s) == 1 else f"{len(s)} scenarios" for message, s in found.items()
    }
    return [f"{where[message]}: {message}" for message in found]


NOTATION = {
    "R": "R ranks",
    "N": "N {unit} on all ranks",
    "n_r": "n_r {unit} on rank r",
    "n_0": "n_0 {unit} on rank 0",
    "L_r": "L_r the loss sum of rank r",
    "K": "K microbatches in a step",
    "n_k": "n_k {unit} in microbatch k",
    "L_k": "L_k the loss sum of microbatch k",
    "window": "a window: the microbatches of one optimizer step",
}
"""What the signs stand for that causes and hints are written with; ``{unit}``: what the lab counts."""


def notation(text: str, unit: str) -> str:
    """What the signs in a text stand for; empty where it has none."""
    found = {sign.rstrip("s") for sign in re.findall(r"(?<![\w.])(?:[RNK]|[nL]_[rk]|n_0|windows?)(?!\w|\.\w)", text)}
    return ", ".join(said.format(unit=unit) for sign, said in NOTATION.items() if sign in found)


def _told(verdict: Verdict, registry: Mapping[str, Misconception], hints: Mapping[str, str]) -> str:
    """All sentences of a verdict."""
    causes = [(registry.get(found.id), hints.get(found.id, "")) for found in verdict.diagnosis]
    known = [f"{cause.computes} {cause.why} {hint or cause.cure}" if cause else hint for cause, hint in causes]
    smallest = verdict.counterexample.message if verdict.counterexample else None
    weights = "weights of the objective" if weighed(verdict) or parted(verdict) else ""
    return " ".join(filter(None, (verdict.summary, smallest, weights, *known)))


def sections(
    verdict: Verdict, source: str, registry: Mapping[str, Misconception], hints: Mapping[str, str], columns: int
) -> Iterator[tuple[str, Content]]:
    """Caption and text of each part of the screen, most telling first."""
    head = Content.assemble(signed(verdict.outcome), (f" · {points(verdict.points, verdict.max_points)}", "bold"))
    yield "", head + Content("\n") + inline(verdict.summary)
    apart = parted(verdict)
    if apart is not None:
        yield f"Weights on each rank: {situation(apart)}", Content(f"{ONE_GRADIENT}\n") + rank_section(apart, columns)
    shown = weighed(verdict) if apart is None else apart
    if shown is not None and shown != apart:
        yield f"Weights: {situation(shown)}", weight_section(shown, columns)
    side_by_side = lanes(verdict.ranks, columns) if verdict.ranks else None
    if side_by_side is not None:
        notes = Content.assemble(("\n" + explained(verdict.ranks, source), "$foreground-muted"))
        spoken = spoken_of(verdict)
        where = "" if spoken is None else f": {situation(spoken)}"
        yield f"Collectives, rank by rank{where}", side_by_side + notes
    for diagnosis in verdict.diagnosis:
        known = registry.get(diagnosis.id)
        lines = [inline(diagnosis.title, "bold"), inline(f"{diagnosis.evidence[:1].upper()}{diagnosis.evidence[1:]}.")]
        told = [("It computes", known.computes), ("Why people do it", known.why)] if known else []
        if diagnosis.id in hints:  # what to write instead is the learner's to find, with it
            told.append(("Hint", hints[diagnosis.id]))
        elif known:
            told.append(("Instead", known.cure))
        lines += [Content.assemble((f"{name}: ", "$foreground-muted"), inline(text)) for name, text in told]
        unit = next((scenario.unit for scenario in verdict.scenarios), "valid tokens")
        if signs := notation(" ".join(text for _, text in told), unit):
            lines.append(Content(f"({signs})"))
        yield "Cause", Content("\n").join(lines)
    smallest = verdict.counterexample
    if smallest is not None and smallest != shown:
        if smallest.weights_by_rank:
            body = rank_section(smallest, columns)
        elif smallest.weights:
            body = weight_section(smallest, columns)
        else:
            what = f"{smallest.message[0].upper()}{smallest.message[1:]}." if smallest.message else ""
            body = Content(what) if what else scenario_table((smallest,))
            if smallest.listing is not None:
                body += Content("\n") + listing_table(smallest.listing)
        yield f"Smallest failing case: {smallest.world_size} ranks, {size(smallest)}", body
    if any(rank.state != "not run" for rank in verdict.ranks):
        yield "Ranks", rank_lines(verdict.ranks, source, columns)
    if verdict.outcome != "pass" and (terms := terms_in(_told(verdict, registry, hints))):
        width = max(len(word) for word, _ in terms) + 2
        meanings = [f"\n{' ' * width}".join(wrap(means, columns - width)) for _, means in terms]
        lines = [Content.assemble((f"{word:{width}}", "bold"), text) for (word, _), text in zip(terms, meanings, strict=True)]
        yield "What the words mean", Content("\n").join(lines)
    if verdict.scenarios:
        yield "Scenarios", scenario_table(verdict.scenarios)
    if said := in_words(verdict.scenarios):
        more = [f"… and {len(said) - MOST_WORDS} more"] if len(said) > MOST_WORDS else []
        yield "In words", Content("\n".join(said[:MOST_WORDS] + more))
    if verdict.output:
        yield "Printed while your code ran", Content(verdict.output.rstrip())
    if any(rank.state == "not run" for rank in verdict.ranks):
        yield "Not run", Content("The file was only read; no rank began.")
        return
    where = f"{verdict.backend}, {shut_in(verdict)} · {verdict.device} · {verdict.collectives}"
    yield "Ran on", Content(f"{where} · seed {verdict.seed} · {verdict.milliseconds:.0f} ms")


class VerdictScreen(Page):
    """Esc or Enter goes back to the editor."""

    CSS_PATH = "verdict.tcss"
    ABOUT = """
**The verdict.** Every objective is a weighted sum of token losses, so the judge shows the weight that each token *should* have
and the one that your code *gave* it. `wanted` above `given`: the same length is right. `Esc` or `Enter` goes back to your code.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back to the code", key_display="Esc"),
        Binding("enter", "back", "Back", show=False),
        Binding("n", "next", "Next question"),
    ]

    def __init__(
        self, verdict: Verdict, source: str, registry: Mapping[str, Misconception], hints: Mapping[str, str], title: str
    ) -> None:
        super().__init__()
        self.verdict, self._source, self._registry, self._hints, self._title = verdict, source, registry, hints, title

    def heading(self) -> tuple[str, str]:
        return f"{self._title} · verdict", points(self.verdict.points, self.verdict.max_points)

    def body(self) -> ComposeResult:
        columns = min(self.app.size.width, WIDEST) - 6
        with VerticalScroll(id="verdict"):
            for caption, text in sections(self.verdict, self._source, self._registry, self._hints, columns):
                if caption:
                    yield Static(caption, classes="caption", markup=False)
                yield Static(text, classes="section")

    def on_mount(self) -> None:
        self.query_one("#verdict").focus()

    def action_back(self) -> None:
        self.app.pop_screen()

    async def action_next(self) -> None:
        from quizapp.tui.study_page import StudyPage

        await self.app.pop_screen()
        if isinstance(self.app.screen, StudyPage):
            self.app.screen.action_step(1)
