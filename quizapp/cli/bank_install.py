"""``quizapp bank install``, ``installed`` and ``remove``: banks that others wrote."""

import json as json_
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quizapp.cli.problem import Problem
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.authoring.install import Changes, Fetched, Installed

Yes = Annotated[bool, Parameter(name="--yes", negative=(), help="Don't ask.")]
Json = Annotated[bool, Parameter(name="--json", negative=(), help="Print one JSON object.")]
SHOWN = 12


def install(source: str, /, *, yes: Yes = False, json: Json = False) -> int:
    """Install banks, or a newer version of them, and say what changed.

    Parameters
    ----------
    source
        A folder, a zip file, or the address of a git repository.
    """
    from quizapp.authoring.install import Fetched, Rejected, SourceError

    try:
        fetched = Fetched(source)
    except SourceError as error:
        raise Problem(str(error)) from None
    except Rejected as error:
        for fault in error.faults:
            print(fault, file=sys.stderr)
        raise Problem(str(error)) from None
    except OSError as error:
        raise Problem(f"{error.filename}: {(error.strerror or 'cannot be written').lower()}", 3) from None
    try:
        _agreed(fetched, yes)
        changes = fetched.changes
        fetched.put()
    except OSError as error:
        raise Problem(f"{error.filename}: {(error.strerror or 'cannot be written').lower()}", 3) from None
    finally:
        fetched.close()
    if json:
        told = {"added": changes.added, "removed": changes.removed, "changed": changes.changed}
        print(json_.dumps({**_as_json(fetched.new), "updated": fetched.before is not None, **told}, indent=2))
    else:
        _say(fetched, changes)
    return 0


def _agreed(fetched: "Fetched", yes: bool) -> None:
    """Asks before the first Python of somebody else's gets in.

    Raises:
        Problem: not agreed to, or nobody there to ask.
    """
    if yes or not fetched.new.programs:
        return
    warning = f"{fetched.new.name} holds {fetched.new.programs} Python files, which run in workers when somebody opens a lab"
    if not sys.stdin.isatty():
        raise Problem(f"{warning}; install it with --yes if you trust where it comes from")
    print(f"{warning}. Install it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Problem("not installed")


def _say(fetched: "Fetched", changes: "Changes") -> None:
    new = fetched.new
    versions = ", ".join(f"{name} version {version}" for name, version in new.versions.items())
    if fetched.before is None:
        print(f"installed {new.name}: {versions}")
        print(f"{numbered(len(new.items), 'item')}; `quizapp bank list` shows them")
        return
    if not changes:
        print(f"{new.name} is as it was: {versions}")
        return
    print(f"updated {new.name}: {versions}")
    for name, (before, now) in changes.versions.items():
        print(f"  {name}: version {before or 'none'} -> {now or 'none'}")
    for what, names in (("added", changes.added), ("removed", changes.removed), ("changed", changes.changed)):
        if names:
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            print(f"  {what}: {', '.join(names[:SHOWN])}{more}")
    if not changes.versions:
        print("  though no version has changed")


def installed(*, json: Json = False) -> int:
    """List installed banks, with their versions and where they came from."""
    from quizapp.authoring.install import installed as found

    everything = found()
    if json:
        print(json_.dumps({"installed": [_as_json(one) for one in everything]}, indent=2))
        return 0
    for one in everything:
        print(
            f"{one.name}  {numbered(len(one.items), 'item')}  {one.source or 'unknown source'}"
            + (f"  {one.commit[:10]}" if one.commit else "")
        )
        for name, version in one.versions.items():
            print(f"  {name}  version {version}")
    if not everything:
        print("none; `quizapp bank install SOURCE` installs some")
    return 0


def remove(name: str, /) -> int:
    """Take installed banks away. What you answered stays.

    Parameters
    ----------
    name
        As `quizapp bank installed` says.
    """
    from quizapp.authoring.install import installed as found
    from quizapp.authoring.install import remove as take_away

    try:
        take_away(name)
    except KeyError:
        known = ", ".join(one.name for one in found()) or "none"
        raise Problem(f"nothing installed is named {name!r}; installed are: {known}") from None
    except OSError as error:
        raise Problem(f"{error.filename}: {(error.strerror or 'cannot be removed').lower()}", 3) from None
    print(f"removed {name}")
    return 0


def _as_json(one: "Installed") -> dict[str, object]:
    return {"name": one.name, "source": one.source, "commit": one.commit, "versions": dict(one.versions), "items": len(one.items)}
