"""Items that show a released library's weights: the record is there, the stem holds its table, versions are the record's."""

import re
from collections.abc import Mapping

from quizapp.bank.document import Document, Path_
from quizapp.bank.record import RecordError, load_record
from quizapp.model.audit import Audit, table
from quizapp.model.question import Item

_TABLE = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)


def add_audit_faults(document: Document, path: Path_, item: Item) -> None:
    """Adds what is wrong with an item's ``audit``; nothing of the library is run."""
    if item.audit is None:
        return
    here: Path_ = (*path, "audit")
    file = document.file.parent / item.audit.record
    try:
        record = load_record(file)
    except RecordError as error:
        mend = "record one with benchmarks/audits.py, and name its file relative to this one"
        document.fault((*here, "record"), "audit-record", str(error), mend)
        return
    report = record.report
    taken = [step.step + 1 for step in report.steps]
    for position, step in enumerate(item.audit.steps):
        if step not in taken:
            message = f"the record has no step {step}"
            document.fault((*here, "steps", position), "audit-steps", message, f"write some of {taken}, or remove the key")
            return
    wanted = table(report, item.audit.steps)
    if wanted not in "\n".join(line.strip() for line in _TABLE.findall(item.stem)):
        message = f"the stem doesn't hold the table of {item.audit.record}"
        document.fault((*path, "stem"), "audit-table", message, "write it into the stem as it is:\n" + wanted)
    _versions(document, here, item.audit.requires, report)


def _versions(document: Document, path: Path_, pins: tuple[str, ...], report: Audit) -> None:
    recorded: Mapping[str, str] = report.versions
    for position, pin in enumerate(pins):
        name, _, version = pin.partition("==")
        found = recorded.get(name)
        if found != version:
            held = f"{name} {found}" if found else f"no {name}"
            message = f"{pin} is asked for, and the record was made with {held}"
            mend = f"write {name}=={found}, or record it anew" if found else "name a distribution of the record's `versions`"
            document.fault((*path, "requires", position), "audit-version", message, mend)
