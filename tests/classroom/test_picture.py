"""Pictures: well-formed, to scale, and never of two meanings by colour alone."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.bank.find import bank_folders
from quizapp.bank.load import load
from quizapp.classroom.asked import Work
from quizapp.classroom.feedback import markdown_page
from quizapp.classroom.picture import MOST_TOKENS, bars, histogram, item_map, weights_picture
from quizapp.classroom.result import Result
from quizapp.model.verdict import ScenarioVerdict, TokenWeight, Verdict

SVG = "{http://www.w3.org/2000/svg}"


def scenario(*pairs: tuple[float, float | None]) -> ScenarioVerdict:
    weights = tuple(
        TokenWeight(rank=index % 2, microbatch=0, token=index, valid=wanted != 0, wanted=wanted, given=got)
        for index, (wanted, got) in enumerate(pairs)
    )
    return ScenarioVerdict(name="<uneven>", world_size=2, counts=((1,), (1,)), outcome="wrong", weights=weights)


def drawn(text: str) -> dict[str, tuple[float, float]]:
    """Bars by their title: start and width."""
    root = ElementTree.fromstring(text)
    return {
        title.text or "": (float(rect.get("x", "")), float(rect.get("width", "")))
        for rect in root.iter(f"{SVG}rect")
        if (title := rect.find(f"{SVG}title")) is not None
    }


def test_bars_are_to_scale() -> None:
    text = weights_picture(scenario((0.5, 0.25), (0.0, 0.5)))
    found = drawn(text)
    wanted, given_ = found["rank 0 token 0: wanted 0.5"], found["rank 0 token 0: given 0.25"]
    assert wanted[0] == given_[0]
    assert wanted[1] == pytest.approx(2 * given_[1])
    assert found["rank 1 token 1, padding: wanted 0"][1] == 0
    assert found["rank 1 token 1, padding: given 0.5"][1] == wanted[1]
    assert "✗ 1/2 wanted, 1/4 given" in text
    assert "&lt;uneven&gt;" in text


def test_negative_weights_go_to_the_left() -> None:
    found = drawn(weights_picture(scenario((0.5, -0.5))))
    start, width = found["rank 0 token 0: given -0.5"]
    assert start + width == pytest.approx(found["rank 0 token 0: wanted 0.5"][0], abs=0.1)
    assert width > 100


def test_what_is_no_number_is_said_and_not_drawn() -> None:
    text = weights_picture(scenario((0.5, None)))
    assert "no number given" in text
    assert not any("given" in title for title in drawn(text))


def test_right_weights_have_a_tick_and_many_tokens_are_cut() -> None:
    text = weights_picture(scenario(*[(0.25 + index, 0.25 + index) for index in range(MOST_TOKENS + 3)]))
    assert text.count("✓") == MOST_TOKENS
    assert "✗" not in text
    assert "and 3 more" in text


def test_many_tokens_that_are_alike_take_one_row() -> None:
    text = weights_picture(scenario(*[(1 / 257, 1 / 256)] * 257))
    assert text.count("✗") == 2
    assert "rank 0: 129 tokens" in text
    assert "rank 1: 128 tokens" in text
    assert "more" not in text


def test_no_weights_no_picture() -> None:
    assert weights_picture(scenario()) == ""


number = st.floats(-1e6, 1e6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(number, st.none() | number), min_size=1, max_size=6))
def test_every_picture_lies_in_its_frame(pairs: list[tuple[float, float | None]]) -> None:
    text = weights_picture(scenario(*pairs))
    width = float(re.findall(r'viewBox="0 0 (\d+)', text)[0])
    for start, size in drawn(text).values():
        assert start >= 0
        assert start + size <= width


@given(st.text(max_size=20), st.floats(0, 1), st.floats(-1, 1))
def test_names_cannot_break_a_picture(name: str, share: float, up: float) -> None:
    clean = "".join(sign for sign in name if sign.isprintable())
    for text in (
        bars([(clean, share, clean, True)], clean),
        item_map([(clean, share, up)], clean),
        histogram([1, 0], [clean, clean], clean),
    ):
        ElementTree.fromstring(text)


def test_a_page_says_which_scenario_its_weights_are_of() -> None:
    loaded = load(bank_folders()).items["scale-local-loss"]
    (part,) = loaded.item.parts
    one, other = scenario((1.0, 0.5)), scenario((1.0, 0.5)).model_copy(update={"name": "smallest"})
    verdict = Verdict.model_construct(
        outcome="wrong", points=0, max_points=5, summary="Not so.", scenarios=(one,), counterexample=other, diagnosis=(), ranks=(),
        output="", seed=1, collectives="gloo", device="cpu",
    )  # fmt: skip
    result = Result.model_construct(
        student="bob", item="x", part=part.id, most=5, verdict=verdict, score=None, problem=None, note=None
    )
    page = markdown_page(Work(loaded, None, (), {}), "bob", [result])
    assert "The weight of each token: 2 ranks, smallest (valid tokens 1 \\| 1)" in page
    assert "beside those of the table above: the smallest that was found to fail" in page
    same = result.model_copy(update={"verdict": verdict.model_copy(update={"counterexample": None})})
    assert "beside those of the table" not in markdown_page(Work(loaded, None, (), {}), "bob", [same])
