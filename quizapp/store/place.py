"""Where the learner's file lies. Only paths; nothing here opens or makes anything."""

import os
from pathlib import Path

FILE_NAME = "progress.sqlite3"


def home() -> Path:
    """The folder of the learner's own data: ``QUIZAPP_HOME`` where set, else the platform's place for user data."""
    override = os.environ.get("QUIZAPP_HOME")
    if override:
        return Path(override).expanduser()
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False)


def database_path() -> Path:
    """The file that holds attempts, drafts and sessions."""
    return home() / FILE_NAME
