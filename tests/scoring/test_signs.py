"""Signs, letters of formulas and abbreviations are read as words; a change of mind is asked about; words count by their parts."""

from __future__ import annotations

import pytest
from clipping_probe import RUBRIC, STEM, TITLES

from quizapp.scoring.clauses import split, window
from quizapp.scoring.lexical import ready
from quizapp.scoring.profile import alike, middle, parts
from quizapp.scoring.support import LexicalReader
from quizapp.scoring.text import score_text
from quizapp.scoring.tier import Lexical
from quizapp.scoring.wording import Wording, together
from quizapp.scoring.words import read_words


def met(answer: str) -> dict[str, str]:
    return {c.id: c.met for c in score_text(RUBRIC, STEM, answer, TITLES, Lexical()).criteria}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("S_r/n_r", ["s", "~rank", "~denominator", "~count", "~rank"]),
        ("loss / accumulation_steps", ["loss", "~denominator", "~accumulate", "step"]),
        ("R*L_r/N", ["~rank", "~multiply", "loss", "~rank", "~denominator", "~count"]),
        ("a mean != the mean", ["a", "~mean", "~differ", "the", "~mean"]),
        ("uneven -> hang", ["~differ", "then", "~hang"]),
        ("w/o ppl", ["without", "perplex"]),
        ("acc/loss and/or w/ TCP/IP", ["accuraci", "loss", "and", "or", "with", "tcp", "ip"]),
        ("plan R, option K", ["plan", "r", "option", "k"]),
        ("3/4 of it", ["3", "4", "of", "it"]),
        ("* one\n* two", ["one", "two"]),
    ],
)
def test_signs_and_short_forms_are_read_as_words(text: str, keys: list[str]) -> None:
    assert [word.key for word in read_words(text)] == keys


def test_a_sign_has_its_place_in_the_text() -> None:
    text = "Σ L_r / N ≠ mean"
    found = read_words(text)
    assert [word.text for word in found] == ["sum", "loss", "rank", "divided", "count", "differ", "mean"]
    assert [text[word.start : word.end].strip() for word in found] == ["Σ", "L", "r", "/", "N", "≠", "mean"]


def test_lines_of_code_are_no_list_of_terms() -> None:
    assert (
        met("norm = grads.norm()\nclip_grad_norm_(params, 1.0)  # once, after the last backward\noptimizer.step()")[
            "after-backward"
        ]
        == "met"
    )


@pytest.mark.parametrize(
    "turn",
    [
        "Hmm, no, thinking about it the parts can be clipped one by one.",
        "On second thought it can be done anywhere in the loop.",
        "But actually the place is free.",
        "Then again DDP does the clipping for you automatically.",
        "The loop of the question gives exactly that, so it can stay.",
    ],
)
def test_a_change_of_mind_after_a_claim_is_asked_about(turn: str) -> None:
    claim = "Clip once after the last backward, before the optimizer step."
    assert met(claim)["after-backward"] == "met"
    assert met(f"{claim} {turn}")["after-backward"] != "met"


def test_a_claim_after_the_change_of_mind_counts_where_nothing_was_right_before() -> None:
    answer = "The ranks could be slow. Wait, no: clip once after the last backward, before the optimizer step."
    assert met(answer)["after-backward"] == "met"


def test_waiting_is_no_change_of_mind() -> None:
    assert (
        met("Clip once after the last backward. Wait until all microbatches have been accumulated, then step.")["after-backward"]
        == "met"
    )


def test_after_and_before_speak_of_the_same_thing() -> None:
    from quizapp.scoring.order import order

    told = order(read_words("clipping comes after backward and before unscaling"))
    assert ("clip", "unscal") in told
    assert ("unscal", "clip") not in told


def test_words_count_by_their_parts_and_their_rarity() -> None:
    known = ready(RUBRIC, STEM)
    assert parts("mean") == ("^mea", "mean", "ean$")
    one, other, foreign = (Wording(read_words(text)) for text in ("accumulates", "accumulated", "ranks"))
    common = middle([one], known.rarity)
    alike_to = [alike(words, known.rarity, (common,))[common] for words in (one, other, foreign, Wording())]
    assert alike_to[0] == pytest.approx(1)
    assert 0.5 < alike_to[1] < 1
    assert alike_to[2:] == [0, 0]


def test_clauses_are_as_alike_one_by_one_as_together() -> None:
    known = ready(RUBRIC, STEM)
    clauses = [Wording(read_words(text)) for text in ("each rank accumulates", "then the ranks accumulated gradients")]
    one_by_one, at_once = (alike(words, known.rarity, known.profiles) for words in (together(clauses), Wording(together(clauses))))
    assert one_by_one == pytest.approx(at_once)
    assert any(at_once.values())


def test_the_nearest_criterion_is_the_one_that_is_spoken_of() -> None:
    known = ready(RUBRIC, STEM)
    text = "shrinking large microbatches and leaving small ones changes where their sum points"
    clauses = split(text, read_words(text))
    reader = LexicalReader(known)
    found = [reader.likeness(criterion, window(clauses, 0, len(clauses) - 1)) for criterion in known.criteria]
    assert max(found) == found[1] > 2 * max(found[0], found[2])
