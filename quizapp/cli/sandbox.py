"""``quizapp sandbox``: the image in which submissions run."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from quizapp.cli.problem import Problem

sandbox_app = App(name="sandbox", help="The image in which submissions run.")


@sandbox_app.command
def build(
    *, base: str | None = None, wheels: Path | None = None, pip_args: Annotated[str, Parameter(allow_leading_hyphen=True)] = ""
) -> int:
    """Build the sandbox image, with progress.

    Parameters
    ----------
    base
        The image to build on: any with python3 (3.11 or later), pip and venv. Without it, the Dockerfile's own.
    wheels
        A folder of wheels for torch and numpy; the build then needs no network.
    pip_args
        More arguments for pip, such as another index (PyTorch's own for CPU-only builds).
    """
    from quizapp.judge.runner import docker, image

    if wheels is not None and not any(wheels.glob("*.whl")):
        command = f"pip download --only-binary :all: -d {wheels} torch==2.13.0 numpy"
        raise Problem(f"{wheels}: no wheels in this folder; fill it with `{command}`")
    last = ""
    try:
        if sys.stdout.isatty():
            from rich.console import Console

            console = Console()
            with console.status("sending the sources to the engine") as status:
                for last in image.build(base, wheels, pip_args):
                    status.update(last[: max(20, console.width - 4)])
        else:
            for last in image.build(base, wheels, pip_args):
                print(last, flush=True)
    except image.BackendUnavailable as error:
        raise Problem(str(error), code=3) from None
    except image.BuildFailed as error:
        print(last, file=sys.stderr)
        raise Problem(f"the image can't be built: {error}", code=3) from None
    print(f"built {docker.image_name()}")
    return 0
