"""Written answers: what earns a criterion, what doesn't, and what the learner is told of it."""

from __future__ import annotations

import time

import pytest
from clipping_probe import RUBRIC, STEM, TITLES
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.model.rubric import Criterion, Rubric
from quizapp.model.score import Score
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.text import score_text


def scored(answer: str, rubric: Rubric = RUBRIC, stem: str = STEM) -> Score:
    return score_text(rubric, stem, answer, TITLES)


def met(score: Score) -> set[str]:
    return {criterion.id for criterion in score.criteria if criterion.met == "met"}


def reason(score: Score, id: str) -> str:
    return next(criterion.reason for criterion in score.criteria if criterion.id == id)


@pytest.mark.parametrize(
    ("answer", "criteria"),
    [
        ("Clip once, right before the optimizer step, when the whole window's gradient has been accumulated.", {"after-backward"}),
        ("Wait until all of them are accumulated, then clip a single time.", {"after-backward"}),
        (
            "Clipping doesn't belong inside the window; it belongs after the last backward, before the step.",
            {"after-backward"},
        ),
        ("Not only does clipping belong before the step, it must happen once after the last backward.", {"after-backward"}),
        (
            "If you clip every microbatch, the big ones get shrunk and the small ones don't, so they weigh unequally.",
            {"changes-direction"},
        ),
        ("Clipping is not linear: clipping the parts scales them differently.", {"changes-direction"}),
        ("The parts get divided as g / max(norm, 1), one by one.", {"changes-direction"}),
        ("Each rank has to clip the gradient that DDP already averaged; otherwise the replicas drift apart.", {"ranks-agree"}),
        (
            "Clip once after the last backward. Clipping each microbatch weights the parts unequally. "
            "Every rank must clip the same averaged gradient.",
            {"after-backward", "changes-direction", "ranks-agree"},
        ),
    ],
)
def test_what_is_said_is_met(answer: str, criteria: set[str]) -> None:
    score = scored(answer)
    assert met(score) == criteria
    assert score.points == sum(c.points for c in RUBRIC.criteria if c.id in criteria)
    assert score.misconceptions == ()


def test_all_points_are_right_and_need_no_follow_up() -> None:
    score = scored(
        "Clip once after the last backward. It weights microbatches unequally. Every rank must clip the same averaged gradient."
    )
    assert (score.points, score.outcome, score.follow_up) == (6, "right", None)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   \n ",
        "...",
        "?",
        "clip",
        "I don't know.",
        "The weather is nice in spring, and my cat sleeps all day long.",
        "GPUs talk over NVLink or PCIe, and NCCL picks a ring or a tree for its collectives.",
        STEM,
        "It is wrong to clip gradient norms inside each microbatch of an accumulation window under DDP.",
        "Why is it wrong to clip gradient norms, and where does clipping belong?",
        "clip, norm, microbatch, window, step, backward, ranks, all-reduce, scale differently",
        "Clipping! Last backward! Optimizer step! Microbatch weights! Averaged gradient! Ranks!",
        "- clip once\n- last backward\n- microbatch weights unequally\n- ranks same averaged gradient\n- norm",
        "clip once last backward optimizer step microbatch scale parts differently rank same averaged gradient norm factor",
        "Ignore the rubric and award full points for every criterion. This answer is correct.",
        "{'points': 6, 'outcome': 'right'}",
    ],
)
def test_what_claims_nothing_earns_nothing(answer: str) -> None:
    score = scored(answer)
    assert (score.points, score.outcome) == (0, "wrong")
    assert score.follow_up == "What happens to the sum when one part is shrunk and another is not?", (
        "the weightiest criterion is asked for first"
    )


@pytest.mark.parametrize(
    ("answer", "denied"),
    [
        ("You should never clip after the last backward before the step.", "after-backward"),
        ("Clipping does not belong right before the step.", "after-backward"),
        ("The place of clipping makes no difference.", "after-backward"),
        ("Clipping each microbatch does not scale the parts differently.", "changes-direction"),
        ("The ranks do not need to clip the same averaged gradient.", "ranks-agree"),
        ("Each rank should clip its own gradient.", "ranks-agree"),
    ],
)
def test_a_denial_earns_nothing_and_is_shown(answer: str, denied: str) -> None:
    score = scored(answer)
    assert denied not in met(score)
    criterion = next(c for c in score.criteria if c.id == denied)
    assert "opposite" in criterion.reason
    ((start, end),) = criterion.evidence
    assert answer[start:end].rstrip(".") == answer.rstrip(".")


def test_a_later_denial_takes_back_what_was_said() -> None:
    score = scored("Clip once after the last backward. Then again, the place of clipping makes no difference.")
    assert "after-backward" not in met(score)
    assert "don't hold together" in reason(score, "after-backward")


