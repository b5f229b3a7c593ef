"""How the main screens look at 80x24 and 120x40. ``pytest tests/tui/test_snapshots.py --snapshot-update`` takes new pictures."""

import dataclasses
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from screen_text import typed, until
from textual.pilot import Pilot

from quizapp.bank.fault import Fault
from quizapp.bank.load import Library
from quizapp.model.verdict import Diagnosis, Place, RankReport, ScenarioVerdict, TokenWeight, Verdict
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui import code_editor
from quizapp.tui.app import QuizApp
from quizapp.tui.lab import LabScreen, Noticed

Compare = Callable[..., bool]
Act = Callable[[Pilot[object]], Awaitable[None]]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])


@pytest.fixture
def still(store: Store, library: Library, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The library at a path that is the same everywhere. What this machine can run or colour must not show in a picture, so no
    judge is started, and code is plain."""
    monkeypatch.setattr(LabScreen, "_prepare", lambda self: None)
    monkeypatch.setattr(code_editor, "highlighted", lambda: False)
    bank = dataclasses.replace(library.banks[0], file=Path("/banks/small.yaml"), builtin=True)
    return dataclasses.replace(library, banks=(bank,))


def wait_for(words: str, *keys: str) -> Act:
    async def act(pilot: Pilot[object]) -> None:
        if keys:
            await pilot.press(*keys)
        await until(pilot, words)
        await pilot.pause(0.1)

    return act


def at(store: Store, library: Library, step: str) -> Study:
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index(step))
    return study


def answered(study: Study, text: str, confidence: int | None) -> None:
    study.record(text, study.grade(text), confidence)


def weights(given: tuple[float, float]) -> tuple[TokenWeight, ...]:
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


def parted() -> Verdict:
    where = Place(line=17, function="scale_loss")
    return Verdict(
        outcome="desync",
        points=0,
        max_points=2,
        seed=7,
        summary="Rank 0 waits in an all-reduce that rank 1 never enters.",
        scenarios=(ScenarioVerdict(name="uneven", world_size=2, counts=((0,), (4,)), outcome="desync"),),
        ranks=(
            RankReport(rank=0, state="waiting", collective="#4 all_reduce([] int64)", place=where),
            RankReport(rank=1, state="finished", collective="#3 broadcast([132] float64)", message="came to its end"),
        ),
        backend="local",
        sandbox="none",
        device="cpu",
        collectives="gloo",
        milliseconds=310,
    )


@sizes
def test_home(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    answered(at(store, still, "two-ranks/mean"), "2", 4)
    fault = Fault(Path("/banks/broken.yaml"), 3, 5, "unknown-key", "unknown key `stern`", "did you mean `stem`?")
    app = QuizApp(store, dataclasses.replace(still, faults=(fault,)))
    assert snap_compare(app, terminal_size=size, run_before=wait_for("A small bank"))


@sizes
def test_help(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    store.path = Path("/home/learner/progress.sqlite3")
    assert snap_compare(QuizApp(store, still), terminal_size=size, run_before=wait_for("rehearses", "f1"))


@sizes
@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("reading/first-page", "Sums and counts"),
        ("pick-mean/main", "( ) C"),
        ("pick-all/main", "Several are right"),
        ("two-ranks/mean", "A number"),
        ("two-ranks/factor", "An expression"),
        ("two-ranks/why", "Why does"),
        ("scale/main", "Scale the local loss"),
    ],
    ids=["reading", "choice", "choices", "number", "expression", "words", "lab"],
)
def test_a_step(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int], step: str, words: str) -> None:
    at(store, still, step)
    app = QuizApp(store, still, start="study", bank="small")
    assert snap_compare(app, terminal_size=size, run_before=wait_for(words))


@sizes
def test_confidence(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    at(store, still, "pick-mean/main")

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "( ) C")
        await wait_for("How sure", "b", "enter")(pilot)

    assert snap_compare(QuizApp(store, still, start="study", bank="small"), terminal_size=size, run_before=act)


@sizes
@pytest.mark.parametrize(
    ("step", "text", "words"),
    [
        ("pick-mean/main", "ranks", "Misconception"),
        ("two-ranks/mean", "2.25", "Misconception"),
        ("two-ranks/why", "The ranks have different token counts.", "earned"),
    ],
    ids=["choice", "number", "words"],
)
def test_a_result(
    snap_compare: Compare, store: Store, still: Library, size: tuple[int, int], step: str, text: str, words: str
) -> None:
    answered(at(store, still, step), text, 4)
    app = QuizApp(store, still, start="study", bank="small")
    assert snap_compare(app, terminal_size=size, run_before=wait_for(words))


@sizes
@pytest.mark.parametrize("judged", [verdict(), parted()], ids=["weights", "ranks"])
def test_verdict(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int], judged: Verdict) -> None:
    study = at(store, still, "scale/main")
    source = (study.asked().loaded.file.parent / "labs" / "scale" / "solution.py").read_text()
    study.record_code(source, judged)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "F7 shows it")
        await wait_for("· verdict", "f7")(pilot)

    assert snap_compare(QuizApp(store, still, start="study", bank="small"), terminal_size=size, run_before=act)


@sizes
def test_lab_without_a_sandbox(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    at(store, still, "scale/main")

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "Scale the local loss")
        pilot.app.screen.post_message(Noticed("Your code will run with your own rights."))
        await wait_for("your own rights")(pilot)

    assert snap_compare(QuizApp(store, still, start="study", bank="small"), terminal_size=size, run_before=act)


@sizes
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("p", "A small bank · 1"),
        ("p4", "sure you were"),
        ("p4v", "you said"),
        ("o", "Contents"),
        ("s", "items to ask"),
        ("/mean", "pick-mean"),
        ("g", "wanted"),
    ],
    ids=["progress", "confidence", "table", "contents", "choose", "search", "playground"],
)
def test_from_home(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int], keys: str, words: str) -> None:
    answered(at(store, still, "two-ranks/mean"), "2", 4)
    answered(at(store, still, "pick-all/main"), "rate", 5)

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "A small bank")
        await typed(pilot, keys)
        await wait_for(words)(pilot)

    assert snap_compare(QuizApp(store, still), terminal_size=size, run_before=act)


@sizes
def test_the_end(snap_compare: Compare, store: Store, still: Library, size: tuple[int, int]) -> None:
    answered(at(store, still, "two-ranks/mean"), "2.25", 4)
    at(store, still, "scale/main")

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "Scale the loss")
        await wait_for("This sitting", "f4")(pilot)

    assert snap_compare(QuizApp(store, still, start="study", bank="small"), terminal_size=size, run_before=act)


def test_too_small(snap_compare: Compare, store: Store, still: Library) -> None:
    assert snap_compare(QuizApp(store, still), terminal_size=(50, 12), run_before=wait_for("terminal too small"))
