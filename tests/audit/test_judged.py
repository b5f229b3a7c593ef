"""What weights mean: trainers played token by token are found out, named where only one idea explains them, and never misnamed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from played import Play, Token, Weigh, plan

from quizapp.audit.audit import judged
from quizapp.audit.fit import Fit
from quizapp.audit.ideas import IDEAS, fitting, has
from quizapp.audit.objective import ObjectiveError, objective
from quizapp.audit.observed import read
from quizapp.audit.plan import Plan, PlanError, default_counts
from quizapp.audit.recover import recover, terms_of
from quizapp.audit.run import CannotRun
from quizapp.audit.weighing import Weighing
from quizapp.bank.find import bank_folders
from quizapp.bank.load import load_registry
from quizapp.model.audit import Audit

REGISTRY = load_registry(bank_folders(()))
PLANS = [(2, 3, 1), (3, 2, 1), (1, 3, 1), (2, 1, 1), (2, 3, 2)]


def found(of: Plan, weigh: Weigh, wanted: str = "token-mean", **how: object) -> Audit:
    return judged(of, Play(of).results(weigh, **how), "python", objective(wanted), REGISTRY, 0)  # type: ignore[arg-type]


def of_window(weigh: Callable[[Play, Token], float]) -> Weigh:
    """A trainer whose step holds the valid tokens of its own window."""
    return lambda play, _, step, token: weigh(play, token) if token.valid and token.window == step else 0.0


token_mean = of_window(lambda play, t: 1 / play.count(window=t.window))
rank_means = of_window(lambda play, t: 1 / play.plan.ranks / play.count(window=t.window, rank=t.rank))
planned_means = of_window(
    lambda play, t: 1 / play.plan.ranks / play.plan.accumulate / play.count(window=t.window, rank=t.rank, microbatch=t.microbatch)
)
raw_sum = of_window(lambda play, t: 1.0)
averaged_again = of_window(lambda play, t: 1 / play.plan.ranks / play.count(window=t.window))
last_only = of_window(lambda play, t: (t.microbatch + 1 == play.length_of_window(t.window)) / play.count(window=t.window))


def not_reduced(play: Play, rank: int, step: int, token: Token) -> float:
    return (rank == token.rank) * rank_means(play, rank, step, token) * play.plan.ranks


def tail_not_reduced(play: Play, rank: int, step: int, token: Token) -> float:
    """Only the planned last microbatch synchronises."""
    short = play.length_of_window(token.window) < play.plan.accumulate
    return token_mean(play, rank, step, token) * (play.plan.ranks * (rank == token.rank) if short else 1)


def not_cleared(play: Play, rank: int, step: int, token: Token) -> float:
    return token_mean(play, rank, token.window, token) if token.window <= step else 0.0


def padding_too(play: Play, rank: int, step: int, token: Token) -> float:
    return (token.window == step) / sum(other.window == step for other in play.tokens)


@pytest.mark.parametrize("shape", PLANS)
def test_the_token_mean_is_right(shape: tuple[int, int, int]) -> None:
    report = found(plan(*shape), token_mean)
    assert (report.outcome, report.diagnosis, report.unit) == ("right", (), "token")
    assert {finding.kind for finding in report.findings} <= {"short-window"}
    for step in report.steps:
        (view,) = step.views
        assert step.factor == pytest.approx(1)
        assert view.residual is not None
        assert view.residual < 1e-10
        assert len(view.weights) == step.tokens
        assert all(w.given == pytest.approx(1 / step.tokens) for w in view.weights)


@pytest.mark.parametrize(
    ("weigh", "names"),
    [
        (rank_means, ["mean-of-rank-means"]),
        (planned_means, ["mean-of-microbatch-means", "planned-microbatches"]),
        (raw_sum, ["raw-sum"]),
        (averaged_again, ["forgot-world-size-factor"]),
        (last_only, ["only-last-microbatch"]),
        (not_reduced, ["gradients-not-reduced"]),
        (not_cleared, ["gradients-not-cleared"]),
        (tail_not_reduced, ["gradients-not-reduced"]),
        (padding_too, ["mask-forgotten"]),
    ],
    ids=[
        "rank means",
        "planned",
        "sum",
        "averaged again",
        "last only",
        "not reduced",
        "not cleared",
        "tail not reduced",
        "padding",
    ],
)
def test_a_wrong_trainer_is_named(weigh: Weigh, names: list[str]) -> None:
    report = found(plan(), weigh)
    assert report.outcome == "wrong"
    assert [named.id for named in report.diagnosis] == names
    assert all(named.cure for named in report.diagnosis)
    assert report.diagnosis[0].formula in report.summary


def test_what_no_idea_explains_has_no_name() -> None:
    report = found(plan(), of_window(lambda play, t: (1 + 0.1 * t.row) / play.count(window=t.window)))
    assert (report.outcome, report.diagnosis, report.candidates) == ("wrong", (), ())
    assert "cause unknown" in report.summary


def test_ideas_that_a_plan_cannot_tell_apart_give_no_name() -> None:
    even = plan(2, 2, counts=(3, 3, 3, 3, 3, 3, 3, 3))
    report = found(even, averaged_again)  # with K = R and full windows it could as well be divided by K
    assert report.diagnosis == ()
    assert {"forgot-world-size-factor", "divided-again-by-microbatches"} <= set(report.candidates)
    assert all(REGISTRY[name].title.strip('"') in report.summary for name in report.candidates)


@pytest.mark.parametrize("shape", PLANS[:3])
def test_no_idea_is_taken_for_another(shape: tuple[int, int, int]) -> None:
    """Gradients made of an idea's own weights fit that idea: if another fits too, there are two, and no name is given."""
    of = plan(*shape)
    play = Play(of)
    right = read(of, play.results(token_mean))
    terms = terms_of(right)
    for idea in (idea for idea in IDEAS if set(idea.needs) <= has(right)):
        weights = Weighing(right).weights(idea.rule, idea.zero)
        seen = _replaced(right, terms.total(weights))
        fit = Fit(seen, terms, recover(seen, terms), Weighing(seen), objective("token-mean").rule)
        if fit.unlike_wanted(weights):
            assert idea.ids in {other.ids for other in fitting(seen, fit)}, idea


