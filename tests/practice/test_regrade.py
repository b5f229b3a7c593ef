"""People's words over automatic scores, and scores that a later scorer changes: nothing stored is ever lost or altered."""

from __future__ import annotations

import ast
import sqlite3
import subprocess
import sys
import time

import pytest

from quizapp.bank.load import Library
from quizapp.model.question import TextPart
from quizapp.model.score import CriterionScore, Score, score_of
from quizapp.practice.asked import ask, grade, scorer, titles
from quizapp.practice.interview import Interview
from quizapp.practice.interview_plan import Setup
from quizapp.practice.regrade import MANY, PORTION, changes, keep
from quizapp.practice.standing import Opinions, as_they_stand, queue
from quizapp.scoring.answer import AnswerError
from quizapp.store.opinion import dispute, regrade, rule
from quizapp.store.record import Answer, Attempt
from quizapp.store.store import Store


def written(library: Library) -> tuple[str, str, str]:
    """Some item with a written part: item, part, an accept phrase of its first criterion."""
    for loaded in library.items.values():
        for part in loaded.item.parts:
            if isinstance(part, TextPart) and part.rubric.criteria[0].accept:
                return loaded.item.id, part.id, part.rubric.criteria[0].accept[0]
    raise AssertionError("no written part in the bank of the tests")


def stored(
    store: Store, library: Library, text: str, *, score: Score | None = None, by: str = "quizapp 0.0.1 lexical old"
) -> Attempt:
    item, part, _ = written(library)
    loaded = library.items[item]
    score = score or grade(ask(loaded, part, None), text, titles(library))
    return store.add(Answer(None, loaded.bank_id, item, part, None, text, loaded.hash, by, score=score))


def zero(score: Score) -> Score:
    return score_of(tuple(c.model_copy(update={"points": 0, "met": "unmet"}) for c in score.criteria))


