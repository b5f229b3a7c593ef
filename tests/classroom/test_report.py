"""`quizapp report`: from results and from learners' progress, as HTML that nothing in it can break out of, Markdown and CSV."""

import json
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest
from grading import answers_csv, choice_class, command, rows
from hypothesis import example, given
from hypothesis import strategies as st

from quizapp.classroom.files import write
from quizapp.classroom.page import assembled, code_block, plain, rendered
from quizapp.classroom.picture import histogram
from quizapp.classroom.sheet import defused, fused
from quizapp.cli.problem import Problem
from quizapp.model.score import CriterionScore, score_of
from quizapp.store.opinion import regrade, rule
from quizapp.store.record import Answer
from quizapp.store.store import Store
from quizapp.store.transfer import export

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>|`](javascript:x) *b*"


class Tags(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attributes


def harmless(text: str) -> None:
    page = Tags(text)
    assert not page.tags & {"script", "img", "iframe", "object", "link", "a", "form"}, page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("href", "src")]
    assert "default-src 'none'" in text


@pytest.fixture
def results(tmp_path: Path) -> Path:
    choice_class(tmp_path / "a.csv", 24)
    command("grade", "--item", "two-rank-mean", "--answers", tmp_path / "a.csv", "--out", tmp_path / "r.csv", "--json")
    return tmp_path / "r.csv"


def test_a_class(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command("report", results, "--out", tmp_path / "report", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    (item,) = said["items"]
    assert item["students"] == 24
    assert sum(option["count"] for option in item["options"]) == item["answered"] == 24 - item["omitted"] - item["unreadable"]
    assert [option["id"] for option in item["options"] if option["key"]] == ["global-mean"]
    shown = {one["id"]: one["students"] for one in said["misconceptions"]}
    wrong = [one["student"] for one in rows(results) if one["misconceptions"] == "raw-sum"]
    assert shown["raw-sum"] == wrong
    names = ["items.csv", "misconceptions.csv", "options.csv", "report.html", "report.md", "students.csv"]
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == names
    text = (tmp_path / "report" / "report.html").read_text("utf-8")
    harmless(text)
    assert text.count("<svg ") >= 3
    assert (tmp_path / "report" / "report.md").read_text("utf-8").count("student 0") > 5


def test_the_journal_reports_the_same_as_the_csv(results: Path, tmp_path: Path) -> None:
    command("report", results, "--out", tmp_path / "one")
    command("report", results.with_suffix(".jsonl"), "--out", tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_points_changed_by_hand_count(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = results.read_text()
    results.write_text(re.sub(r"(two-rank-mean,main,graded,wrong),0,1", r"\1,0.5,1", text))
    capsys.readouterr()
    command("report", results, "--out", tmp_path / "report", "--json")
    shares = {one["share"] for one in json.loads(capsys.readouterr().out)["students"]}
    assert shares == {0.0, 0.5, 1.0}


def progress(folder: Path, name: str, *answers: tuple[str, int, float]) -> Path:
    """A learner's exported progress: answers to ``two-rank-mean``, points, seconds."""
    with Store(folder / f"{name}.sqlite3") as store:
        for text, points, seconds in answers:
            wrong = () if points else ("mean-of-rank-means",)
            score = score_of(
                (CriterionScore(id="main", points=points, max_points=1, met="met" if points else "unmet", reason="x"),), wrong
            )
            store.add(Answer(None, "intended-average", "two-rank-mean", "main", None, text, "h", "s", score=score, seconds=seconds))
        (folder / f"{name}.jsonl").write_text("\n".join(export(store)) + "\n", "utf-8")
    return folder / f"{name}.jsonl"


def test_learners_progress_is_pooled_and_the_first_answer_counts(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = progress(tmp_path, "ada", ("A", 0, 40.0), ("D", 1, 5.0))
    ben = progress(tmp_path, "ben", ("D", 1, 20.0))
    capsys.readouterr()
    command("report", results, ada, ben, "--out", tmp_path / "report", "--json")
    said = json.loads(capsys.readouterr().out)
    shares = {one["student"]: one["share"] for one in said["students"]}
    assert (shares["ada"], shares["ben"], len(shares)) == (0.0, 1.0, 26)
    assert said["items"][0]["seconds"] == 30.0
    assert "ada" in next(one["students"] for one in said["misconceptions"] if one["id"] == "mean-of-rank-means")
    command("report", results, results, "--out", tmp_path / "report")
    assert "24 answers that a file before it has as well" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["ruled", "regraded"])
def test_of_learners_progress_what_holds_now_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    file = progress(tmp_path, "ada", ("A", 0, 40.0))
    with Store(tmp_path / "ada.sqlite3") as store:
        if how == "ruled":
            rule(store, 1, "main", "met", "So it is.", "Ben")
        else:
            score = score_of((CriterionScore(id="main", points=1, max_points=1, met="met", reason="x"),))
            regrade(store, [(1, "h", "s", score)])
        file.write_text("\n".join(export(store)) + "\n", "utf-8")
    command("report", file, "--out", tmp_path / "report", "--json")
    said = json.loads(capsys.readouterr().out)
    assert (said["students"], said["misconceptions"]) == ([{"student": "ada", "share": 1.0}], [])
    assert said["items"][0]["outcomes"] == [["right", 1]]


def test_pages_hold_foreign_text_as_text(tmp_path: Path) -> None:
    answers = answers_csv(tmp_path / "a.csv", [(HOSTILE, HOSTILE), ("ben", HOSTILE)])
    command("grade", "--item", "why-gpus-change-loss", "--answers", answers, "--out", tmp_path / "r.csv")
    command("report", tmp_path / "r.csv", "--out", tmp_path / "report")
    pages = [*(tmp_path / "r-feedback").glob("*.html"), tmp_path / "report" / "report.html"]
    assert len(pages) == 3
    for path in pages:
        harmless(path.read_text("utf-8"))
    assert "&lt;script&gt;" in pages[0].read_text("utf-8")


def test_only_our_own_pictures_are_taken_over_as_they_are() -> None:
    forged = "<svg onload=alert(1)></svg>"
    assert Tags(assembled([forged, histogram([1], ["a"], "b")])).tags >= {"svg", "rect"}
    assert not [name for name, _ in Tags(assembled([forged, histogram([1], ["a"], "b")])).attributes if name.startswith("on")]


@given(st.text(max_size=60))
def test_plain_text_stays_what_it_is(text: str) -> None:
    page = Tags(f"<div>{rendered('x ' + plain(text))}</div>")
    assert page.tags <= {"div", "p"}


@given(st.text(alphabet="`~\n ab<", max_size=40))
def test_nothing_ends_a_block_of_code(text: str) -> None:
    assert Tags(rendered(code_block(text) + "\n\nend")).tags == {"pre", "code", "p"}


