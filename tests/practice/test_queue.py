"""The queue: no item is lost, nothing stands before what it needs, the same input gives the same queue."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp.bank.graph import cycles
from quizapp.bank.load import Library, LoadedBank, LoadedItem, load
from quizapp.model.question import Bank, Checkpoint, Choice, Exercise, NumericPart, Topic
from quizapp.practice.order import course, goals, needs, serves
from quizapp.practice.queue import Knowledge, Plan, candidates, count, knowledge, plan_from, queue
from quizapp.store.record import Mark

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
CHOICES = (Choice(id="a", text="a", key=True), Choice(id="b", text="b"))
TOPICS = ("sums", "counts", "ranks")


def item(name: str, topics: tuple[str, ...] = ("sums",), difficulty: int = 1, after: tuple[str, ...] = ()) -> Checkpoint:
    return Checkpoint(
        kind="checkpoint",
        id=name,
        topics=topics,
        difficulty=difficulty,
        prerequisites=after,
        stem="?",
        explanation="!",
        choices=CHOICES,
    )


def library_of(*banks: tuple[Checkpoint, ...], topics: dict[str, Topic] | None = None) -> Library:
    loaded = tuple(
        LoadedBank(
            Bank(id=f"bank-{number}", title=f"Bank {number}", description="d", topics=topics or {}, items=items),
            Path(f"{number}.yaml"),
            True,
        )
        for number, items in enumerate(banks)
        if items
    )
    found = {
        one.id: LoadedItem(item=one, hash="h", bank_id=bank.bank.id, file=bank.file, line=1)
        for bank in loaded
        for one in bank.bank.items
    }
    return Library(loaded, {}, (), found)


@st.composite
def libraries(draw: Callable[..., object]) -> Library:
    """Banks whose items need others of them, whatever rings that makes."""
    size = draw(st.integers(1, 12))
    names = [f"item-{number}" for number in range(size)]  # type: ignore[arg-type]
    one_of = st.sampled_from([*names, *TOPICS, "unknown"])
    made = [
        item(
            name,
            tuple(draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True))),  # type: ignore[arg-type]
            draw(st.integers(1, 5)),  # type: ignore[arg-type]
            tuple(draw(st.lists(one_of, max_size=3, unique=True))),  # type: ignore[arg-type]
        )
        for name in names
    ]
    cut = draw(st.integers(0, size))
    return library_of(tuple(made[:cut]), tuple(made[cut:]))  # type: ignore[misc]


@st.composite
def marks(draw: Callable[..., object], names: tuple[str, ...]) -> list[Mark]:
    """Answers over the last month, oldest first."""
    found = []
    for number in range(draw(st.integers(0, 12))):  # type: ignore[arg-type]
        points = draw(st.integers(0, 1))
        found.append(
            Mark(
                id=number + 1,
                at=NOW - timedelta(minutes=draw(st.integers(1, 60 * 24 * 30))),  # type: ignore[arg-type]
                session=draw(st.sampled_from([None, 1, 2])),
                bank="bank-0",
                item=draw(st.sampled_from(names)),
                part="main",
                seed=None,
                outcome="right" if points else "wrong",
                points=points,
                max_points=1,
                confidence=draw(st.sampled_from([None, 1, 3, 5])),
                seconds=None,
                withdrawn=draw(st.booleans()),
            )
        )  # type: ignore[arg-type]
    return sorted(found, key=lambda mark: mark.at)


@st.composite
def known(draw: Callable[..., object]) -> Knowledge:
    library: Library = draw(libraries())  # type: ignore[assignment]
    names = tuple(library.items)
    flagged = draw(st.sets(st.sampled_from(names)))
    recommended = tuple(draw(st.lists(st.sampled_from(names), max_size=3, unique=True)))  # type: ignore[arg-type]
    return knowledge(library, draw(marks(names)), NOW, flagged, recommended)  # type: ignore[arg-type]


plans = st.builds(
    Plan,
    selection=st.sampled_from(["mixed", "due", "wrong", "new", "flagged"]),
    banks=st.sampled_from([(), ("bank-0",)]),
    topics=st.sampled_from([(), ("sums",), ("sums", "ranks")]),
    difficulties=st.sampled_from([(), (1, 2, 3)]),
    length=st.integers(1, 30),
)


@settings(max_examples=50, deadline=None)
@given(known())
def test_every_item_has_its_place_in_the_course_after_what_it_needs(found: Knowledge) -> None:
    library = found.library
    order = course(library)
    assert sorted(order) == sorted(library.items)
    place = {name: index for index, name in enumerate(order)}
    edges = {name: list(befores) for name, befores in needs(library).items()}
    assert all(place[before] < place[name] for name, befores in edges.items() for before in befores)
    for name, wanted in goals(library).items():
        edges[name] += [one for one, loaded in library.items.items() for goal in wanted if serves(loaded, goal) and one != name]
    if not any(True for _ in cycles(edges)):
        assert all(place[before] < place[name] for name, befores in edges.items() for before in befores)


@settings(max_examples=60, deadline=None)
@given(known(), plans, st.integers(0, 1000))
def test_a_queue_holds_every_item_of_its_plan_once(found: Knowledge, plan: Plan, seed: int) -> None:
    items = queue(plan, found, seed)
    wanted = candidates(plan, found)
    assert len(set(items)) == len(items) == min(len(wanted), plan.length)
    assert set(items) <= set(wanted)
    assert set(queue(dataclasses.replace(plan, length=500), found, seed)) == set(wanted)
    assert all(plan.holds(found.library.items[name]) for name in items)


@settings(max_examples=40, deadline=None)
@given(known(), st.integers(0, 1000))
def test_what_is_due_or_new_is_in_the_long_queue(found: Knowledge, seed: int) -> None:
    items = queue(Plan(length=500), found, seed)
    for name in found.library.items:
        assert (name in items) == (name not in found.memory or found.is_due(name) or name in found.recommended)
    counts = count(found, found.course)
    assert len(queue(Plan("due", length=500), found, seed)) == counts.due
    assert len(queue(Plan("new", length=500), found, seed)) == counts.new
    assert len(queue(Plan("wrong", length=500), found, seed)) == counts.wrong


@settings(max_examples=60, deadline=None)
@given(known(), plans, st.integers(0, 1000))
def test_a_new_item_stands_after_what_it_needs(found: Knowledge, plan: Plan, seed: int) -> None:
    items = queue(plan, found, seed)
    place = {name: index for index, name in enumerate(items)}
    for name, befores in needs(found.library).items():
        if name in place and name not in found.memory:
            for before in befores:
                if before not in found.memory and before in candidates(plan, found):
                    assert place[before] < place[name]


@settings(max_examples=50, deadline=None)
@given(known(), plans, st.integers(0, 1000))
def test_the_same_seed_and_clock_give_the_same_queue(found: Knowledge, plan: Plan, seed: int) -> None:
    again = dataclasses.replace(found)
    assert queue(plan, found, seed) == queue(plan, again, seed)
    assert plan_from(plan.stored()) == plan


def test_a_topic_needed_is_its_easier_items_and_a_ring_is_cut() -> None:
    library = library_of(
        (
            item("late", ("ranks",), 3, ("sums",)),
            item("hard-sum", ("sums",), 5),
            item("easy-sum", ("sums",), 1),
            item("one", ("counts",), 1, ("other",)),
            item("other", ("counts",), 1, ("one",)),
        )
    )
    assert goals(library) == {"late": (("sums", 3),)}
    assert [name for name, loaded in library.items.items() if serves(loaded, ("sums", 3))] == ["easy-sum"]
    assert course(library).index("easy-sum") < course(library).index("late")
    assert sorted(course(library)) == sorted(library.items)


def test_topics_that_a_bank_puts_after_others_come_later() -> None:
    topics = {"sums": Topic(title="Sums", after=("counts",)), "counts": Topic(title="Counts")}
    library = library_of((item("sum", ("sums",)), item("count", ("counts",))), topics=topics)
    assert course(library) == ("count", "sum")


def test_new_items_come_between_the_due_ones() -> None:
    library = library_of(tuple(item(f"item-{number}") for number in range(7)))
    old = [
        Mark(number, NOW - timedelta(days=20), None, "bank-0", f"item-{number}", "main", None, "right", 1, 1, None, None, False)
        for number in range(4)
    ]
    found = knowledge(library, old, NOW)
    kinds = ["due" if name in found.memory else "new" for name in queue(Plan(), found, 3)]
    assert kinds == ["due", "due", "new", "due", "due", "new", "new"]
    wished = dataclasses.replace(found, recommended=("item-6", "item-3"))
    items = queue(Plan(), wished, 3)
    assert items[0] == "item-3"
    assert next(name for name in items if name not in found.memory) == "item-6"


@pytest.mark.parametrize("value", [None, [], {"length": -1, "topics": 3, "selection": "x", "difficulties": "12"}])
def test_a_plan_that_cannot_be_read_is_the_usual_one(value: object) -> None:
    assert plan_from(value) == Plan()


def test_the_banks_that_come_with_the_app_have_a_course() -> None:
    from quizapp.bank.find import builtin_folder

    library = load([builtin_folder()])
    order = course(library)
    assert sorted(order) == sorted(library.items)
    place = {name: index for index, name in enumerate(order)}
    assert all(place[before] < place[name] for name, befores in needs(library).items() for before in befores)


def test_within_a_bank_checkpoints_stand_before_exercises_whatever_their_topics() -> None:
    part = NumericPart(kind="numeric", id="main", points=1, key="1")
    exercise = Exercise(
        kind="exercise", id="sum", topics=("sums",), difficulty=1, points=1, stem="?", explanation="!", parts=(part,)
    )
    topics = {"sums": Topic(title="Sums"), "ranks": Topic(title="Ranks", after=("sums",))}
    made = library_of((exercise, item("rank", ("ranks",)), item("total")), topics=topics)  # type: ignore[arg-type]
    assert course(made) == ("total", "rank", "sum")