def test_a_changed_score_is_listed_and_kept_beside_the_old_one(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    right = stored(store, library, phrase)
    score = right.score()
    assert score is not None
    assert score.points > 0
    wrong = stored(store, library, phrase, score=zero(score))
    found = changes(library, store.attempts(), Opinions.of(store))
    assert (found.looked_at, found.current, found.gone) == (2, 0, 0)
    (change,) = found.changes
    assert (change.attempt.id, change.before.points, change.after.points) == (wrong.id, 0, score.points)
    assert change.criteria
    assert not Opinions.of(store).regrades, "nothing is stored by looking"

    keep(store, found)
    assert store.attempts()[1].points == 0, "attempts never change"
    opinions = Opinions.of(store)
    automatic = opinions.automatic(wrong)
    assert automatic is not None
    assert automatic.points == score.points
    assert changes(library, store.attempts(), opinions).changes == ()


def test_what_the_present_scorer_gave_is_not_scored_again(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    stored(store, library, phrase, by=scorer())
    found = changes(library, store.attempts(), Opinions.of(store))
    assert (found.looked_at, found.current) == (1, 1)


def test_what_comes_out_alike_is_scored_again_only_by_another_scorer(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    attempt = stored(store, library, phrase)
    score = attempt.score()
    assert score is not None
    found = changes(library, store.attempts(), Opinions.of(store))
    assert (found.current, found.changes, [entry.id for entry, _ in found.settled]) == (0, (), [attempt.id])
    assert changes(library, store.attempts(), Opinions.of(store)).settled, "nothing is stored by looking"

    keep(store, found)
    opinions = Opinions.of(store)
    assert opinions.automatic(attempt) == score
    assert changes(library, store.attempts(), opinions).current == 1
    assert as_they_stand(store)[0] == store.marks()

    loaded = library.items[attempt.item]
    regrade(store, [(attempt.id, loaded.hash, "a later one", zero(score)), (attempt.id, loaded.hash, "the last one", None)])
    opinions = Opinions.of(store)
    assert opinions.graded_by(attempt) == (loaded.hash, "the last one")
    assert opinions.automatic(attempt) == zero(score)
    (change,) = changes(library, store.attempts(), opinions).changes
    assert change.after == score


def test_what_is_gone_keeps_its_score(store: Store, library: Library) -> None:
    attempt = stored(store, library, "anything at all")
    store.add(Answer(None, "gone", "no-such-item", "main", None, "text", "hash", "old", score=attempt.score()))
    assert changes(library, store.attempts(), Opinions.of(store)).gone == 1


def test_an_interview_leaves_nothing_that_can_not_be_scored(
    store: Store, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its opening nor its walk-throughs and confirmations are answers to items, and a pass holds nothing to score."""
    monkeypatch.setattr("quizapp.practice.interview.scorer", lambda: "quizapp 0.0.1 lexical old")
    kinds = set()
    for seed in range(3):
        interview = Interview.start(store, library, Setup(bank=library.banks[0].bank.id, minutes=35, lab=False, seed=seed))
        while (question := interview.question) is not None:
            kinds.add(question.kind)
            passed = len(interview.exchanges) % 3 == 2
            said = question.choices[0].letter if question.choices else "DDP picks the right denominator, so nothing needs checking."
            try:
                interview.answer("" if passed or not (question.heard or question.choices) else said)
            except AnswerError:
                interview.answer("")
    assert kinds >= {"opening", "walk"}
    found = changes(library, store.attempts(), Opinions.of(store))
    assert found.gone == 0
    assert 0 < found.looked_at < len(store.attempts())


def test_a_ruling_is_the_last_word_and_survives_a_regrade(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    fresh = stored(store, library, phrase)
    score = fresh.score()
    assert score is not None
    attempt = stored(store, library, phrase, score=zero(score))
    id = score.criteria[0].id
    rule(store, attempt.id, id, "met", "said in other words", "Ada")
    standing = Opinions.of(store).standing(attempt)
    assert standing is not None
    assert standing.criteria[0].points == score.criteria[0].max_points
    assert standing.criteria[0].reason == "Ada says: said in other words"
    rule(store, attempt.id, id, "unmet", "looked again", "Ada")
    keep(store, changes(library, store.attempts(), Opinions.of(store)))
    after = Opinions.of(store).standing(attempt)
    assert after is not None
    assert after.criteria[0].points == 0


def test_the_queue_holds_disputed_criteria_first_and_forgets_those_ruled_on(store: Store, library: Library) -> None:
    unsure = score_of((CriterionScore(id="a", points=0, max_points=2, met="unsure", reason="near"),))
    unmet = score_of((CriterionScore(id="a", points=0, max_points=2, met="unmet", reason="missing"),))
    first = stored(store, library, "it may be so", score=unsure)
    second = stored(store, library, "I did say so", score=unmet)
    dispute(store, second.id, "a", (2, 12))
    found = queue(store.attempts(), Opinions.of(store))
    assert [(entry.attempt.id, entry.dispute is not None) for entry in found] == [(second.id, True), (first.id, False)]
    assert found[0].dispute is not None
    assert second.text[slice(*found[0].dispute.span)] == "did say so"
    rule(store, second.id, "a", "met", "", "Ada")
    assert [entry.attempt.id for entry in queue(store.attempts(), Opinions.of(store))] == [first.id]


def test_opinions_are_only_ever_added(store: Store, library: Library) -> None:
    attempt = stored(store, library, "a few words")
    dispute(store, attempt.id, "a", (0, 3))
    rule(store, attempt.id, "a", "met", "", "Ada")
    for table in ("dispute", "ruling"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            store.connection.execute(f"UPDATE {table} SET at = ''")
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            store.connection.execute(f"DELETE FROM {table}")
    with pytest.raises(ValueError, match="span"):
        dispute(store, attempt.id, "a", (3, 3))


def test_many_answers_take_little_time(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    attempt = stored(store, library, phrase)
    many = [attempt] * 3000
    start = time.process_time()
    assert changes(library, many, Opinions.of(store)).looked_at == 3000
    assert time.process_time() - start < 5


ON_TWO_CORES = """
import sys
from pathlib import Path
from quizapp.bank.load import load
from quizapp.practice.regrade import changes
from quizapp.practice.standing import Opinions
from quizapp.store.store import Store

steps = []
with Store(Path(sys.argv[1])) as store:
    library, opinions = load([Path(sys.argv[2])]), Opinions.of(store)
    found = changes(library, store.attempts(), opinions, workers=2, told=lambda *step: steps.append(step))
print([(change.attempt.id, change.after.points) for change in found.changes])
print(steps)
"""


def test_many_different_answers_are_scored_on_several_cores_alike(store: Store, library: Library) -> None:
    _, _, phrase = written(library)
    score = stored(store, library, phrase).score()
    assert score is not None
    for number in range(PORTION * MANY):
        stored(store, library, f"{phrase if number % 3 else 'Nobody knows'}, as I said {number} times", score=zero(score))
    alone = changes(library, store.attempts(), Opinions.of(store), workers=1)
    done = subprocess.run(
        [sys.executable, "-c", ON_TWO_CORES, str(store.path), str(library.banks[0].file.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    given, steps = done.stdout.splitlines()
    assert ast.literal_eval(given) == [(change.attempt.id, change.after.points) for change in alone.changes]
    assert alone.changes
    of = PORTION * MANY + 1
    assert ast.literal_eval(steps) == [(min(at * PORTION, of), of) for at in range(1, MANY + 2)]
