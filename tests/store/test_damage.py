"""Files that can't be used: one clear line each, and nothing of the learner's is touched."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from stored_samples import answer

from quizapp.store.database import StoreError
from quizapp.store.place import database_path, home
from quizapp.store.record import DraftKey
from quizapp.store.schema import VERSION
from quizapp.store.store import Store


def _refused(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        Store(path).attempts()
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    with Store(path) as store:
        store.add(answer())
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    message = _refused(path)
    assert "newer quizapp" in message
    assert "upgrade quizapp" in message
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"this is no database at all, only some words\n" * 40, os.urandom(8192)], ids=["text", "noise"]
)
def test_a_damaged_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "progress.sqlite3"
    path.write_bytes(content)
    message = _refused(path)
    assert "damaged" in message
    assert "QUIZAPP_HOME" in message
    assert path.read_bytes() == content


def test_damage_in_the_middle_is_told_when_it_is_met(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    with Store(path) as store:
        for number in range(200):
            store.add(answer(text=f"{number} " * 100))
    content = bytearray(path.read_bytes())
    content[8192:] = b"\x99" * (len(content) - 8192)
    path.write_bytes(content)
    assert "damaged" in _refused(path)


def test_another_programs_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    assert "another program" in _refused(path)
    with sqlite3.connect(path) as connection:
        assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["recipe"]


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    assert "can't write your progress" in _refused(tmp_path / "home" / "progress.sqlite3")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
@pytest.mark.parametrize("existing", [False, True], ids=["nothing there", "a file there"])
def test_a_read_only_home(existing: bool) -> None:
    """Run as a user without rights: root may write everywhere."""
    program = (
        "import sys; sys.path[:] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from quizapp.store.database import StoreError\nfrom quizapp.store.store import Store\n"
        "import quizapp.model.verdict\nimport os\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "try: Store(Path(sys.argv[1])).start('study', 'b', {})\n"
        "except StoreError as error: print(error)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "progress.sqlite3"
        if existing:
            Store(path).close()
            path.chmod(0o444)
        os.chmod(folder, 0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", program, str(path), *sys.path], capture_output=True, text=True, timeout=240
            )
        finally:
            os.chmod(folder, 0o755)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert "can't write your progress" in done.stdout
    assert str(path) in done.stdout


def test_a_disk_that_is_full_in_the_middle_of_a_write_is_told(tmp_path: Path) -> None:
    key = DraftKey("study", "x", "main")
    with Store(tmp_path / "progress.sqlite3") as store:
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match=r"the disk that holds .* is full"):
            store.save_draft(key, "y" * 100_000)
        store.save_draft(key, "short")
        assert store.draft(key) == "short"


def test_an_interrupted_creation_is_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").connection.close()
    with Store(path) as store:
        store.add(answer())
        assert len(store.attempts()) == 1


def test_home_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine"
    assert database_path().parent == tmp_path / "mine"
    monkeypatch.delenv("QUIZAPP_HOME")
    assert "quizapp" in str(home())
