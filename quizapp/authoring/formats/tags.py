"""Topics and difficulty as tags, for formats that have tags and neither of the two."""

from collections.abc import Iterable

from quizapp.authoring.formats.question import Question
from quizapp.bank.words import slug

LEVEL = "level-"


def tags_of(question: Question) -> tuple[str, ...]:
    """A question's tags: its topics, and its difficulty as ``level-3``."""
    level = (f"{LEVEL}{question.difficulty}",) if question.difficulty else ()
    return (*question.topics, *level)


def read_tags(tags: Iterable[str]) -> tuple[tuple[str, ...], int | None]:
    """Topics and difficulty that tags stand for. Tags without a letter or digit are passed over."""
    topics, difficulty = [], None
    for tag in tags:
        name = slug(tag)[:80].strip("-")
        level = name.removeprefix(LEVEL)
        if name.startswith(LEVEL) and level.isdigit() and 1 <= int(level) <= 5:
            difficulty = int(level)
        elif name:
            topics.append(name)
    return tuple(dict.fromkeys(topics)), difficulty
