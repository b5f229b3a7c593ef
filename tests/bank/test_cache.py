"""The cache of what files gave: the same library as without it, whatever becomes of its entries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sound_bank import BANK

from quizapp.bank import cache, reading
from quizapp.bank.load import Library, load

PADDING = "# " + "x" * 5_000 + "\n"


@pytest.fixture
def entries(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("QUIZAPP_CACHE", str(place))
    return place


@pytest.fixture
def big(folder: Path) -> Path:
    """The sound bank, large enough to be kept."""
    (folder / "bank.yaml").write_text(BANK + PADDING, "utf-8")
    return folder


def read_afresh(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every file that is really read from now on."""
    read: list[Path] = []
    original = reading.read_bank
    monkeypatch.setattr(reading, "read_bank", lambda file, registered: read.append(file) or original(file, registered))
    return read


def same(a: Library, b: Library) -> bool:
    return (a.banks, a.registry, a.faults, dict(a.items)) == (b.banks, b.registry, b.faults, dict(b.items))


def test_the_second_time_gives_the_same_without_reading(big: Path, entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_afresh(monkeypatch)
    first, second = load([big]), load([big])
    assert read == [big / "bank.yaml"]
    assert same(first, second)
    assert [item.id for item in second.banks[0].bank.items] == ["pick", "work", "talk"]
    assert second.banks[0].bank.model_dump_json() == first.banks[0].bank.model_dump_json()
    assert second.banks[0].bank.items[1:] == tuple(first.banks[0].bank.items)[1:]


def test_faults_are_kept_with_their_places(big: Path, entries: Path) -> None:
    (big / "bank.yaml").write_text(BANK.replace("difficulty: 3", "difficulty: 9") + PADDING, "utf-8")
    (big / "lab" / "lab.yaml").write_text("entry: [\n", "utf-8")
    first, second = load([big]), load([big])
    assert len(first.faults) == 2
    assert first.faults == second.faults


@pytest.mark.parametrize("change", ["file", "registry", "lab", "no lab"])
def test_what_a_reading_depends_on_is_looked_at(change: str, big: Path, entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load([big])
    read = read_afresh(monkeypatch)
    if change == "no lab":
        (big / "lab" / "lab.yaml").unlink()
    else:
        file = big / {"file": "bank.yaml", "registry": "misconceptions.yaml", "lab": "lab/lab.yaml"}[change]
        more = "  - {id: more, title: m, computes: c, why: w, cure: u}\n" if change == "registry" else "\n# changed\n"
        file.write_text(file.read_text("utf-8") + more, "utf-8")
    load([big])
    assert read == [big / "bank.yaml"]


def test_another_folder_with_the_same_file_has_its_own_places(
    big: Path, entries: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    load([big])
    other = tmp_path_factory.mktemp("other")
    for name in ("bank.yaml", "misconceptions.yaml", "lab/lab.yaml"):
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes((big / name).read_bytes())
    assert {entry.file for entry in load([other]).items.values()} == {other / "bank.yaml"}


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "other json", "not json", "folder"])
def test_a_damaged_entry_is_no_error(damage: str, big: Path, entries: Path) -> None:
    first = load([big])
    (entry,) = entries.glob("*.json")
    data = entry.read_bytes()
    if damage == "folder":
        entry.unlink()
        entry.mkdir()
    else:
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        entry.write_bytes(
            {"empty": b"", "cut": data[:-9], "flipped": flipped, "other json": b"0\n{}\n", "not json": b"\x80\x04."}[damage]
        )
    assert same(first, load([big]))


def test_an_entry_never_is_an_object_that_runs(big: Path, entries: Path) -> None:
    load([big])
    (entry,) = entries.glob("*.json")
    checksum, head, *_ = entry.read_bytes().split(b"\n")
    assert int(checksum, 16)
    assert head.startswith(b'{"bank":')


@pytest.mark.skipif(os.geteuid() == 0 and sys.platform != "linux", reason="needs a folder that can't be written")
def test_a_cache_that_cannot_be_written_is_no_error(big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("/proc/quizapp" if sys.platform == "linux" else "/nowhere", str(big / "bank.yaml")):
        monkeypatch.setenv("QUIZAPP_CACHE", place)
        assert set(load([big]).items) == {"pick", "work", "talk"}


def test_what_is_longest_unused_goes(big: Path, entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 4)
    monkeypatch.setattr(cache, "KEPT_ENTRIES", 2)
    for number in range(5):
        (big / "bank.yaml").write_text(BANK + PADDING + f"# {number}\n", "utf-8")
        load([big])
    assert len(list(entries.iterdir())) == 2


def test_two_processes_at_once(big: Path, entries: Path) -> None:
    program = f"from pathlib import Path; from quizapp.bank.load import load; print(len(load([Path({str(big)!r})]).items))"
    environment = os.environ | {"QUIZAPP_CACHE": str(entries)}
    running = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) for _ in range(3)]
    assert [process.communicate(timeout=240)[0].strip() for process in running] == [b"3"] * 3
    assert [entry.suffix for entry in entries.iterdir()] == [".json"]