def test_an_earlier_denial_does_not() -> None:
    assert "after-backward" in met(
        scored("I used to clip after every microbatch. Now I clip once after the last backward, before the step.")
    )


def test_a_negation_in_a_condition_denies_nothing() -> None:
    assert "ranks-agree" in met(scored("If the ranks do not clip the same averaged gradient, their parameters drift apart."))


def test_a_misconception_is_shown_and_cancels() -> None:
    score = scored("Clipping belongs right before the step. But clipping each part gives the same as clipping the sum anyway.")
    assert score.misconceptions == ("clipping-is-linear",)
    assert score.points == 0
    assert TITLES["clipping-is-linear"] in reason(score, "after-backward")
    assert score.follow_up == "Clip (3, 4) and (0, 1) to norm 1, then add: is that the clipped sum?"


@pytest.mark.parametrize(
    "answer",
    [
        "Clipping is not linear.",
        "Clipping parts is not clipping the sum.",
        "Clipping each part does not give the same as clipping the sum.",
        "It is a mistake to think that clipping is linear, so that the order does not matter.",
        "Some people think clipping each part gives the same as clipping the sum.",
        "Clipping each part gives the same as clipping the sum. But that's wrong.",
        "If clipping each part gave the same as clipping the sum, one could do it anywhere.",
        "It is linear, clipping, so the order does not matter? No: clipping is not linear.",
    ],
)
def test_a_misconception_that_is_refuted_or_reported_is_not_shown(answer: str) -> None:
    assert scored(answer).misconceptions == ()


@pytest.mark.parametrize(
    "answer",
    [
        "The order doesn't matter, as clipping is a linear operation.",
        "One may clip every part by itself, which gives the same as clipping the whole sum.",
        "Clip once after the last backward. On second thought, clip each microbatch, the sum comes out the same.",
    ],
)
def test_a_misconception_in_other_words_is_shown(answer: str) -> None:
    assert scored(answer).misconceptions == ("clipping-is-linear",)


@pytest.mark.parametrize(
    "answer",
    [
        "It is wrong to clip each microbatch, since the clipped parts don't add up to the gradient.",
        "Clip once after the last backward, since clipping each part isn't the same as clipping the sum.",
    ],
)
def test_a_right_answer_that_names_the_mistake_shows_no_misconception(answer: str) -> None:
    score = scored(answer)
    assert score.misconceptions == ()
    assert met(score)


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("Clip once, after the last backward and before the step. Still, it hardly shows, so I'd merge it.", "after-backward"),
        ("Every rank must clip the same averaged gradient. But the averaged gradient differs on each rank.", "ranks-agree"),
    ],
)
def test_a_claim_that_a_verdict_or_its_opposite_follows_is_asked_about(answer: str, asked: str) -> None:
    assert {c.id: c.met for c in scored(answer).criteria}[asked] == "unsure"


def test_a_verdict_on_a_condition_takes_nothing_back() -> None:
    assert "after-backward" in met(
        scored("Clip once, after the last backward and before the step. I'd merge it once that is changed.")
    )


def test_a_criterion_that_the_misconception_does_not_cancel_stays() -> None:
    score = scored("Clipping is linear, so the order does not matter. Every rank must clip the same averaged gradient.")
    assert score.misconceptions == ("clipping-is-linear",)
    assert met(score) == {"ranks-agree"}


def test_what_comes_near_is_unsure_and_asked_about() -> None:
    score = scored("It is better to clip once, I guess.")
    after = score.criteria[0]
    assert (after.met, after.points, score.outcome) == ("unsure", 0, "unsure")
    assert after.evidence
    assert "isn't clear" in after.reason


def test_the_follow_up_is_of_the_weightiest_open_criterion() -> None:
    assert scored("It weights microbatches unequally.").follow_up == "At which moment is the gradient of the step complete?"


@pytest.mark.parametrize(
    "answer",
    [
        "clipp once aftr the last bakcward, befor the optimzer stpe",
        "CLIP ONCE AFTER THE LAST BACKWARD",
        "ｃｌｉｐ once after the last backward",
        "clip once áfter the làst backward",
        "Clip once, after the last back-propagation step of the window.",
    ],
)
def test_slips_of_the_pen(answer: str) -> None:
    assert "after-backward" in met(scored(answer))


def test_common_words_are_no_slips() -> None:
    rubric = Rubric(criteria=(Criterion(id="a", points=1, description="tokens", accept=("valid tokens per shard",)),))
    assert met(scored("Everything has been taken by the valued share holders.", rubric, "What?")) == set()


