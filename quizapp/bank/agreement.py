"""Whether the values of an item agree with each other: ids, points, keys, misconceptions, follow-ups, patterns.

Works on the plain values of the file and passes over what has the wrong shape, so that one fault doesn't hide another. Not here:
the shape itself (``quizapp.bank.shape``), formulas and slots (``quizapp.bank.numbers``).
"""

from collections.abc import Collection, Iterator
from typing import Any

import regex

from quizapp.bank.document import Document, Path_
from quizapp.bank.words import meant

Mapping_ = dict[str, Any]


def entries(holder: object, key: str) -> Iterator[tuple[int, Mapping_]]:
    """The mappings in the list at a key, with their indices."""
    found = holder.get(key) if isinstance(holder, dict) else None
    for index, entry in enumerate(found if isinstance(found, tuple) else ()):
        if isinstance(entry, dict):
            yield index, entry


def unique(document: Document, path: Path_, holder: object, key: str, what: str, default: str | None = None) -> None:
    """Adds a fault for each entry of a list whose id an earlier one has."""
    seen: dict[str, Path_] = {}
    for index, entry in entries(holder, key):
        name = entry.get("id", default)
        if not isinstance(name, str):
            continue
        here = (*path, key, index, "id") if "id" in entry else (*path, key, index)
        if name in seen:
            message = f"{what} {name!r} stands here a second time (first in line {document.line(seen[name])})"
            document.fault(here, "duplicate-id", message, "give it another id")
        seen.setdefault(name, here)


def check_item(document: Document, path: Path_, item: object, known: Collection[str]) -> None:
    """Adds every fault of an item's own agreement; ``known`` are the misconceptions of the registry and of this bank."""
    if not isinstance(item, dict):
        return
    checker = _Checker(document, known)
    match item.get("kind"):
        case "checkpoint":
            checker.choices(path, item, every=True)
        case "exercise":
            unique(document, path, item, "parts", "the part", "main")
            for index, part in entries(item, "parts"):
                checker.part((*path, "parts", index), part)
            parts = [part.get("points", 1) for _, part in entries(item, "parts")]
            checker.points(path, item, "parts", parts)
        case "probe":
            rubric = item.get("rubric")
            checker.rubric((*path, "rubric"), rubric)
            checker.points(path, item, "rubric's criteria", [c.get("points") for _, c in entries(rubric, "criteria")])
            checker.follow_ups(path, item)


