"""Installing banks: from a folder, a zip file and git; what is refused; what an update says."""

import os
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from quizapp.authoring import sources
from quizapp.authoring.install import Rejected, SourceError, install, installed, remove
from quizapp.bank.find import bank_folders, installed_folder
from quizapp.bank.load import load

BANK = """\
id: guest
title: A guest
version: 1
description: Somebody else's bank.
items:
  - id: guest-one
    kind: checkpoint
    topics: [ddp]
    difficulty: 1
    stem: Which?
    explanation: This.
    choices: [{id: a, text: this, key: true}, {id: b, text: that, misconception: raw-sum}]
"""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("QUIZAPP_HOME", str(place))
    monkeypatch.delenv("QUIZAPP_BANKS", raising=False)
    return place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "guest"
    folder.mkdir()
    (folder / "bank.yaml").write_text(BANK, "utf-8")
    return folder


def zipped(tmp_path: Path, **members: str) -> Path:
    file = tmp_path / "guest.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


def test_a_folder_is_installed_and_loaded_and_removed(source: Path) -> None:
    (source / ".hidden").write_text("x")
    (source / "link.yaml").symlink_to(source / "bank.yaml")
    new, changes = install(str(source))
    assert (new.name, dict(new.versions), list(new.items), new.programs) == ("guest", {"guest": 1}, ["guest-one"], 0)
    assert changes.added == ("guest-one",)
    assert "guest-one" in load(bank_folders()).items
    assert sorted(os.listdir(installed_folder() / "guest")) == [".installed.json", "bank.yaml"]
    assert [one.name for one in installed()] == ["guest"]
    remove("guest")
    assert "guest-one" not in load(bank_folders()).items
    assert os.listdir(installed_folder()) == []
    with pytest.raises(KeyError):
        remove("guest")


def test_an_update_says_what_changed(source: Path) -> None:
    install(str(source))
    assert not install(str(source))[1]
    second = BANK[BANK.index("  - id") :].replace("guest-one", "guest-two")
    changed = BANK.replace("version: 1", "version: 2").replace("stem: Which?", "stem: Which one?")
    (source / "bank.yaml").write_text(changed + second, "utf-8")
    new, changes = install(str(source))
    assert new.versions == {"guest": 2}
    assert (changes.added, changes.removed, changes.changed) == (("guest-two",), (), ("guest-one",))
    assert changes.versions == {"guest": (1, 2)}
    (source / "bank.yaml").write_text(BANK, "utf-8")
    assert install(str(source))[1].removed == ("guest-two",)


def test_what_is_faulty_or_taken_is_refused_and_the_old_stays(source: Path, tmp_path: Path) -> None:
    install(str(source))
    (source / "bank.yaml").write_text(BANK.replace("difficulty: 1", "difficulty: 9"), "utf-8")
    with pytest.raises(Rejected, match="1 fault;") as refused:
        install(str(source))
    (fault,) = refused.value.faults
    assert str(fault.file) == "bank.yaml"
    assert load(bank_folders()).items["guest-one"].item.difficulty == 1
    other = tmp_path / "other"
    other.mkdir()
    (other / "bank.yaml").write_text(BANK.replace("id: guest\n", "id: other\n"), "utf-8")
    with pytest.raises(Rejected, match="the item 'guest-one' is here already"):
        install(str(other))
    (other / "bank.yaml").write_text(BANK.replace("id: guest\n", "id: intended-average\n").replace("guest-one", "x"), "utf-8")
    with pytest.raises(Rejected, match="the bank 'intended-average' is here already"):
        install(str(other))
    assert os.listdir(installed_folder()) == ["guest"]


def test_an_update_that_was_killed_half_way_loses_nothing(source: Path) -> None:
    install(str(source))
    root = installed_folder()
    os.replace(root / "guest", root / ".old-guest")
    (root / ".new-x").mkdir()
    os.utime(root / ".new-x", (0, 0))
    with pytest.raises(SourceError):
        install(str(source / "none"))
    assert os.listdir(root) == ["guest"]
    assert "guest-one" in load(bank_folders()).items


