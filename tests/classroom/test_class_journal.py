"""The journal: what a kill, another process or another hand leaves in it."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from grading import choice_class, command, rows

from quizapp.classroom import ClassroomError
from quizapp.classroom.journal import Journal, read
from quizapp.cli.problem import Problem


def graded(tmp_path: Path, *more: str, name: str = "r") -> int:
    return command(
        "grade", "--item", "two-rank-mean", "--answers", tmp_path / "a.csv", "--out", tmp_path / f"{name}.csv", "--json", *more
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("wanted_kills", "students"), [(10, 30), pytest.param(100, 240, marks=pytest.mark.sweep)])
def test_no_kill_loses_doubles_or_changes_a_grade(tmp_path: Path, wanted_kills: int, students: int) -> None:
    """The grading is killed again and again, each time a little after it has gone on, until it gets to the end."""
    choice_class(tmp_path / "a.csv", students)
    graded(tmp_path, name="whole")
    journal = tmp_path / "r.jsonl"
    kills = 0
    seen: dict[bytes, None] = {}
    sizes = []
    for turn in range(wanted_kills * 10):
        process = os.fork()
        if process == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(1, 2)
                graded(tmp_path, *(["--resume"] if journal.exists() and b"\n" in journal.read_bytes() else []))
            finally:
                os._exit(0)
        # Killed once the journal has grown by a few bytes to a few lines: in the middle of a line as well as between two.
        start, wanted = journal.stat().st_size if journal.exists() else 0, 1 + 197 * turn % 600
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if journal.exists() and journal.stat().st_size >= start + wanted:
                time.sleep(0.0005 * (turn % 7))
                os.kill(process, signal.SIGKILL)
                kills += os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
                break
            time.sleep(0.0002)
        else:
            if kills < wanted_kills:  # it got to its end between two looks: once more from the beginning
                seen.clear()
                for file in tmp_path.glob("r.*"):
                    file.unlink()
                continue
            break
        whole = journal.read_bytes()
        lines = whole[: whole.rfind(b"\n") + 1].splitlines()
        assert list(seen) == lines[: len(seen)], "a line that was there is gone, or has changed"
        seen.update(dict.fromkeys(lines))
        sizes.append(len(lines))
        if kills >= wanted_kills:
            break
    assert kills == wanted_kills
    graded(tmp_path, "--resume")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    _, results = read(journal, journal.read_bytes())
    assert len(journal.read_bytes().splitlines()) == 1 + students == 1 + len(results), "a grade stands there twice"
    assert len(list((tmp_path / "r-feedback").glob("*.md"))) == students


def test_a_line_cut_short_is_dropped_and_done_again(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 8)
    graded(tmp_path)
    before, journal = (tmp_path / "r.csv").read_bytes(), tmp_path / "r.jsonl"
    whole = journal.read_bytes()
    for cut in (1, 40, len(whole.splitlines()[-1])):
        journal.write_bytes(whole[:-cut])
        graded(tmp_path, "--resume")
        assert (tmp_path / "r.csv").read_bytes() == before


def test_a_first_line_cut_short_is_begun_anew(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    (tmp_path / "r.jsonl").write_bytes(b'{"quizapp-grading": {"for')
    graded(tmp_path)
    assert len(rows(tmp_path / "r.csv")) == 3


def test_what_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    (tmp_path / "r.jsonl").write_text("my own notes")
    with pytest.raises(Problem, match="is no journal of quizapp"):
        graded(tmp_path)
    assert (tmp_path / "r.jsonl").read_text() == "my own notes"


def test_a_line_from_elsewhere_is_named(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    graded(tmp_path)
    journal = tmp_path / "r.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join((*lines[:2], '{"result": {"points": 100}}', *lines[2:])) + "\n")
    with pytest.raises(Problem, match=r"r.jsonl:3: not a line that"):
        graded(tmp_path, "--resume")


def test_a_journal_of_the_first_format_is_gone_on_with_in_the_present_one(tmp_path: Path) -> None:
    """What an earlier version can't read must name itself newer there, not a broken line."""
    choice_class(tmp_path / "a.csv", 5)
    graded(tmp_path)
    before, journal = (tmp_path / "r.csv").read_bytes(), tmp_path / "r.jsonl"
    heading, *results = journal.read_text().splitlines(keepends=True)
    assert '"format": 2' in heading
    first = heading.replace('"format": 2', '"format": 1')
    journal.write_text("".join((first, *results[:3])))
    assert read(journal, journal.read_bytes())[0].format == 1
    graded(tmp_path, "--resume")
    assert (tmp_path / "r.csv").read_bytes() == before
    lines = journal.read_text().splitlines(keepends=True)
    assert lines[:5] == [first, *results[:3], heading]
    assert len(lines) == 7


def test_a_journal_of_a_later_format_is_refused(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    graded(tmp_path)
    journal = tmp_path / "r.jsonl"
    journal.write_text(journal.read_text().replace('"format": 2', '"format": 3'))
    with pytest.raises(Problem, match="written by a newer quizapp"):
        graded(tmp_path, "--resume")


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_two_at_once_are_refused(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    graded(tmp_path)
    with Journal.resume(tmp_path / "r.jsonl"), pytest.raises(ClassroomError, match="another `quizapp grade` writes to it"):
        Journal.resume(tmp_path / "r.jsonl")


def test_a_changed_item_is_not_mixed_in(tmp_path: Path) -> None:
    choice_class(tmp_path / "a.csv", 3)
    graded(tmp_path)
    journal = tmp_path / "r.jsonl"
    text = journal.read_text()
    digest = text.partition('"item_hash": "')[2][:64]
    journal.write_text(text.replace(digest, "0" * 64))
    with pytest.raises(Problem, match="has changed since this grading began"):
        graded(tmp_path, "--resume")
