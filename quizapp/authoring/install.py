"""Banks that were installed: what is there, what a newer version changes, and taking them away again.

An installed set of banks is a folder below ``quizapp.bank.find.installed_folder``, with a hidden file that says where it came from.
It is put there whole or not at all. Not here: getting the files (``quizapp.authoring.sources``).
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from quizapp.authoring.sources import SourceError, fetch, kind_of
from quizapp.bank.fault import Fault
from quizapp.bank.find import RECORD, installed_folder, installed_folders
from quizapp.bank.load import Library, load
from quizapp.bank.words import slug
from quizapp.model.nouns import numbered

__all__ = ["Changes", "Installed", "Rejected", "SourceError", "install", "installed", "remove"]


NEW, OLD, GONE = ".new-", ".old-", ".gone-"
"""Beginnings of the names of folders that are on their way in, are being replaced, or are on their way out."""
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Installed:
    """One installed set of banks."""

    name: str
    source: str
    commit: str
    """Of a git repository, else ""."""
    versions: Mapping[str, int]
    """Bank -> its version."""
    items: Mapping[str, str]
    """Item -> digest of it as written."""
    programs: int = 0
    """Python files in it, which run in workers when a lab is opened."""

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return installed_folder() / self.name


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update changes."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    versions: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    """Bank -> version before and now, where they differ; ``None`` where it isn't there."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.versions)


class Rejected(ValueError):
    """Banks that can't be installed as they are. ``faults`` says what is wrong with them, if that is why."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


class Fetched:
    """Banks that have been fetched and checked, and wait to be put in their place. Close it, whether they were or not."""

    def __init__(self, source: str) -> None:
        """Fetches and checks.

        Raises:
            SourceError: the source can't be read. Rejected: its banks have faults, or their ids are taken. OSError: no room.
        """
        root = installed_folder()
        root.mkdir(parents=True, exist_ok=True)
        _tidy(root)
        self.place = Path(tempfile.mkdtemp(prefix=NEW, dir=root))
        try:
            commit = fetch(source, self.place)
            found = load([self.place], _registries())
            if found.faults:
                raise Rejected(
                    f"{source}: {numbered(len(found.faults), 'fault')}; mend them first", _told(found.faults, self.place)
                )
            if not found.banks:
                raise Rejected(f"{source}: no bank in it (no .yaml file with items)")
            versions = {loaded.bank.id: loaded.bank.version for loaded in found.banks}
            name = next(iter(versions)) if len(versions) == 1 else slug(_stem(source)) or next(iter(versions))
            self.before = next((one for one in installed() if one.name == name), None)
            _collide(found, name, source)
            items = {name_: entry.hash for name_, entry in found.items.items()}
            programs = sum(1 for _ in self.place.rglob("*.py"))
            where = source if kind_of(source) == "git" and "://" in source else os.path.abspath(source)
            where = source if source.startswith("git@") else where
            self.new = Installed(name, where, commit, versions, items, programs)
        except BaseException:
            self.close()
            raise

    @property
    def changes(self) -> Changes:
        """What would change; everything is added where nothing is installed under that name."""
        old, new = self.before, self.new
        known: Mapping[str, str] = old.items if old else {}
        versions: Mapping[str, int] = old.versions if old else {}
        names = dict.fromkeys((*versions, *new.versions))
        return Changes(
            tuple(name for name in new.items if name not in known),
            tuple(name for name in known if name not in new.items),
            tuple(name for name, digest in new.items.items() if known.get(name, digest) != digest),
            {name: (versions.get(name), new.versions.get(name)) for name in names if versions.get(name) != new.versions.get(name)},
        )

    def put(self) -> None:
        """Puts the banks in their place, where an earlier version makes room for them.

        Raises:
            OSError: they can't be put there; then the earlier version stays.
        """
        (self.place / RECORD).write_text(json.dumps(asdict(self.new), indent=1), "utf-8")
        old = self.new.folder.with_name(f"{OLD}{self.new.name}")
        shutil.rmtree(old, ignore_errors=True)
        if self.new.folder.exists():
            os.replace(self.new.folder, old)
        try:
            os.replace(self.place, self.new.folder)
        except OSError:
            if old.exists():
                os.replace(old, self.new.folder)
            raise
        shutil.rmtree(old, ignore_errors=True)

    def close(self) -> None:
        """Removes what was fetched and not put anywhere."""
        shutil.rmtree(self.place, ignore_errors=True)


def installed() -> list[Installed]:
    """Everything that is installed, by name; what can't be read is passed over."""
    found = []
    for folder in installed_folders():
        try:
            told = json.loads((folder / RECORD).read_text("utf-8"))
            found.append(Installed(**{**told, "name": folder.name}))
        except (OSError, ValueError, TypeError):
            found.append(Installed(folder.name, "", "", {}, {}))
    return found


def remove(name: str) -> Installed:
    """Takes installed banks away. What learners answered stays in their own file.

    Raises:
        KeyError: nothing is installed under that name. OSError: it can't be removed.
    """
    one = next((one for one in installed() if one.name == name), None)
    if one is None:
        raise KeyError(name)
    gone = one.folder.with_name(f"{GONE}{name}")
    shutil.rmtree(gone, ignore_errors=True)
    os.replace(one.folder, gone)
    shutil.rmtree(gone, ignore_errors=True)
    return one


def install(source: str) -> tuple[Installed, Changes]:
    """Fetches, checks and puts in place. Raises as :class:`Fetched` does."""
    fetched = Fetched(source)
    try:
        changes = fetched.changes
        fetched.put()
        return fetched.new, changes
    finally:
        fetched.close()


def _tidy(root: Path) -> None:
    """Puts back what a killed update had moved away, and removes what a killed one had fetched a day ago or earlier."""
    for old in root.glob(f"{OLD}*"):
        name = old.name.removeprefix(OLD)
        if not (root / name).exists():
            os.replace(old, root / name)
    for gone in root.glob(f"{GONE}*"):
        shutil.rmtree(gone, ignore_errors=True)
    for new in root.glob(f"{NEW}*"):
        with suppress(OSError):
            if time.time() - new.stat().st_mtime > DAY:
                shutil.rmtree(new, ignore_errors=True)


def _registries() -> list[Path]:
    from quizapp.bank.find import builtin_folder

    return [builtin_folder()]


def _stem(source: str) -> str:
    return Path(source.rstrip("/")).name.removesuffix(".git").removesuffix(".zip") or Path(source).resolve().name


def _told(faults: tuple[Fault, ...], place: Path) -> tuple[Fault, ...]:
    """The faults with their places in the source, not in the folder that it was fetched to."""
    return tuple(
        Fault(f.file.relative_to(place) if f.file.is_relative_to(place) else f.file, f.line, f.column, f.code, f.message, f.mend)
        for f in faults
    )


def _collide(found: Library, name: str, source: str) -> None:
    """Refuses banks and items whose ids others have that aren't replaced.

    Raises:
        Rejected: names the first of them.
    """
    from quizapp.bank.find import bank_folders

    around = load([folder for folder in bank_folders() if folder != installed_folder() / name])
    banks = {loaded.bank.id for loaded in around.banks}
    taken = [f"the bank {loaded.bank.id!r}" for loaded in found.banks if loaded.bank.id in banks]
    taken += [f"the item {item!r}" for item in found.items if item in around.items]
    if taken:
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        raise Rejected(f"{source}: {taken[0]} is here already{more}; remove the other, or give it another id")