@given(st.text(max_size=30))
@example("\x0c=1")
def test_no_cell_is_a_formula_and_each_comes_back(text: str) -> None:
    cell = defused(text)
    assert fused(cell) == text
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))


def test_mistakes_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    (tmp_path / "p.csv").write_text("student,item,part,status,outcome,points,max_points\nada,i,main,graded,pass,x,1\n")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe")
    for name, said in (
        ("none.csv", "can't be read"),
        ("x.csv", "x.csv:1: no column student"),
        ("p.csv", "p.csv:2: points"),
        ("b.csv", "not UTF-8"),
    ):
        with pytest.raises(Problem, match=said):
            command("report", tmp_path / name)
    with pytest.raises(Problem, match="name results"):
        command("report")


def test_a_report_that_can_not_be_written_says_where_it_may_be(results: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match=r"report.html: can't be written: .*; name a folder that you can write to with --out"):
        command("report", results, "--out", tmp_path / "file" / "report")


def keys_in(value: object, prefix: str = "") -> set[str]:
    if isinstance(value, list):
        return set().union(*(keys_in(entry, f"{prefix[:-1]}[].") for entry in value))
    if isinstance(value, dict):
        return {prefix + key for key in value}.union(*(keys_in(entry, f"{prefix}{key}.") for key, entry in value.items()))
    return set()


@pytest.mark.parametrize("name", ["grade", "report"])
def test_the_keys_are_those_of_the_page(name: str, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    section = (ROOT / "docs" / "json.md").read_text("utf-8").partition(f"## quizapp {name}\n")[2].partition("\n## ")[0]
    documented = set(re.findall(r"^\| `([\w.\[\]]+)` \|", section, flags=re.MULTILINE))
    capsys.readouterr()
    if name == "grade":
        command("grade", "--item", "two-rank-mean", "--answers", tmp_path / "a.csv", "--out", results, "--resume", "--json")
    else:
        # Ten students wrong on one item, so that there is something to look at, and two programs that are the same.
        lines = [f"s{n},i,main,graded,wrong,0,1,,,,f,same,1,local\n" for n in range(10)]
        heading = "student,item,part,status,outcome,points,max_points,misconceptions,chosen,reason,file,sha256,seed,backend\n"
        (tmp_path / "more.csv").write_text(heading + "".join(lines))
        command("report", results, tmp_path / "more.csv", "--out", tmp_path / "report", "--json")
    assert keys_in(json.loads(capsys.readouterr().out)) == documented


def test_a_pipe_or_a_device_is_written_into_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "out.html"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        write(pipe, "<p>a page</p>")
        assert read.result(timeout=240) == "<p>a page</p>"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [*tmp_path.iterdir()] == [pipe]