class _Checker:
    def __init__(self, document: Document, known: Collection[str]) -> None:
        self.document, self.known = document, known

    def misconception(self, path: Path_, name: object) -> None:
        if isinstance(name, str) and name not in self.known:
            mend = meant(name, self.known) if self.known else "add it to misconceptions.yaml"
            self.document.fault(path, "unknown-misconception", f"no misconception {name!r} is registered", mend)

    def points(self, path: Path_, holder: Mapping_, what: str, parts: list[object]) -> None:
        total = holder.get("points", 1 if holder.get("kind") == "text" else None)
        numbers = [points for points in parts if isinstance(points, int) and not isinstance(points, bool)]
        if not parts or len(numbers) != len(parts) or min(numbers) < 1 or not isinstance(total, int) or sum(numbers) == total:
            return
        where = (*path, "points") if "points" in holder else path
        sums = " + ".join(str(points) for points in numbers)
        message = f"points are {total}, and the {what} have {sums}" + (f" = {sum(numbers)}" if len(numbers) > 1 else "")
        self.document.fault(where, "points-sum", message, f"write `points: {sum(numbers)}`, or change what the {what} give")

    def part(self, path: Path_, part: Mapping_) -> None:
        match part.get("kind"):
            case "choice":
                self.choices(path, part, every=False)
            case "numeric" | "symbolic":
                for index, wrong in entries(part, "wrong"):
                    self.misconception((*path, "wrong", index, "misconception"), wrong.get("misconception"))
            case "text":
                rubric = part.get("rubric")
                self.rubric((*path, "rubric"), rubric)
                self.points(path, part, "rubric's criteria", [c.get("points") for _, c in entries(rubric, "criteria")])

    def choices(self, path: Path_, holder: Mapping_, *, every: bool) -> None:
        """Options; ``every`` distractor of a checkpoint must name its misconception."""
        unique(self.document, path, holder, "choices", "the choice")
        found = list(entries(holder, "choices"))
        if found and not any(_is_key(choice) for _, choice in found):
            message = "no choice is the key"
            self.document.fault((*path, "choices"), "no-key", message, "add `key: true` to each right choice", key=True)
        for index, choice in found:
            here, key = (*path, "choices", index), _is_key(choice)
            if choice.get("text") is None and choice.get("value") is None:
                message = "a choice with neither text nor value"
                self.document.fault(here, "choice-empty", message, "add `text:`, or `value:` for a number")
            if every and not key and choice.get("misconception") is None:
                message = "a distractor that names no misconception"
                self.document.fault(here, "distractor-unnamed", message, "add `misconception:` with an id of the registry")
            if key and choice.get("misconception") is not None:
                message = "a right choice that names a misconception"
                self.document.fault((*here, "misconception"), "key-misconception", message, "remove it, or `key: true`", key=True)
            self.misconception((*here, "misconception"), choice.get("misconception"))

    def rubric(self, path: Path_, rubric: object) -> None:
        unique(self.document, path, rubric, "criteria", "the criterion")
        unique(self.document, path, rubric, "misconceptions", "the misconception")
        criteria = _ids(rubric, "criteria")
        for index, criterion in entries(rubric, "criteria"):
            here = (*path, "criteria", index)
            if not any(criterion.get(key) for key in ("accept", "groups", "regex")):
                mend = "add `accept:`, `groups:` or `regex:`"
                self.document.fault(here, "criterion-empty", "a criterion that no answer can meet", mend)
            self._patterns((*here, "regex"), criterion.get("regex"))
        for index, shown in entries(rubric, "misconceptions"):
            here = (*path, "misconceptions", index)
            self.misconception((*here, "id"), shown.get("id"))
            self._references((*here, "cancels"), shown.get("cancels"), criteria)

    def follow_ups(self, path: Path_, item: Mapping_) -> None:
        unique(self.document, path, item, "follow_ups", "the follow-up")
        criteria, shown = _ids(item.get("rubric"), "criteria"), _ids(item.get("rubric"), "misconceptions")
        for index, follow_up in entries(item, "follow_ups"):
            here = (*path, "follow_ups", index)
            self._references((*here, "missed"), follow_up.get("missed"), criteria)
            for position, name in enumerate(_texts(follow_up.get("shown"))):
                where = (*here, "shown", position)
                if isinstance(name, str) and name in self.known and name not in shown:
                    message = f"this probe's rubric never shows the misconception {name!r}"
                    self.document.fault(where, "unknown-misconception", message, meant(name, shown))
                else:
                    self.misconception(where, name)
            self.rubric((*here, "rubric"), follow_up.get("rubric"))

    def _references(self, path: Path_, named: object, criteria: Collection[str]) -> None:
        for position, name in enumerate(_texts(named)):
            if isinstance(name, str) and name not in criteria:
                message = f"the rubric has no criterion {name!r}"
                self.document.fault((*path, position), "unknown-criterion", message, meant(name, criteria))

    def _patterns(self, path: Path_, patterns: object) -> None:
        for position, pattern in enumerate(_texts(patterns)):
            if not isinstance(pattern, str):
                continue
            try:
                regex.compile(pattern)
            except regex.error as error:
                message = f"not a pattern: {getattr(error, 'msg', error)}"
                mend = "mend the pattern, and keep it in single quotes"
                self.document.fault((*path, position), "regex", message, mend, offset=getattr(error, "pos", None) or 0)


def _is_key(choice: Mapping_) -> bool:
    """Whether a choice is meant as a right one; `key: yes` is (a fault of shape, and no distractor)."""
    return choice.get("key") not in (None, False)


def _texts(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def _ids(holder: object, key: str) -> list[str]:
    return [entry["id"] for _, entry in entries(holder, key) if isinstance(entry.get("id"), str)]
