"""Texts that claim nothing, whatever their words are: terms one after the other, and sentences that run from noun to noun.

Not here: claims that are made of strung terms (``quizapp.scoring.claims``), and echoes of the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quizapp.scoring.clauses import Clause
from quizapp.scoring.lexicon import ARTICLES, CLAIMING, COMMANDS, REASONING
from quizapp.scoring.words import Word

LIST_RUN = 4
"""Terms in a row, between commas in one sentence, that make a list."""
TERM_WORDS = 2.2
"""Words of a piece up to which it is a term, whatever separates it."""
_SENTENCE = re.compile(r"[.!?]+(?=\s|$)|\n(?!\s*[-–—•*]\s)")
_ITEM = re.compile(r"[,;|]+|\s/\s|(?:\s|^)[-–—•*]\s")
_RELATION = re.compile(r"(?<=\s)(?:[=<>≥≤≈∝~⇒→]|[=!<>:]=|[-=]>)(?=\s)")
"""A sign that relates one thing to another, set apart by spaces as in notes, formulas and code."""
_STATEMENT = re.compile(r"^[ \t]*[\w.\[\]]+(?:\s*[-+*/]?=\s*\S+|\([^\n]*\w[^\n]*\)[ \t]*$)", re.M)
"""A line of code: an assignment, or a call with arguments."""
FEWEST_STATEMENTS = 2
LEADS_IN = frozenset({"so", "and", "then", "just", "simply", "first", "instead"})
FEWEST_RUNNING, MANY_ARTICLES, FEW_REASONS = 16, 0.15, 0.05
"""Words from which a text can be told to run on, its share of articles, and its share of words of reasoning
and of numbers."""


def is_list(text: str, words: Sequence[Word]) -> bool:
    """Terms one after the other, without sentences that say anything of them.

    Notes in few words are none: they end sentences, or relate one thing to another with a sign. A list runs on.
    """
    if len(_STATEMENT.findall(text)) >= FEWEST_STATEMENTS:
        return False
    sentences = [[piece for piece in _ITEM.split(part) if re.search(r"\w", piece)] for part in _SENTENCE.split(text)]
    pieces = [piece for sentence in sentences for piece in sentence]
    short, total = [len(piece.split()) for piece in pieces if _bare(piece)], sum(len(piece.split()) for piece in pieces)
    if len(short) >= 4 and sum(short) >= 0.6 * total:
        longest = max(sum(map(_bare, sentence)) for sentence in sentences)
        return longest >= LIST_RUN or total <= TERM_WORDS * len(pieces)
    related = len(_RELATION.findall(text)) + sum(not text[word.start].isalnum() for word in words)
    return len(words) >= 8 and sum(not word.content for word in words) <= 0.06 * len(words) and related * 12 < len(words)


def _bare(piece: str) -> bool:
    """Whether a piece between separators is a term of which nothing is said."""
    return len(piece.split()) <= 6 and not (set(re.findall(r"[\w']+", piece.casefold())) & CLAIMING or _RELATION.search(piece))


def _orders(clause: Clause) -> bool:
    """Whether a clause says what to do."""
    said = [word.text for word in clause.words if word.text not in LEADS_IN]
    return bool(said) and said[0] in COMMANDS


def says_nothing_of_its_own(words: Sequence[Word], clauses: Sequence[Clause]) -> bool:
    """Whether a text runs from noun to noun without anybody who asks, doubts, concludes or says what to do: likely nonsense.

    Measured on some ninety right answers and a dozen of fluent nonsense: it holds for one of the former and most of the latter.
    """
    if len(words) < FEWEST_RUNNING or any(_orders(clause) for clause in clauses):
        return False
    articles = sum(word.text in ARTICLES for word in words)
    reasoning = sum(word.text in REASONING or any(sign.isdigit() for sign in word.text) for word in words)
    return articles >= MANY_ARTICLES * len(words) and reasoning <= FEW_REASONS * len(words)
