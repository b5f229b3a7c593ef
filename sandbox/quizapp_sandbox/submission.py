"""A learner's file inside a rank: loading it, and turning what it raises into places in it."""

import importlib
import linecache
import re
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from quizapp_sandbox.contract import Invalid

GLOG_HEAD = re.compile(r"^\[rank[0-9]+\]:\[[A-Z][^\]]*\] ")
"""What torch's C++ puts before some of its messages: severity, date, thread, its own source line."""
Report = dict[str, Any]
"""JSON data: ``state`` and, where known, ``message``, ``line``, ``column``, ``function``."""


class MissingEntry(Exception):
    """The file defines no function of the wanted name."""


class Wanted(NamedTuple):
    """The entry that was loaded, and how the exercise describes its call."""

    entry: Callable[..., Any] | None
    signature: str


def module_of(name: str, source: str, filename: str) -> types.ModuleType:
    """Executes a file's text as a new module, under that name."""
    module = types.ModuleType(name)
    module.__file__ = filename
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    sys.modules[name] = module
    exec(compile(source, filename, "exec", dont_inherit=True), module.__dict__)
    return module


def load_entry(source: str, filename: str, entry: str) -> Callable[..., Any]:
    """Executes the file as a new module and gives its entry.

    Raises:
        MissingEntry: no callable of that name.
        BaseException: whatever the file raises.
    """
    module = module_of("submission", source, filename)
    function: Callable[..., Any] | None = getattr(module, entry, None)
    if function is not None and not callable(function):
        raise MissingEntry(f"the file makes {entry} a value of type {type(function).__name__}; it must define a function")
    if function is None:
        near = [name for name, value in vars(module).items() if isinstance(value, types.FunctionType)]
        found = f"it defines {', '.join(sorted(near))}" if near else "it defines no function"
        raise MissingEntry(f"the file must define {entry}; {found}")
    return function


def load_drive(name: str, source: str | None) -> types.ModuleType:
    """A ready drive by name, or a bank's ``drive.py`` from its text."""
    if source is None:
        return importlib.import_module(f"quizapp_sandbox.drives.{name.replace('-', '_')}")
    return module_of("drive", source, "drive.py")


def _place(error: BaseException, filename: str) -> Report:
    if isinstance(error, SyntaxError) and error.filename == filename:
        return {"line": error.lineno, "column": error.offset}
    place: Report = {}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            place = {"line": trace.tb_lineno, "function": trace.tb_frame.f_code.co_name}
        trace = trace.tb_next
    return place


_FROM_OTHERS = (
    "Connection closed by peer",
    "Timed out waiting",
    "Connection reset by peer",
    "Broken pipe",
    "gloo/transport",
    "NCCL error",
)


def is_from_others(error: BaseException) -> bool:
    """Whether an exception only says that another rank went away or never came."""
    import torch

    distributed = isinstance(error, torch.distributed.DistError)
    return isinstance(error, RuntimeError) and (distributed or any(text in str(error) for text in _FROM_OTHERS))


def _misfit(error: BaseException, filename: str, wanted: Wanted) -> Report | None:
    """What is told where the entry can't be called as the exercise calls it."""
    code = getattr(wanted.entry, "__code__", None)
    if not isinstance(error, TypeError) or _place(error, filename) or not isinstance(code, types.CodeType):
        return None
    if not str(error).startswith(f"{code.co_qualname}() "):
        return None
    place = {"line": code.co_firstlineno} if code.co_filename == filename else {}
    return {"state": "raised", "message": f"TypeError: {error}; it is called as {wanted.signature}"[:2000], **place}


def report_of(error: BaseException, filename: str, wanted: Wanted = Wanted(None, "")) -> Report:  # noqa: B008 - immutable
    """What is told of an exception that ended a scenario: ``state`` is ``invalid``, ``raised``, ``peer`` or ``limit``."""
    if (misfit := _misfit(error, filename, wanted)) is not None:
        return misfit
    place = _place(error, filename)
    text = GLOG_HEAD.sub("", str(error).strip())
    if isinstance(error, SystemExit):
        text = "" if error.code is None else text
    if isinstance(error, Invalid):
        return {"state": "invalid", "message": text[:2000], **place}
    if isinstance(error, MissingEntry):
        return {"state": "raised", "message": text[:2000]}
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return {"state": "limit", "message": "ran out of the memory allowed", **place}
    state = "peer" if is_from_others(error) else "raised"
    name = type(error).__name__
    if isinstance(error, SyntaxError):
        text = error.msg or text
    return {"state": state, "message": f"{name}: {text}"[:2000] if text else name, **place}


def tensor_arrays(observation: Mapping[str, Any]) -> Mapping[str, Any]:
    """A drive's observation as CPU tensors of a dtype that travels.

    Raises:
        Invalid: something in it is no tensor.
    """
    import torch

    tensors = {}
    for name, value in observation.items():
        if not isinstance(value, torch.Tensor):
            raise Invalid(f"{name} is a {type(value).__name__}, not a tensor")
        tensor = value.detach().cpu()
        kept = tensor.dtype in (torch.float32, torch.float64)
        wide = torch.float64 if tensor.dtype.is_floating_point else torch.int64
        tensors[name] = (tensor if kept else tensor.to(wide)).contiguous()
    return tensors
