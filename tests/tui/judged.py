"""Verdicts as the judge gives them, made by hand: what a screen shows of them doesn't hang on what this machine can run."""

from quizapp.model.verdict import Diagnosis, Place, RankReport, ScenarioVerdict, TokenWeight, Verdict


def weights(given: tuple[float, float]) -> tuple[TokenWeight, ...]:
    """Of two ranks with 2 and 4 valid tokens and one padded position each."""
    counts = (2, 4)
    return tuple(
        TokenWeight(
            rank=rank,
            microbatch=0,
            token=token,
            valid=token < count,
            wanted=1 / 6 * (token < count),
            given=weight * (token < count),
        )
        for rank, (count, weight) in enumerate(zip(counts, given, strict=True))
        for token in range(count + 1)
    )


def verdict() -> Verdict:
    """The mean of rank means."""
    failing = ScenarioVerdict(
        name="uneven", world_size=2, counts=((2,), (4,)), outcome="wrong", max_relative_error=0.5, weights=weights((1 / 4, 1 / 8))
    )
    passing = ScenarioVerdict(name="even", world_size=2, counts=((3,), (3,)), outcome="pass", max_relative_error=1.4e-16)
    return Verdict(
        outcome="wrong",
        points=0,
        max_points=2,
        seed=7,
        summary="1 of 2 scenarios fails. With 2 ranks, uneven: rank 0's 2 tokens count twice as much as rank 1's.",
        diagnosis=(
            Diagnosis(id="mean-of-means", title="The mean of per-rank means", evidence="its prediction matches both scenarios"),
        ),
        scenarios=(failing, passing),
        counterexample=failing,
        output="hello from rank 0\n",
        backend="docker",
        sandbox="container",
        device="cpu",
        collectives="gloo",
        milliseconds=38,
    )


def held(rank: int) -> tuple[TokenWeight, ...]:
    """The weights in a rank's own gradient, where nothing was reduced."""
    return tuple(one.model_copy(update={"given": 2 * one.wanted * (one.rank == rank)}) for one in weights((1 / 6, 1 / 6)))


def replicas() -> Verdict:
    """Each rank ended with the gradient of its own tokens."""
    message = "each rank's gradient holds its own tokens alone; a token of rank 0 weighs 1/3 on rank 0 and 0 on rank 1, wanted 1/6"
    failing = ScenarioVerdict(
        name="uneven", world_size=2, counts=((2,), (4,)), outcome="wrong", max_relative_error=1.1, message=message,
        weights_by_rank=(held(0), held(1)),
    )  # fmt: skip
    summary = f"1 of 1 scenarios fails. With {failing.called}: {message}."
    return verdict().model_copy(
        update={"summary": summary, "diagnosis": (), "scenarios": (failing,), "counterexample": failing, "output": ""}
    )


def parted() -> Verdict:
    """An empty rank leaves before the collective that the other one waits in."""
    made = ("#1 all_gather([1] [1] [1] int64)", "#2 broadcast([4] int64, from rank 0)", "#3 broadcast([168] float64, from rank 0)")
    fourth = ("#4 all_reduce([] int64) at line 10", "#4 all_reduce([168] float64) in backward")
    failing = ScenarioVerdict(
        name="empty-rank",
        world_size=2,
        counts=((4,), (0,)),
        outcome="desync",
        message="collective #4 differs: rank 0 called all_reduce([] int64) at line 10; rank 1 called all_reduce([168] float64) in "
        "backward; rank 1 has no valid token",
    )
    return Verdict(
        outcome="desync",
        points=0,
        max_points=2,
        seed=7,
        summary=f"1 of 2 scenarios fails. With {failing.called}: {failing.message}.",
        scenarios=(failing, ScenarioVerdict(name="even", world_size=2, counts=((3,), (3,)), outcome="pass", max_relative_error=0)),
        ranks=(
            RankReport(
                rank=0,
                state="killed",
                collective=fourth[0],
                collectives=(*made, fourth[0]),
                place=Place(line=10, function="scale_loss"),
                message="SIGABRT",
            ),
            RankReport(rank=1, state="waiting", collective=fourth[1], collectives=(*made, fourth[1])),
        ),
        backend="local",
        sandbox="none",
        device="cpu",
        collectives="gloo",
        milliseconds=310,
    )


def passed() -> Verdict:
    """Everything is right."""
    counts = {"uneven": ((2,), (5,)), "even": ((3,), (3,)), "empty-rank": ((4,), (0,))}
    return Verdict(
        outcome="pass",
        points=2,
        max_points=2,
        seed=7,
        summary="All 3 scenarios pass: every token has the weight that the objective gives it.",
        scenarios=tuple(
            ScenarioVerdict(name=name, world_size=2, counts=its, outcome="pass", max_relative_error=2.2e-16)
            for name, its in counts.items()
        ),
        backend="docker",
        sandbox="container",
        device="cpu",
        collectives="gloo",
        milliseconds=41,
    )
