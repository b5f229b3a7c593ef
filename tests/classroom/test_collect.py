"""Submissions from folders and zips: who is found, what is refused and why, and that nothing leads out."""

import os
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from quizapp.classroom import ClassroomError, collect
from quizapp.classroom.collect import Collection, Program, Unusable

SOURCE = "def scale_loss(token_losses, mask):\n    return token_losses.sum()\n"


def place(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def zipped(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def told(found: Collection) -> dict[str, str]:
    return {one.student: one.file if isinstance(one, Program) else f"{one.status}: {one.reason}" for one in found.handed}


CLASS: dict[str, str | bytes] = {
    "ada/answer.py": SOURCE,
    "ben.py": "\ufeff" + SOURCE,
    "cee/src/deep/mine.py": SOURCE,
    "cee/.hidden.py": SOURCE,
    "cee/__pycache__/x.py": SOURCE,
    "dee/notes.pdf": b"%PDF",
    "eve/one.py": SOURCE,
    "eve/two.py": SOURCE,
    "fay.ipynb": "{}",
    "gus.py": b"x = '\xff'\n",
    "hal.py": b"#" * (collect.MAX_PROGRAM + 1),
    "ivy.py": SOURCE,
    "ivy/answer.py": SOURCE,
}
WANTED = {
    "ada": "answer.py",
    "ben": "ben.py",
    "cee": "src/deep/mine.py",
    "dee": "missing: no .py file; there is: notes.pdf",
    "eve": "unreadable: 2 files could be the program: one.py, two.py; name one with --file",
    "fay.ipynb": "unreadable: not a .py file",
    "gus": "unreadable: line 1 is not UTF-8 text",
    "hal": "unreadable: larger than 256 KiB",
    "ivy": "unreadable: handed in 2 times: ivy/, ivy.py; keep one of them",
}


def unordered(found: dict[str, str]) -> dict[str, str]:
    return {name: text.replace("ivy.py, ivy/", "ivy/, ivy.py") for name, text in found.items()}


def test_a_folder(tmp_path: Path) -> None:
    found = collect.collect(place(tmp_path, CLASS))
    assert unordered(told(found)) == WANTED
    assert all(one.source == SOURCE for one in found.handed if isinstance(one, Program))


@pytest.mark.parametrize("prefix", ["", "class of 2026/"])
def test_a_zip_holds_the_same(tmp_path: Path, prefix: str) -> None:
    archive = zipped(tmp_path / "class.zip", {prefix + name: content for name, content in CLASS.items()})
    assert unordered(told(collect.collect(archive))) == WANTED
    in_folder = collect.collect(place(tmp_path / "class", CLASS))
    assert {(one.student, one.digest) for one in collect.collect(archive).handed if isinstance(one, Program)} == {
        (one.student, one.digest) for one in in_folder.handed if isinstance(one, Program)
    }


def test_a_zip_with_one_student(tmp_path: Path) -> None:
    assert told(collect.collect(zipped(tmp_path / "class.zip", {"ada/answer.py": SOURCE}))) == {"ada": "answer.py"}


def test_an_empty_folder_is_a_student_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    assert told(collect.collect(tmp_path)) == {"ada": "missing: no .py file; the folder is empty"}


def test_a_named_file(tmp_path: Path) -> None:
    place(tmp_path, {"ada/answer.py": SOURCE, "ada/test.py": "x", "ben/other.py": SOURCE, "cee/a/answer.py": SOURCE})
    found = told(collect.collect(tmp_path, file="answer.py"))
    assert found == {"ada": "answer.py", "ben": "missing: no file answer.py; there is: other.py", "cee": "a/answer.py"}


def test_one_students_own_folder(tmp_path: Path) -> None:
    place(tmp_path, {"answer.py": SOURCE, "readme.md": "x"})
    assert told(collect.collect(tmp_path, student="ada")) == {"ada": "answer.py"}


def test_a_students_zip(tmp_path: Path) -> None:
    zipped(tmp_path / "ada.zip", {"work/answer.py": SOURCE})
    zipped(tmp_path / "ben.zip", {"../answer.py": SOURCE})
    (tmp_path / "cee.zip").write_bytes(b"PK no zip")
    found = told(collect.collect(tmp_path))
    assert found["ada"] == "work/answer.py"
    assert found["ben"] == "unreadable: a zip with names that lead out of it"
    assert found["cee"].startswith("unreadable: a damaged zip")


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("x = 1")
    place(tmp_path / "class", {"ada/answer.py": SOURCE})
    (tmp_path / "class" / "ben.py").symlink_to(secret)
    (tmp_path / "class" / "cee").symlink_to(tmp_path)
    (tmp_path / "class" / "dee").mkdir()
    (tmp_path / "class" / "dee" / "up").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "class" / "eve.py")
    found = told(collect.collect(tmp_path / "class"))
    assert found["ben"] == "unreadable: a symbolic link; links are not followed"
    assert found["cee"].startswith("unreadable: not a .py file")
    assert found["dee"].startswith("missing")
    assert found["eve"] == "unreadable: not a regular file"
    assert found["ada"] == "answer.py"


def test_names_that_lead_out_of_a_zip_are_told_and_not_read(tmp_path: Path) -> None:
    names = ["../evil.py", "/etc/evil.py", "a/../../evil.py", "..\\evil.py", "C:/evil.py"]
    archive = zipped(tmp_path / "class.zip", {"ada.py": SOURCE, **dict.fromkeys(names, "x")})
    found = collect.collect(archive)
    assert told(found) == {"ada": "ada.py"}
    assert len(found.notes) == len(names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.zip"]


def test_a_students_zip_with_a_name_that_ends_before_it_begins(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner", {"xyz.py": SOURCE}).read_bytes().replace(b"xyz.py", b"\0yz.py")
    found = told(collect.collect(place(tmp_path / "class", {"ada.zip": inner, "ben.py": SOURCE})))
    assert found == {"ada": "unreadable: a zip with names that lead out of it", "ben": "ben.py"}


def test_a_link_inside_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("ada.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("ben.py", SOURCE)
    assert told(collect.collect(tmp_path / "class.zip"))["ada"] == "unreadable: a symbolic link; links are not followed"


def test_bombs_are_read_no_further_than_the_limit(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "class.zip", {"ada.py": b"#" * (50 << 20), "ben.py": SOURCE})
    assert archive.stat().st_size < 1 << 20
    assert told(collect.collect(archive)) == {"ada": "unreadable: larger than 256 KiB", "ben": "ben.py"}


def test_a_folder_of_too_many_files_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MAX_ENTRIES", 20)
    place(tmp_path, {f"ada/{number}.txt": "x" for number in range(30)} | {"ben.py": SOURCE})
    place(tmp_path, {"cee/" + "d/" * (collect.MAX_DEPTH + 2) + "answer.py": SOURCE})
    found = told(collect.collect(tmp_path))
    assert found["ada"] == "unreadable: more than 20 files"
    assert found["ben"] == "ben.py"
    assert found["cee"].startswith("unreadable: folders more than")


def test_damaged_members_and_unknown_packing(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("ada.py", SOURCE)
        archive.writestr("ben.py", SOURCE, zipfile.ZIP_LZMA)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"token_losses.sum", b"token_losses.SUM", 1))
    found = told(collect.collect(path))
    assert found["ada"].startswith("unreadable: damaged inside the zip")
    assert found["ben"].startswith("unreadable: packed by a method other than deflate")


@pytest.mark.parametrize(("name", "said"), [("none", "no such folder"), ("file.txt", "neither a folder nor a zip")])
def test_what_is_no_folder(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(ClassroomError, match=said):
        collect.collect(tmp_path / name)


def test_too_many_students(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MAX_STUDENTS", 3)
    place(tmp_path, {f"{number}.py": SOURCE for number in range(5)})
    with pytest.raises(ClassroomError, match="more than 3 students"):
        collect.collect(tmp_path)


def test_names_that_are_no_text_are_written_out(tmp_path: Path) -> None:
    assert collect.printable("a\nb\x1b[31m\u202e") == "a\\x0ab\\x1b[31m\\x202e"
    assert collect.printable(os.fsdecode(b"caf\xe9")) == "caf\\xe9"


def test_names_that_look_alike_are_one_student_or_are_told_apart() -> None:
    alike = {collect.printable(name) for name in ("Zoë  Quist", " Zoe\u0308\u00a0Quist ")}
    assert alike == {"Zoë Quist"}
    assert collect.printable("ada\u200b") == "ada\\x200b"
    assert collect.printable("می\u200cخواهم") == "می\u200cخواهم"


def test_the_digest_of_nothing_changes_with_its_reason() -> None:
    assert Unusable("a", "missing", "x").digest != Unusable("a", "missing", "y").digest
