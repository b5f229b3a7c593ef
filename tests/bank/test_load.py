"""Putting files together: what is left out and what still loads, ids over several files, hashes, labs, folders."""

import shutil
from pathlib import Path

import pytest
from sound_bank import BANK, LAB

from quizapp.bank.find import bank_folders, builtin_folder, yaml_files
from quizapp.bank.lab import LabError, load_lab
from quizapp.bank.load import Library, load


def places(library: Library) -> list[tuple[str, int, int, str]]:
    return [(fault.file.name, fault.line, fault.column, fault.code) for fault in library.faults]


def other_bank(text: str = BANK) -> str:
    """The sound bank under other ids."""
    for name in ("sound", "pick", "work", "talk"):
        text = text.replace(f"id: {name}\n", f"id: {name}-2\n")
    return text


def test_everything_of_a_sound_folder_loads(folder: Path) -> None:
    library = load([folder])
    assert [bank.bank.id for bank in library.banks] == ["sound"]
    assert list(library.items) == ["pick", "work", "talk"]
    assert set(library.registry) == {"mean-of-means", "no-factor"}
    entry = library.items["work"]
    assert (entry.bank_id, entry.file, entry.line) == ("sound", folder / "bank.yaml", 20)
    assert not library.banks[0].builtin


def test_a_file_with_a_syntax_error_is_left_out_and_the_other_loads(folder: Path) -> None:
    (folder / "broken.yaml").write_text("id: b\nitems:\n  - id: a\n    prompt: [unclosed\n", "utf-8")
    library = load([folder])
    assert places(library) == [("broken.yaml", 4, 13, "yaml-syntax")]
    assert list(library.items) == ["pick", "work", "talk"]


def test_an_item_with_a_fault_is_left_out_and_the_others_load(folder: Path) -> None:
    (folder / "bank.yaml").write_text(BANK.replace("difficulty: 3", "difficulty: 30"), "utf-8")
    library = load([folder])
    assert list(library.items) == ["pick", "talk"]
    assert [item.id for item in library.banks[0].bank.items] == ["pick", "talk"]


def test_an_item_with_a_duplicate_key_is_left_out(folder: Path) -> None:
    (folder / "bank.yaml").write_text(BANK.replace("difficulty: 3", "difficulty: 3\n    difficulty: 4"), "utf-8")
    assert list(load([folder]).items) == ["pick", "talk"]


def test_a_bank_that_lacks_its_title_is_left_out_and_its_items_are_checked_all_the_same(folder: Path) -> None:
    (folder / "bank.yaml").write_text(BANK.replace("title: A sound bank\n", "").replace("stem: Why?", "stem: 3"), "utf-8")
    library = load([folder])
    assert [fault.code for fault in library.faults] == ["missing-key", "wrong-type"]
    assert not library.banks


def test_an_unknown_key_of_the_bank_costs_no_item(folder: Path) -> None:
    (folder / "bank.yaml").write_text("versoin: 2\n" + BANK, "utf-8")
    library = load([folder])
    assert [fault.code for fault in library.faults] == ["unknown-key"]
    assert len(library.items) == 3


def test_the_first_of_two_ids_stays_over_files(folder: Path) -> None:
    (folder / "second.yaml").write_text(other_bank().replace("id: talk-2", "id: talk"), "utf-8")
    (folder / "third.yaml").write_text(other_bank().replace("-2\n", "-3\n").replace("id: sound-3", "id: sound"), "utf-8")
    library = load([folder])
    assert places(library) == [
        ("second.yaml", 57, 9, "duplicate-id"),
        ("third.yaml", 1, 5, "duplicate-id"),
    ]
    assert list(library.items) == ["pick", "work", "talk", "pick-2", "work-2"]
    assert f"{folder / 'bank.yaml'}:57" in library.faults[0].message


