"""``quizapp sandbox``: the image in which submissions run."""

import re
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from quizapp.cli.problem import Problem

sandbox_app = App(name="sandbox", help="The image in which submissions run.")


@sandbox_app.command
def build(
    *,
    base: str | None = None,
    wheels: Path | None = None,
    torch_build: str = "",
    pip_args: Annotated[str, Parameter(allow_leading_hyphen=True)] = "",
) -> int:
    """Build the sandbox image, with progress.

    Parameters
    ----------
    base
        The image to build on: any with python3 (3.11 or later), pip and venv. Without it, the Dockerfile's own.
    wheels
        A folder of wheels for torch and numpy; the build then needs no network.
    torch_build
        The build of torch that the image must get: cpu, or a CUDA release such as cu130, which brings NCCL. Without it: any.
    pip_args
        More arguments for pip, such as another index (PyTorch has one for each build).
    """
    from quizapp.judge.runner import docker, image

    if wheels is not None and not any(wheels.glob("*.whl")):
        command = f"pip download --only-binary :all: -d {wheels} torch==2.13.0 numpy"
        raise Problem(f"{wheels}: no wheels in this folder; fill it with `{command}`")
    if re.fullmatch(r"(cpu|cu[0-9]{2,3})?", torch_build) is None:
        raise Problem(f"--torch-build {torch_build}: write cpu, or a CUDA release such as cu130")
    last = ""
    try:
        if sys.stdout.isatty():
            from rich.console import Console

            console = Console()
            with console.status("sending the sources to the engine") as status:
                for last in image.build(base, wheels, pip_args, torch_build):
                    status.update(last[: max(20, console.width - 4)])
        else:
            for last in image.build(base, wheels, pip_args, torch_build):
                print(last, flush=True)
    except image.BackendUnavailable as error:
        raise Problem(str(error), code=3) from None
    except image.BuildFailed as error:
        print(last, file=sys.stderr)
        raise Problem(f"the image can't be built: {error}", code=3) from None
    print(f"built {docker.image_name()}")
    return 0
