"""Follow-ups that are never asked, because an earlier one goes before them in every case that they are for."""

from quizapp.bank.document import Document, Path_
from quizapp.model.question import FollowUp, Item, Probe


def add_follow_up_faults(document: Document, path: Path_, item: Item) -> None:
    """Adds each follow-up of a probe that no answer leads to.

    The order in which they are asked is ``quizapp.practice.interview``'s: for a shown misconception the first that names it, for a
    missed criterion likewise, else the first that is bound to nothing.
    """
    if not isinstance(item, Probe):
        return
    first: dict[tuple[str, str], str] = {}
    for index, follow_up in enumerate(item.follow_ups):
        cases = _cases(follow_up)
        if all(case in first for case in cases):
            earlier = ", ".join(dict.fromkeys(repr(first[case]) for case in cases))
            message = f"the follow-up {follow_up.id!r} is never asked: {earlier} goes before it in every case"
            mend = "name another criterion or misconception, or move it up"
            document.fault((*path, "follow_ups", index), "follow-up-unreachable", message, mend)
        for case in cases:
            first.setdefault(case, follow_up.id)


def _cases(follow_up: FollowUp) -> list[tuple[str, str]]:
    """The cases in which a follow-up is wanted."""
    cases = [*(("shown", name) for name in follow_up.shown), *(("missed", name) for name in follow_up.missed)]
    return cases or [("always", "")]
