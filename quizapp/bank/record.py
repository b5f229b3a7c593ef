"""Reading the record of an audit that an item names. What may stand in it is ``quizapp.model.audit``."""

from pathlib import Path

from pydantic import ValidationError

from quizapp.model.audit import ItemAudit, Record, libraries


class RecordError(ValueError):
    """A record that can't be used; the message says why, and holds its file."""


def load_record(file: Path) -> Record:
    """The record in a file.

    Raises:
        RecordError: it isn't there, or isn't one.
    """
    try:
        return Record.model_validate_json(file.read_bytes())
    except OSError as error:
        raise RecordError(f"{file}: no record of an audit can be read there: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise RecordError(f"{file}: not a record of an audit: {where}: {first['msg']}") from None


def origin(bank: Path, asked: ItemAudit) -> str:
    """Where the weights come from that an item's stem shows: date and versions, in a sentence. ``bank``: the bank's file."""
    try:
        record = load_record(bank.parent / asked.record)
    except RecordError:
        return "The record of these weights can't be read."
    return f"Recorded on {record.date}: {libraries(record.report)}."
