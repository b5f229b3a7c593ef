"""What a wheel carries beside the packages: the built-in banks and the Dockerfile, as data of ``quizapp``.

An editable install gets neither: it reads both from the source tree, and a copy would go stale.
"""

from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA = {"questions": "quizapp/data/questions", "Dockerfile": "quizapp/data/Dockerfile"}


class Data(BuildHookInterface[BuilderConfig]):
    """Adds the data to a standard build."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"].update(DATA)