def _replaced(seen: object, gradients: object) -> object:
    return replace(seen, gradients=gradients, norms=np.linalg.norm(gradients, axis=2))  # type: ignore[type-var, arg-type, call-overload]


def test_every_name_stands_in_the_registry() -> None:
    assert {name for idea in IDEAS for name in idea.ids} <= set(REGISTRY)


def kinds(report: Audit) -> set[str]:
    return {finding.kind for finding in report.findings if finding.fault}


def test_steps_that_all_have_fewer_microbatches_than_asked_for_are_no_short_windows() -> None:
    of = plan(2, 3)
    alone = replace(of, accumulate=1)
    report = judged(of, Play(alone).results(token_mean), "python", objective("token-mean"), REGISTRY, 0)
    (note,) = [finding.message for finding in report.findings if finding.kind == "short-window"]
    assert note == "Every step has 1 microbatch per rank, where 3 were asked for: does the trainer accumulate?"
    (usual,) = [finding.message for finding in found(of, token_mean).findings if finding.kind == "short-window"]
    assert usual == "Short windows: step 2 has 2 of 3 microbatches."


def test_counted_padding_leaks_and_parting_ranks_are_said() -> None:
    assert "padding-counts" in kinds(found(plan(), padding_too))
    assert "other-steps-tokens" in kinds(found(plan(), not_cleared))
    apart = found(plan(), not_reduced)
    assert "ranks-disagree" in kinds(apart)
    assert [view.ranks for view in apart.steps[0].views] == [(0,), (1,)]
    assert "left-out" in kinds(found(plan(), last_only))


def test_padding_whose_label_was_made_a_0_is_told_from_padding_with_its_own() -> None:
    report = found(plan(), padding_too, padding="zero")
    assert [named.id for named in report.diagnosis] == ["mask-forgotten"]
    assert any("class 0" in finding.message for finding in report.findings if finding.kind == "padding-counts")
    assert not any("class 0" in finding.message for finding in found(plan(), padding_too).findings)


def test_a_gradient_that_is_not_finite_is_said_to_be_so() -> None:
    of = plan()
    results = Play(of).results(token_mean)
    for result in results:
        name = f"steps-{result['rank']}"
        steps = np.frombuffer(result["numbers"][name]).reshape(-1, result["width"]).copy()
        steps[0, 3] = np.nan
        result["numbers"][name], result["norms"][0] = steps.tobytes(), float("nan")
    report = judged(of, results, "python", objective("token-mean"), REGISTRY, 0)
    assert kinds(report) == {"not-finite"}
    assert [step.right for step in report.steps] == [False, True]
    assert all(w.given is None for w in report.steps[0].views[0].weights)


