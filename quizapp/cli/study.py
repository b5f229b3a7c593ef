"""``quizapp study``: a bank from front to back, one item, or a queue of what is due with new items between.

Here: the command's options. What is done: ``quizapp.cli.sitting``, which the plainest command lines reach without a parser.
"""

from typing import Annotated

from cyclopts import Parameter

from quizapp.cli.app import Backend, Folders
from quizapp.cli.sitting import begin

Flag = Parameter(negative=())


def study(
    name: Annotated[str | None, Parameter(name="BANK")] = None,
    /,
    *,
    item: str | None = None,
    topic: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    difficulty: Annotated[tuple[int, ...], Parameter(negative=())] = (),
    length: int | None = None,
    due: Annotated[bool, Flag] = False,
    wrong: Annotated[bool, Flag] = False,
    flagged: Annotated[bool, Flag] = False,
    bank: Folders = (),
    backend: Backend = "auto",
) -> int:
    """Study in the terminal app: what is due and new items between, a bank from front to back, or a choice of items.

    Without anything, a queue over all banks, gone on with where you left it today. With a bank alone, that bank from where you
    left it. With any of the options that choose, a new queue of those items.

    Parameters
    ----------
    name
        The bank's id.
    item
        Only this item, by its id.
    topic
        Only items about this topic (repeatable).
    difficulty
        Only items of this difficulty, 1 to 5 (repeatable).
    length
        At most so many items.
    due
        Only what is due now.
    wrong
        Only what was not fully right the last time.
    flagged
        Only what you have flagged.
    """
    kinds = {"due": due, "wrong": wrong, "flagged": flagged}
    return begin(name, item=item, topics=topic, difficulties=difficulty, length=length, kinds=kinds, extra=bank, backend=backend)