def test_a_bank_may_add_misconceptions_of_its_own(folder: Path) -> None:
    own = "misconceptions:\n  - {id: own, title: t, computes: c, why: w, cure: c}\n"
    text = own + BANK.replace("{value: m, misconception: mean-of-means}", "{value: m, misconception: own}")
    (folder / "bank.yaml").write_text(text, "utf-8")
    assert load([folder]).faults == ()
    assert "own" in load([folder]).registry
    text = text.replace("id: own", "id: no-factor").replace("misconception: own", "misconception: no-factor")
    (folder / "bank.yaml").write_text(text, "utf-8")
    assert places(load([folder])) == [("bank.yaml", 2, 10, "duplicate-id")]


def test_another_banks_own_misconception_is_not_known(folder: Path) -> None:
    own = "misconceptions:\n  - {id: own, title: t, computes: c, why: w, cure: c}\n"
    (folder / "a.yaml").write_text(own + other_bank(), "utf-8")
    text = BANK.replace("{value: m, misconception: mean-of-means}", "{value: m, misconception: own}")
    (folder / "bank.yaml").write_text(text, "utf-8")
    assert [(fault.file.name, fault.code) for fault in load([folder]).faults] == [("bank.yaml", "unknown-misconception")]


def test_the_context_lends_its_registry_and_nothing_else(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    alone = tmp_path_factory.mktemp("alone")
    shutil.copy(folder / "bank.yaml", alone)
    shutil.copytree(folder / "lab", alone / "lab")
    assert {fault.code for fault in load([alone]).faults} == {"unknown-misconception"}
    (folder / "broken.yaml").write_text("[", "utf-8")
    assert load([alone], context=[folder]).faults == ()


def test_a_hash_follows_the_content_and_not_its_form(folder: Path) -> None:
    before = load([folder]).items
    text = BANK.replace("    topics: [ddp]\n    difficulty: 4\n", "    # a comment\n    difficulty: 4\n    topics:\n      - ddp\n")
    (folder / "bank.yaml").write_text(text.replace("stem: Work it out.", "stem: Work it out!"), "utf-8")
    after = load([folder]).items
    assert before["talk"].hash == after["talk"].hash
    assert before["work"].hash != after["work"].hash


def test_the_same_folder_twice_and_folders_within_are_read_once(folder: Path) -> None:
    assert load([folder, folder, folder / "bank.yaml", folder / "lab"]).faults == ()


def test_hidden_files_and_other_files_are_passed_over(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "x.yaml").write_text("[", "utf-8")
    (folder / ".draft.yaml").write_text("[", "utf-8")
    (folder / "notes.md").write_text("[", "utf-8")
    assert load([folder]).faults == ()
    assert [file.name for file in yaml_files(folder)] == ["bank.yaml", "misconceptions.yaml", "lab.yaml"]


def test_a_folder_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    assert [fault.code for fault in load([tmp_path / "none"]).faults] == ["unreadable"]


def test_bank_folders_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_BANKS", f"{tmp_path}:~/banks")
    assert bank_folders([Path("x")]) == [builtin_folder(), tmp_path, Path("~/banks").expanduser(), Path("x")]
    assert (builtin_folder() / "misconceptions.yaml").is_file()


def test_a_lab_or_all_its_faults(folder: Path) -> None:
    lab = load_lab(folder / "lab")
    assert (lab.entry, lab.objective.valid, lab.world_sizes) == ("scale_loss", "1/N", (2, 3, 4))
    (folder / "lab" / "lab.yaml").write_text(LAB.replace("entry: scale_loss\n", "").replace("1/N", "1/Q"), "utf-8")
    with pytest.raises(LabError) as raised:
        load_lab(folder / "lab")
    assert [fault.code for fault in raised.value.faults] == ["missing-key", "formula-name"]
    with pytest.raises(LabError, match=r"can't be read|not a file"):
        load_lab(folder)


def test_the_built_in_registry_is_sound() -> None:
    library = load([builtin_folder() / "misconceptions.yaml"])
    assert library.faults == ()
    assert len(library.registry) > 1
