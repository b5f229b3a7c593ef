"""The course of an interview, as the store has it: what tells whether another app has gone on with the same one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quizapp.store.record import Session


class GoneOn(Exception):
    """The interview was gone on with, or ended, elsewhere; nothing was stored."""


def mapped(value: object) -> dict[str, object]:
    """A stored mapping; empty where it is none."""
    return {str(key): entry for key, entry in value.items()} if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Course:
    """What was answered and chosen: neither the clock nor the notes."""

    answers: int
    labs: Mapping[str, object]
    further: tuple[object, ...]
    overtime: object
    ended: bool

    @classmethod
    def of(cls, position: Mapping[str, object], answers: int, ended: bool) -> Course:
        further = position.get("further")
        listed = tuple(further) if isinstance(further, list) else ()
        return cls(answers, mapped(position.get("labs")), listed, position.get("overtime"), ended)


def over_stored(position: Mapping[str, object], stored: Session, notes: Mapping[str, str]) -> Mapping[str, object]:
    """What is to be stored in place of a position of the same course. Of the notes only ``notes`` are new; the clock never goes
    back while the same question is open."""
    found = {**position, "notes": {**mapped(stored.position.get("notes")), **notes}}
    theirs, ours = stored.position.get("elapsed"), position.get("elapsed")
    same = stored.position.get("asked_at", 0.0) == position.get("asked_at")
    if same and isinstance(theirs, int | float) and isinstance(ours, int | float):
        found["elapsed"] = max(theirs, ours)
    return found


def joined_notes(stored: str, here: str) -> str:
    """Notes of two apps beside one question, each word of both in it."""
    if here.strip() in stored:
        return stored
    return here if stored.strip() in here else f"{stored.rstrip()}\n{here}"