def test_nothing_but_nan_is_still_a_report() -> None:
    report = found(plan(), token_mean, scale=float("nan"))
    assert kinds(report) == {"not-finite"}
    assert not any(step.right for step in report.steps)


def test_steps_without_any_gradient_are_no_right_answer() -> None:
    with pytest.raises(CannotRun, match="2 optimizer steps, and the gradient was zero in all"):
        found(plan(), lambda *_: 0.0)


def test_a_loss_in_float32_is_taken_as_such() -> None:
    report = found(plan(), token_mean, noise=3e-9)
    assert report.outcome == "right"
    assert report.tolerance == pytest.approx(2e-4)
    assert "float32" in next(finding.message for finding in report.findings if finding.kind == "precision")


def test_microbatches_after_the_last_step_are_told() -> None:
    of = plan()
    results = Play(of).results(token_mean)
    for result in results:
        result["events"] = result["events"][:-1]
        name = f"steps-{result['rank']}"
        result["numbers"][name], result["norms"] = result["numbers"][name][: 8 * result["width"]], result["norms"][:1]
    report = judged(of, results, "python", objective("token-mean"), REGISTRY, 0)
    assert kinds(report) == {"without-a-step"}
    assert [named.id for named in report.diagnosis] == ["tail-dropped"]


def test_a_label_shift_shows() -> None:
    report = found(plan(), token_mean, whose="next")
    assert kinds(report) == {"label-shift"}
    assert [named.id for named in report.diagnosis] == ["labels-shifted"]
    assert "--shift" in report.findings[0].message
    assert {w.label for step in report.steps for view in step.views for w in view.weights if abs(w.given or 0) > 1e-9} == {"next"}


def test_a_gradient_that_is_no_weighting_is_said_to_be_none() -> None:
    report = found(plan(), token_mean, noise=1e-3)
    assert "no-weighting" in kinds(report)
    assert report.outcome == "wrong"
    assert {w.label for step in report.steps for w in step.views[0].weights} == {"own"}, "others would be noise"


def test_a_common_factor_is_told_as_one() -> None:
    assert "factor" in kinds(found(plan(), token_mean, scale=7.0))
    report = found(plan(), token_mean, scale=65536.0)
    assert kinds(report) == {"factor"}
    assert [named.id for named in report.diagnosis] == ["never-unscaled"]


def hard_coded(written: int) -> Weigh:
    return of_window(lambda play, t: written / play.plan.ranks / play.count(window=t.window))


@pytest.mark.parametrize(("ranks", "written"), [(3, 2), (3, 4), (4, 2), (2, 8)])
def test_a_world_size_that_is_written_as_a_number_is_named(ranks: int, written: int) -> None:
    report = found(plan(ranks, 3), hard_coded(written))
    assert [named.id for named in report.diagnosis] == ["hard-coded-world-size"]
    assert f"({written}/R)*1/N" in report.summary


def test_a_factor_that_another_idea_explains_or_none_is_no_hard_coded_world_size() -> None:
    assert found(plan(2, 3), hard_coded(2)).outcome == "right"
    assert [named.id for named in found(plan(2, 3), hard_coded(4)).diagnosis] == ["world-size-factor-twice"]
    assert [named.id for named in found(plan(4, 2, counts=tuple(range(1, 17))), hard_coded(2)).diagnosis] == [
        "divided-again-by-microbatches"
    ]
    assert found(plan(3, 3), hard_coded(5)).diagnosis == ()
    assert found(plan(1, 3), hard_coded(2)).diagnosis == ()
    uneven = of_window(lambda play, t: (1 if t.window else 2 / 3) / play.count(window=t.window))
    assert found(plan(3, 3), uneven).diagnosis == ()


def test_a_constant_denominator_is_told_as_an_objective_to_declare() -> None:
    report = found(plan(), of_window(lambda play, t: 1 / 1536))
    assert report.outcome == "wrong"
    assert any("--objective 1/1536" in finding.message for finding in report.findings)
    assert found(plan(), of_window(lambda play, t: 1 / 1536), "1/1536").outcome == "right"


