"""What the next queue begins with is kept while the app runs: a kill leaves it, too."""

from collections.abc import Callable

from textual.app import App
from textual.worker import get_current_worker

from quizapp.store.database import StoreError
from quizapp.store.store import Store

SECONDS = 2.0
"""Between two looks at whether something was answered since."""


def _cancelled() -> bool:
    """Whether what runs in this thread is no longer wanted."""
    return get_current_worker().is_cancelled


class KeepAhead:
    """Has it found out anew, in a thread, once an answer is some seconds old."""

    def __init__(self) -> None:
        self._answers = self._kept_at = -1

    def look(self, app: App[None], store: Store, keeper: Callable[[], Callable[[Callable[[], bool]], None] | None]) -> None:
        """``keeper`` gives what keeps it, to be called in a thread with what says that it is to stop."""
        try:
            last = store.last_attempt()
        except StoreError:
            return
        settled, self._answers = last == self._answers, last
        if not settled or last == self._kept_at:
            return
        self._kept_at = last
        keep = keeper()
        if keep is not None:
            app.run_worker(lambda: keep(_cancelled), name="ahead", group="ahead", thread=True, exclusive=True, exit_on_error=False)
