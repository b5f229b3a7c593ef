"""Whatever a file holds, a reader ends, and what it writes loads."""

from __future__ import annotations

import tempfile
from pathlib import Path

from banks import SIGNS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from quizapp.authoring.formats.bank_yaml import block, quoted
from quizapp.authoring.formats.bring_in import READERS, bring_in
from quizapp.authoring.formats.report import Unreadable
from quizapp.authoring.formats.short import answer_of, pattern_of
from quizapp.bank.document import read
from quizapp.bank.load import load

WORDS = (
    *("::t::", "{=a ~b}", "{", "}", "=%50%x", "#1..2", "####", "->", "\\", "\n\n", "\n", "$CATEGORY: x", "// [id:y]", "[html]"),
    *("A. x", "B) y", "ANSWER: A", "question,a,b,answer\n", "q,x,y,A", '"', "\t", "#html:true\n", "{{c1::z}}", "{{ x }}"),
    *("<quiz>", "</quiz>", "<question type='multichoice'>", "</question>", "<questiontext><text>", "</text></questiontext>"),
    *("<answer fraction='100'><text>", "</text></answer>", "<![CDATA[", "]]>", "<b>", "&lt;", "&"),
    *("true", "1e3", "- ", "# ", ": ", "\u2028", "\x85", "\ufeff"),
)
texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(st.sampled_from(SIGNS), max_size=4)), max_size=14).map("".join)


@settings(max_examples=200, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.sampled_from(sorted(READERS)))
def test_any_text(text: str, format: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "quiz.txt").write_text(text, encoding="utf-8", newline="")
        try:
            found = bring_in(folder / "quiz.txt", folder / "bank.yaml", format)
        except Unreadable:
            return
        lines = text.count("\n") + text.count("\r") + 1
        assert all(1 <= trouble.line <= lines and trouble.column >= 1 for trouble in found.troubles)
        if found.text:
            (folder / "bank.yaml").write_text(found.text, encoding="utf-8")
            assert load([folder / "bank.yaml"]).faults == ()


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(lambda text: text.strip()) | texts)
def test_any_text_as_yaml(text: str) -> None:
    """What is written for a text is read as that text."""
    text = text.replace("\r", "\n").strip(" \n\t") or "x"
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "a.yaml")
        file.write_text(
            "\n".join((f"one: {quoted(text)}", *block("two", text, 0), "three:", "  - id: x", *block("four", text, 4), "")),
            encoding="utf-8",
        )
        document = read(file)
    assert document.faults == []
    assert isinstance(document.value, dict)
    assert document.value["one"] == text
    assert str(document.value["two"]).strip() == text.strip()
    assert str(document.value["three"][0]["four"]).strip() == text.strip()


@given(st.text(st.sampled_from("aB1 *+.()[]\\^$éß-'\""), min_size=1).filter(lambda text: text.strip(" *")))
def test_short_answers_are_known_again(text: str) -> None:
    answer = " ".join(text.split())
    assert answer_of(pattern_of(answer)) in (answer, None)
    if "\\" not in answer and " *" not in answer and "* " not in answer:
        assert answer_of(pattern_of(answer)) == answer