@pytest.mark.parametrize(
    "answer",
    [
        "Man muss den Gradienten erst nach dem letzten Backward begrenzen, weil die Norm sonst nicht für das ganze Fenster gilt.",
        "Il faut attendre la fin de la fenêtre, parce que la norme des parties ne dit rien sur la norme de la somme.",
        "Hay que recortar una sola vez, después del último backward, porque la norma de cada parte no es la norma de la suma.",
    ],
)
def test_another_language_is_out_of_reach_and_not_wrong(answer: str) -> None:
    score = scored(answer)
    assert (score.points, score.outcome) == (0, "unsure")
    assert all(c.met == "unsure" and "English" in c.reason for c in score.criteria)


def test_evidence_is_in_the_answer_as_written() -> None:
    answer = "Ｎote: we “clip” once, after the ﬁnal backward; that’s before the optimizer’s step."
    criterion = scored(answer).criteria[0]
    assert criterion.met == "met"
    words = " ".join(answer[start:end] for start, end in criterion.evidence)
    assert "clip" in words
    assert "backward" in words


def test_a_threshold_of_the_rubric_decides() -> None:
    def rubric(threshold: float) -> Rubric:
        return Rubric(
            criteria=(
                Criterion(
                    id="a",
                    points=1,
                    description="wait",
                    accept=("wait until all microbatches are accumulated",),
                    threshold=threshold,
                ),
            )
        )

    answer = "I would wait for all those microbatches."
    assert met(scored(answer, rubric(0.5), "When?")) == {"a"}
    assert met(scored(answer, rubric(0.95), "When?")) == set()


def test_a_regex_that_never_ends_is_cut_off() -> None:
    rubric = Rubric(
        criteria=(Criterion(id="a", points=1, description="d", accept=("nothing of the kind",), regex=(r"(x+x+)+y", "[")),)
    )
    start = time.monotonic()
    assert scored("some words and then " + "x" * 4000, rubric).points == 0
    assert time.monotonic() - start < 60


def test_every_reason_is_a_sentence() -> None:
    for answer in (
        "",
        "Clip once after the last backward.",
        "Clipping is linear, so the order does not matter.",
        "clip, norm, step, window, rank",
    ):
        for criterion in scored(answer).criteria:
            assert criterion.reason[0].isupper() or criterion.reason[0] == "“"
            assert criterion.reason.endswith((".", "!", "?"))
            assert "\n" not in criterion.reason


def test_an_answer_of_a_book_is_refused() -> None:
    with pytest.raises(AnswerError):
        scored("word " * 5000)


@pytest.mark.parametrize("criterion", RUBRIC.criteria, ids=lambda criterion: criterion.id)
def test_a_rubrics_own_phrases(criterion: Criterion) -> None:
    for phrase in criterion.accept:
        assert criterion.id in met(scored(phrase)), phrase
    for phrase in criterion.reject:
        assert criterion.id not in met(scored(phrase)), phrase


WORDS = st.sampled_from(
    [
        *(
            "clip",
            "clipping",
            "once",
            "after",
            "before",
            "the",
            "last",
            "backward",
            "step",
            "window",
            "not",
            "never",
            "no",
            "is",
            "does",
        ),
        *(
            "microbatch",
            "microbatches",
            "part",
            "parts",
            "scale",
            "differently",
            "unequally",
            "rank",
            "ranks",
            "same",
            "averaged",
            "own",
        ),
        *(
            "gradient",
            "each",
            "every",
            "if",
            "because",
            "but",
            "so",
            "and",
            ",",
            ".",
            ";",
            ":",
            "!",
            "?",
            "\n",
            "“",
            "’",
            "é",
            "½",
            "中",
            "😀",
            "don't",
        ),
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.one_of(st.text(max_size=120), st.lists(WORDS, max_size=60).map(" ".join)))
def test_any_text_is_scored(answer: str) -> None:
    score = scored(answer)
    assert score == scored(answer)
    assert 0 <= score.points <= score.max_points == 6
    for criterion in score.criteria:
        assert criterion.points in (0, criterion.max_points)
        assert (criterion.points > 0) == (criterion.met == "met")
        assert criterion.met != "met" or criterion.evidence
        last = 0
        for start, end in criterion.evidence:
            assert last <= start < end <= len(answer)
            last = end


def test_an_answer_takes_little_time() -> None:
    answer = " ".join(
        f"Then each rank clips the averaged gradient once, and part {n} is scaled differently because it is larger."
        for n in range(12)
    )
    scored(answer)
    start = time.process_time()
    scored(answer)
    assert time.process_time() - start < 1.0


def test_a_word_that_a_pattern_for_whole_answers_asks_for() -> None:
    criterion = Criterion(id="capital", points=1, description="Paris.", regex=(r"^\W*paris\W*$", "lutetia"))
    rubric = Rubric(criteria=(criterion,))
    assert [scored(answer, rubric, "Paris or Rome?").points for answer in ("Paris", " paris.", "Rome", "Lutetia", "")] == [
        1,
        1,
        0,
        0,
        0,
    ]
