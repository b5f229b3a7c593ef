"""Sheets to print: questions without answers, answers on a sheet of their own, nothing loaded from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from test_packages import QUIZ

from quizapp.authoring.formats.question import Choose, Option, Question, Quiz
from quizapp.authoring.formats.sheet import write_html, write_markdown

EVIL = Quiz(
    "e",
    "<script>alert(1)</script>",
    "",
    (Question("q", "<img src=x onerror=y> [a](javascript:z)", Choose((Option("<b>", True), Option("x", False)))),),
)


def test_markdown() -> None:
    asked, told = write_markdown(QUIZ)
    assert asked.startswith("# Averages & more\n")
    assert "## 1. Title <1>\n\n*3 points*\n\nWhich of `x < y`?\n\n- **A**  `a`\n\n- **B**  b < c\n\n## 2. 1 point" in asked
    assert "Choose all that are right." in asked
    assert "- `R`: ranks\n- `N`: tokens" in asked
    assert "**A**: `a`\n\n- **A**: yes & so\n\nSince **a**." in told
    assert "**8/3** (2.66666666667) tokens, give or take 0.01" in told
    assert "Key: `R/N`" in told


@pytest.mark.parametrize("secret", ["Since", "yes &", "R/N", "Says", "And then", "8/3", "2.66", "factor forgotten"])
def test_no_answer_on_the_questions(secret: str) -> None:
    for write in (write_markdown, write_html):
        asked, told = write(QUIZ)
        assert secret not in asked
        assert secret in told


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href") or name.startswith("on")]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("quiz", [QUIZ, EVIL], ids=["plain", "evil"])
def test_html_is_whole_and_needs_nothing(quiz: Quiz) -> None:
    for page in write_html(quiz):
        tags = Tags()
        tags.feed(page)
        assert tags.open == []
        assert tags.addresses == []
        assert not tags.names & {"script", "img", "link", "iframe"}
        assert not re.search(r"@import|url\(", page)
        assert page.startswith("<!DOCTYPE html>\n<html lang")
