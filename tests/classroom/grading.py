"""What the tests of this room share: the command run in this process, and a class's answers."""

import csv
import random
from collections.abc import Iterable
from pathlib import Path

from quizapp.cli.main import run

NUMERIC = "two-rank-tokens"


def command(*arguments: str | Path) -> int:
    return run([str(argument) for argument in arguments])


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def answers_csv(path: Path, lines: Iterable[tuple[str, ...]], heading: str = "student,answer") -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(heading.split(","))
        writer.writerows(lines)
    return path


def choice_class(path: Path, students: int) -> Path:
    """A class's answers to ``two-rank-mean``: right, wrong, unreadable and missing ones."""
    dice = random.Random(7)
    picked = ("global-mean", "global-mean", "local-means-averaged", "sum-only", "rank-b-alone", "no such option", "")
    return answers_csv(path, ((f"student {number:03}", dice.choice(picked)) for number in range(students)))
