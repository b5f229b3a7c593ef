"""A person's file or a ready adapter, loaded; and where in it something went wrong."""

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class Unusable(Exception):
    """The file lacks what an audit needs; the message says what."""


def load(file: str, module: str | None) -> ModuleType:
    """The module of a file. With ``module``, the name under which a test suite knows it, if it can be imported so.

    Raises: whatever the file raises.
    """
    if module is not None and module.startswith("quizapp_auditor."):
        return importlib.import_module(module)  # its folder, whose files are named after libraries, stays off the path
    path = Path(file)
    sys.path.insert(0, str(path.parent))
    if module is not None:
        try:
            found = importlib.import_module(module)
        except ImportError:
            found = None
        if found is not None and getattr(found, "__file__", None) and Path(str(found.__file__)).resolve() == path:
            return found
    spec = importlib.util.spec_from_file_location("audited", path)
    if spec is None or spec.loader is None:
        raise Unusable(f"{path.name} isn't a Python file")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["audited"] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def check_signature(function: Callable[..., Any], arguments: Sequence[str]) -> None:
    """Raises: Unusable: the function can't be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        raise Unusable(f"{name}{signature} is called as {name}({', '.join(arguments)}): {error}") from None


HINTS = (
    ("StopIteration", "the data ran out: train one epoch over the data set"),
    ("CUDA", "an audit runs on CPU: take the device from the model or the batch"),
    ("NCCL", "an audit runs on CPU: the group that stands is gloo's"),
    ("default process group twice", "the process group stands already: make one only where dist.is_initialized() is false"),
    ("stack expects each tensor to be equal size", "rows have lengths of their own unless --batch says that several are stacked"),
    ("does not require grad", "are parameters frozen, or is something detached?"),
)
"""What may stand in an error, and what to do about it."""


INSTALLED = ("site-packages", "dist-packages")
"""Folders of libraries: an environment may lie within the trainer's own folder."""


def own_name(filename: str, file: str) -> str | None:
    """A file's path within the folder of the trainer; ``None`` if it lies elsewhere, or in an environment there."""
    try:
        inner = Path(filename).resolve().relative_to(Path(file).parent)
    except (OSError, ValueError):
        return None
    return None if set(INSTALLED) & set(inner.parts) or not inner.suffix else inner.as_posix()


def fault(error: BaseException, file: str) -> dict[str, Any]:
    """What a result says of an error: its kind, the innermost place in the person's file, and the calls in all files of its folder.

    ``frames``: [file within the folder, line, function, source line], the innermost last.
    """
    frames = [
        [name, frame.lineno, frame.name, frame.line or ""]
        for frame in traceback.extract_tb(error.__traceback__)
        if (name := own_name(frame.filename, file)) is not None
    ]
    if isinstance(error, SyntaxError) and error.filename and (name := own_name(error.filename, file)) is not None:
        frames.append([name, error.lineno, "", (error.text or "").strip()])
    place = next((line for name, line, *_ in reversed(frames) if name == Path(file).name), None)
    said = str(error).strip()
    if isinstance(error, Unusable):
        kind = "unusable"
    elif isinstance(error, ModuleNotFoundError) and error.name:
        kind, said = "missing", error.name.partition(".")[0]
    else:
        kind, said = "raised", f"{type(error).__name__}: {said}".removesuffix(": ")
        hint = next((hint for word, hint in HINTS if word in said), None)
        if hint is not None:
            said = f"{said[:1000]} ({hint})"
    return {"kind": kind, "line": place, "frames": frames, "message": said[:2000]}
