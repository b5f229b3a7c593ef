"""Environments with real training libraries for the tests of ``quizapp audit``: ``python tests/audit/environments.py FOLDER``.

Each stands alone, as a person's own would, and holds no quizapp. torch, which is large, is shared: what torch needs is linked from
the environment that runs this script. An environment whose pins are the same as before is left as it is.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENVIRONMENTS: dict[str, tuple[str, ...]] = {
    "transformers-4.45": ("transformers==4.45.2", "accelerate==0.34.2", "tokenizers==0.20.3", "huggingface-hub==0.36.2"),
    "transformers-4.46": ("transformers==4.46.3", "accelerate==1.1.1", "tokenizers==0.20.3", "huggingface-hub==0.36.2"),
    "transformers-4.57": ("transformers==4.57.6", "accelerate==1.12.0", "tokenizers==0.22.2", "huggingface-hub==0.36.2"),
    "transformers-5": ("transformers==5.24.0", "accelerate==1.15.0"),
    "lightning-2.6": ("lightning==2.6.6",),
    "torch-2.6": ("torch==2.6.0", "numpy"),
}
"""Name -> what is installed in it, beside torch and numpy. The last has a torch of its own, of several gigabytes."""
TESTED = ("transformers-4.45", "transformers-4.57", "transformers-5", "lightning-2.6")
"""Those that the tests need. ``benchmarks/audits.py`` looks at all but the last."""
SHARED = ("torch", "numpy", "packaging", "PyYAML", "setuptools")


def closure(names: Iterator[str]) -> dict[str, Distribution]:
    """Distributions by name with all that they need on this machine."""
    found: dict[str, Distribution] = {}
    queue = list(names)
    while queue:
        name = canonicalize_name(queue.pop())
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # pip then installs it where it is needed
        for text in found[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                queue.append(requirement.name)
    return found


def share(target: Path) -> None:
    """Links the packages of :data:`SHARED` and what they need, whole folders, into another environment."""
    for needed in closure(iter(SHARED)).values():
        tops = {file.parts[0] for file in needed.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            source = Path(str(needed.locate_file(top)))
            if source.exists() and not (target / top).exists():
                os.symlink(source, target / top)


def make(folder: Path, name: str) -> None:
    """One environment, unless it stands already."""
    where = folder / name
    pins = "\n".join((sys.version, *ENVIRONMENTS[name]))
    note = where / "pins.txt"
    if note.exists() and note.read_text("utf-8") == pins:
        return
    shutil.rmtree(where, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", where], check=True)
    python = where / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    if not any(pin.startswith("torch==") for pin in ENVIRONMENTS[name]):
        share(Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-warn-script-location"]
    subprocess.run([*pip, "--no-compile", *ENVIRONMENTS[name]], check=True)
    note.write_text(pins, "utf-8")


if __name__ == "__main__":
    for wanted in sys.argv[2:] or TESTED:
        make(Path(sys.argv[1]).absolute(), wanted)
        print(f"{wanted}: {', '.join(ENVIRONMENTS[wanted])}", flush=True)
