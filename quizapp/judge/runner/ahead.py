"""Which backend, and workers that start before anything is known of the submission: they load while the host does.

No import here that would keep them waiting.
"""

import contextlib
import threading
from typing import Literal

from quizapp.judge.runner import docker, local
from quizapp.judge.runner.pool import Pool
from quizapp.judge.runner.worker import BackendUnavailable

Backend = Literal["docker", "local"]


def choose(backend: str) -> Backend:
    """``auto``: the container backend where an engine answers and the image is built, else local.

    Raises:
        BackendUnavailable: ``auto``, and neither will do.
    """
    if backend == "docker" or (backend != "local" and docker.is_available()):
        return "docker"
    if backend == "local" or local.has_torch():
        return "local"
    raise BackendUnavailable(
        "nothing here can run submissions: build the container image with `quizapp sandbox build`, "
        'or install torch with `pip install "quizapp[local]"`; `quizapp doctor` says more'
    )


class Ahead:
    """An oracle and a submission worker on their way. Hand it to a bench, and close it, whatever happens."""

    def __init__(self, backend: str) -> None:
        """Returns at once. What goes wrong shows when the bench starts workers."""
        self._wanted = backend
        self._opened: tuple[Backend, Pool] | None = None
        self._thread = threading.Thread(target=self._start, name="workers-ahead", daemon=True)
        self._thread.start()

    def _start(self) -> None:
        with contextlib.suppress(BackendUnavailable):
            backend = choose(self._wanted)
            pool = Pool(docker.start if backend == "docker" else local.start)
            self._opened = backend, pool
            pool.start_ahead()

    def opened(self) -> tuple[Backend, Pool] | None:
        """The backend and the pool that holds the workers; ``None`` where none can be started."""
        self._thread.join()
        return self._opened

    def close(self) -> None:
        """Ends the workers. Idempotent."""
        if (opened := self.opened()) is not None:
            opened[1].close()
