"""Progress: points by item from answers."""

from quizapp.bank.load import Library
from quizapp.practice.progress import bank_progress, library_progress
from quizapp.practice.study import Study, find_bank
from quizapp.store.store import Store


def answer(study: Study, step: str, text: str, confidence: int | None = None) -> None:
    study.go([one.id for one in study.steps].index(step))
    study.record(text, study.grade(text), confidence)


def test_a_bank_without_answers(library: Library, store: Store) -> None:
    progress = bank_progress(find_bank(library, "small"), store.attempts())
    assert (progress.points, progress.max_points, progress.answered, progress.last_at) == (0, 11, 0, None)
    assert {item.state for item in progress.items} == {"new"}


def test_the_best_answer_counts_and_the_latest_is_known(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "two-ranks/mean", "2")
    answer(study, "two-ranks/mean", "2.25")
    answer(study, "pick-all/main", "rate")
    answer(study, "pick-mean/main", "right")
    progress = library_progress(library, store.attempts())["small"]
    by_item = {item.item: item for item in progress.items}
    first = by_item["two-ranks"].parts[0]
    assert (first.best, first.latest, first.answers) == (1, 0, 2)
    assert by_item["two-ranks"].state == "partial"
    assert by_item["pick-all"].state == "wrong"
    assert by_item["pick-mean"].state == "right"
    assert by_item["scale"].state == "new"
    assert (progress.points, progress.answered) == (2, 3)
    assert progress.last_at == store.attempts()[-1].at


def test_points_of_an_edited_part_count_as_a_share(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "pick-mean/main", "right")
    bank = find_bank(library, "small")
    item = bank.bank.items[0].model_copy(update={"points": 5})
    edited = type(bank)(bank.bank.model_copy(update={"items": (item, *bank.bank.items[1:])}), bank.file, bank.builtin)
    assert bank_progress(edited, store.attempts()).items[0].points == 5


def test_follow_ups_and_lost_items_count_for_nothing(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "pick-mean/main", "right")
    bank = find_bank(library, "small")
    shorter = type(bank)(bank.bank.model_copy(update={"items": bank.bank.items[1:]}), bank.file, bank.builtin)
    assert bank_progress(shorter, store.attempts()).points == 0


def test_a_slip_counts_for_nothing_and_an_item_takes_its_history_along(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "pick-mean/main", "ranks")
    answer(study, "pick-mean/main", "right")
    study.withdraw()
    bank = find_bank(library, "small")
    assert bank_progress(bank, store.marks()).items[0].state == "wrong"
    other = type(bank)(bank.bank.model_copy(update={"id": "other"}), bank.file, bank.builtin)
    assert bank_progress(other, store.marks()).answered == 1
