"""Opens the learner's own editor on a text and takes it back. A file that a crash left is taken up at the next start."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

FALLBACKS = ("nano", "vim", "vi", "notepad")


class EditorError(Exception):
    """The editor could not be used; the message is one line that says what to do."""


def command() -> list[str]:
    """``VISUAL``, else ``EDITOR``, else an editor that is installed. Raises :class:`EditorError` where there is none."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        try:
            return shlex.split(named)
        except ValueError as error:
            raise EditorError(f"VISUAL or EDITOR can't be read ({error}): {named}") from None
    for name in FALLBACKS:
        if shutil.which(name):
            return [name]
    raise EditorError("no editor found; set EDITOR, as in: export EDITOR=vim")


def edited_file(home: Path, item: str, part: str) -> Path:
    """The file that the editor works on."""
    return home / "editing" / f"{item}--{part}.py"


def left_behind(file: Path) -> str | None:
    """What an interrupted visit to the editor left; ``None`` where none was interrupted."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def edit(file: Path, text: str) -> str:
    """Runs the editor on the text and gives it back as saved. The file stays until :func:`taken` is called.

    Raises:
        EditorError: no editor, one that fails, or a file that can't be written or read.
    """
    words = command()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([*words, str(file)])
        result = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EditorError(f"no editor {words[0]!r}; set EDITOR to one that is installed") from None
    except (OSError, UnicodeDecodeError) as error:
        raise EditorError(f"{file}: {error}") from None
    if done.returncode:
        raise EditorError(f"{words[0]} ended with {done.returncode}; your text is as it was before")
    return result


def taken(file: Path) -> None:
    """To be called when the text is safe elsewhere."""
    file.unlink(missing_ok=True)
