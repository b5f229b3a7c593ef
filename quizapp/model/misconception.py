"""A misconception: a wrong idea with a stable id that distractors, wrong numbers, wrong weights and rubrics speak of."""

from pydantic import Field

from quizapp.model.base import Id, Markdown, Model


class Misconception(Model):
    """One entry of ``misconceptions.yaml``."""

    id: Id
    title: Markdown
    """What it is, in a line: "the mean of per-rank means"."""
    computes: Markdown
    """What the wrong program or person computes."""
    why: Markdown
    """Why people do it."""
    cure: Markdown
    """What to do instead."""
    aliases: tuple[str, ...] = Field(default=())
    """Catalogue codes (``M02``) under which it is known elsewhere."""
