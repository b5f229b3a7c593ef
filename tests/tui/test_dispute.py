"""*I did say that*: a learner contests an unmet criterion, and the words that decided are marked in the answer."""

from pathlib import Path

from quizapp.model.rubric import Rubric
from quizapp.model.score import CriterionScore, score_of
from quizapp.scoring.score import score_text
from quizapp.tui.dispute import sentences
from quizapp.tui.result import answered, criteria, headline


def criterion(id: str, met: str, evidence: tuple[tuple[int, int], ...] = ()) -> CriterionScore:
    points = 2 if met == "met" else 0
    return CriterionScore.model_validate(
        {"id": id, "points": points, "max_points": 2, "met": met, "evidence": evidence, "reason": "So it is."}
    )


def test_sentences_are_spans_of_the_answer() -> None:
    answer = "  Clip once. Then step;\nno more! "
    assert [answer[start:end] for start, end in sentences(answer)] == ["Clip once.", "Then step;", "no more!"]


def test_a_range_is_shown_while_something_is_unsure() -> None:
    unsure = score_of((criterion("a", "met"), criterion("b", "unsure"), criterion("c", "unmet")))
    assert (unsure.points, unsure.most) == (2, 4)
    assert "2 to 4 of 6 points" in headline(unsure).plain
    assert "2 of 4 points" in headline(score_of((criterion("a", "met"), criterion("c", "unmet")))).plain


def test_the_deciding_words_are_marked() -> None:
    score = score_of((criterion("a", "met", ((0, 4),)), criterion("b", "unmet", ((5, 9),))))
    content = answered("Clip once", score)
    assert content.plain == "Clip once"
    assert {(span.start, span.end) for span in content.spans} == {(0, 4), (5, 9)}


def test_what_is_asked_for_is_said_once() -> None:
    asked = {
        "id": "one",
        "points": 1,
        "description": "Says that the\ncounts differ.\n",
        "accept": ["the token counts of the ranks differ"],
    }
    rubric = Rubric.model_validate({"criteria": [asked]})
    for answer in ("It rains in Spain.", "The token counts of the ranks are not different."):
        (line,) = criteria(score_text(rubric, "Why?", answer, {}), rubric, {})
        assert str(line.content).count("counts differ") == 1
        assert "missed 0/1  Missing" not in str(line.content)


def test_the_style_sheet_is_there() -> None:
    import quizapp.tui.dispute as module

    assert Path(module.__file__).with_name("dispute.tcss").is_file()