def clipped(norm: float) -> Audit:
    of = plan()
    results = Play(of).results(token_mean)
    for rank, result in enumerate(results):
        steps = np.frombuffer(result["numbers"][f"steps-{rank}"]).reshape(-1, result["width"])
        steps = steps * (norm / np.linalg.norm(steps, axis=1))[:, None]
        result["numbers"][f"steps-{rank}"], result["norms"] = steps.tobytes(), np.linalg.norm(steps, axis=1).tolist()
    return judged(of, results, "python", objective("token-mean"), REGISTRY, 0)


def test_clipping_before_the_loss_scale_is_undone_is_named() -> None:
    report = clipped(1 / 65536)
    assert kinds(report) == {"clipped"}
    assert "1 over 65536" in report.findings[0].message
    assert [named.id for named in report.diagnosis] == ["clip-while-scaled"]


def test_clipped_steps_are_judged_by_proportions() -> None:
    report = clipped(0.037)
    assert report.outcome == "right"
    assert all(step.clipped and step.factor is not None and step.factor < 1 for step in report.steps)
    assert "clipped" in {finding.kind for finding in report.findings}


@pytest.mark.parametrize(
    ("name", "weigh"),
    [
        ("sequence-mean", of_window(lambda play, t: 1 / len(_rows(play, t.window)) / play.count(window=t.window, row=t.row))),
        ("sample-mean", of_window(lambda play, t: 1 / len(_rows(play, t.window)))),
        ("constant=512", of_window(lambda play, t: 1 / 512)),
        ("1/(S*512)", of_window(lambda play, t: 1 / len(_rows(play, t.window)) / 512)),
    ],
)
def test_other_objectives_are_right_when_they_are_declared(name: str, weigh: Weigh) -> None:
    of = plan(2, 3, 2)
    assert found(of, weigh, name).outcome == "right"
    assert found(of, weigh).outcome == "wrong"
    assert found(of, token_mean, name).diagnosis[0].id == "another-mean-than-stated"


def test_an_objective_without_a_name_is_told_by_its_formula() -> None:
    of = plan(2, 3, 2)
    assert found(of, token_mean, "1/(S*512)").summary.startswith("Not 1/(S*512): another mean")
    assert found(of, token_mean, "constant=512").summary.startswith("Not 1/512: another mean")
    right = found(of, of_window(lambda play, t: 1 / 512), "constant=512")
    assert right.summary == "Every token has the weight that is wanted: 1/512."


def _rows(play: Play, window: int) -> set[int]:
    return {token.row for token in play.tokens if token.window == window and token.valid}


def test_labels_counted_before_the_shift_are_named() -> None:
    def before(play: Play, t: Token) -> float:
        rows = _rows(play, t.window)
        return 1 / sum(play.held[row] for row in rows)

    report = found(plan(shift=True), of_window(before))
    assert [named.id for named in report.diagnosis] == ["labels-counted-before-the-shift"]
    assert found(plan(shift=True), token_mean).outcome == "right"


def test_default_counts_tell_ranks_microbatches_and_windows_apart() -> None:
    for shape in PLANS:
        of = plan(*shape)
        play = Play(of)
        totals = [play.count(window=window) for window in range(play.windows)]
        assert len(set(totals)) == len(totals) > 1
        for window in range(play.windows):
            by_rank = [play.count(window=window, rank=rank) for rank in range(of.ranks)]
            assert len(set(by_rank)) == len(by_rank)
    assert default_counts(2, 3, 1) == default_counts(2, 3, 1)


@pytest.mark.parametrize("bad", [{"ranks": 0}, {"ranks": 9}, {"counts": (0, 0)}, {"counts": (-1, 2)}, {"counts": (900, 900)}])
def test_a_plan_that_cannot_be_run_says_why(bad: dict[str, int]) -> None:
    with pytest.raises(PlanError):
        Plan(**{"file": None, "counts": (1, 2), **bad})  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(99_999, 3, 1), (2, 10**25, 1), (2, 1, 10**25)])
def test_rows_for_more_than_an_audit_holds_are_not_looked_for(shape: tuple[int, int, int]) -> None:
    with pytest.raises(PlanError, match="positions in all; take fewer"):
        default_counts(*shape)


@pytest.mark.parametrize("text", ["nonsense", "1/Z", "constant=", "constant=0", "constant=-3", "constant=N", "import os"])
def test_an_objective_that_cannot_be_read_says_what_can_be(text: str) -> None:
    with pytest.raises(ObjectiveError, match="token-mean"):
        objective(text)