def test_a_zip_file(tmp_path: Path) -> None:
    file = zipped(tmp_path, **{"guest/bank.yaml": BANK, "guest/.git/config": "x", "guest/__pycache__/x.pyc": "x"})
    assert install(str(file))[0].name == "guest"
    assert not list(installed_folder().rglob("config"))


@pytest.mark.parametrize(
    "name", ["../out.yaml", "/out.yaml", "a/../../out.yaml", "a\\..\\out.yaml", "c:out.yaml", "a/con.yaml", "a./b.yaml"]
)
def test_a_zip_file_that_leads_outside(name: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"outside|on some systems"):
        install(str(zipped(tmp_path, **{"bank.yaml": BANK, name: BANK})))
    assert not list(tmp_path.rglob("out.yaml"))
    assert os.listdir(installed_folder()) == []


def test_a_zip_file_that_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(tmp_path, **{"bank.yaml": BANK, "zeros.yaml": "0" * (9 << 20)})
    assert bomb.stat().st_size < 20_000
    with pytest.raises(SourceError, match="larger than 8 MiB"):
        install(str(bomb))
    monkeypatch.setattr(sources, "MOST_BYTES", 500)
    with pytest.raises(SourceError, match="in all"):
        install(str(zipped(tmp_path, **{"bank.yaml": BANK, "more.yaml": BANK})))
    monkeypatch.setattr(sources, "MOST_FILES", 1)
    monkeypatch.setattr(sources, "MOST_BYTES", 1 << 20)
    with pytest.raises(SourceError, match="more than 1 files"):
        install(str(zipped(tmp_path, **{"bank.yaml": BANK, "more.yaml": BANK})))


def test_a_zip_file_that_lies_about_sizes(tmp_path: Path) -> None:
    file = zipped(tmp_path, **{"bank.yaml": BANK + "#" + "x" * 3000})
    data = file.read_bytes()
    size = len(BANK + "#" + "x" * 3000).to_bytes(4, "little")
    file.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    with pytest.raises((SourceError, Rejected)):
        install(str(file))


def test_a_link_in_a_zip_file_is_left_out(tmp_path: Path) -> None:
    file = zipped(tmp_path, **{"bank.yaml": BANK})
    with zipfile.ZipFile(file, "a") as archive:
        link = zipfile.ZipInfo("passwords.yaml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    install(str(file))
    assert not (installed_folder() / "guest" / "passwords.yaml").exists()


@pytest.mark.parametrize("damage", ["cut", "none", "text"])
def test_what_cannot_be_read_is_one_clear_line(damage: str, tmp_path: Path) -> None:
    file = zipped(tmp_path, **{"bank.yaml": BANK * 30})
    if damage == "cut":
        data = bytearray(file.read_bytes())
        data[60:90] = bytes(30)
        file.write_bytes(bytes(data))
    elif damage == "text":
        file.write_text("no zip", "utf-8")
    else:
        file.unlink()
    with pytest.raises(SourceError, match=r"guest\.zip") as error:
        install(str(file))
    assert "\n" not in str(error.value)


@pytest.mark.skipif(shutil.which("git") is None, reason="git isn't installed")
def test_a_git_repository_and_a_checkout_of_it(source: Path) -> None:
    def git(*arguments: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "init.defaultBranch=main")
        return subprocess.run(["git", *names, *arguments], cwd=source, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    commit = git("rev-parse", "HEAD")
    new, _ = install(f"file://{source}")
    assert (new.name, new.commit, new.source) == ("guest", commit, f"file://{source}")
    assert not (new.folder / ".git").exists()
    assert install(str(source))[0].commit == commit
    with pytest.raises(SourceError, match="none-there"):
        install(f"file://{source}/none-there")


def test_an_address_is_never_an_option_of_git() -> None:
    with pytest.raises(SourceError):
        install("--upload-pack=touch x.git")
