"""Questions as an Anki package (.apkg): a note for each question, with ids that never change.

A note's guid comes from the bank's and the question's id alone, the type of note and the deck have ids of their own: imported again
after an edit, a package updates the notes that are there and keeps their schedule. Written by genanki.
"""

import time
from hashlib import sha256
from typing import Any

from quizapp.authoring.formats.answers import answer_side
from quizapp.authoring.formats.markup import escape, to_html, to_html_line
from quizapp.authoring.formats.question import Choose, Question, Quiz
from quizapp.authoring.formats.tags import tags_of
from quizapp.authoring.formats.words import stem_with_unit

MODEL = 1_748_203_911
"""Id of the type of note. Fields may be added at the end under it; any other change takes a new id."""
NOTE_TYPE = "quizapp"
FIELDS = ("Question", "Answer", "Explanation", "Id")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FRONT = "{{Question}}"
_BACK = "{{FrontSide}}<hr id=answer>{{Answer}}<div class=explanation>{{Explanation}}</div>"
_STYLE = (
    ".card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 42em; margin: auto; }"
    " pre { white-space: pre-wrap; } ol li { margin: 0.4em 0; } .explanation { margin-top: 1em; }"
)


def guid(quiz: str, question: str) -> str:
    """The id under which Anki knows a question for ever."""
    return sha256(f"quizapp-anki-1\0{quiz}\0{question}".encode()).hexdigest()[:20]


def write_apkg(quiz: Quiz, timestamp: float | None = None) -> bytes:
    """The quiz as one package.

    Args:
        timestamp: seconds since 1970; Anki takes a note that is newer than its own. ``None``: now.
    """
    import tempfile
    from pathlib import Path

    import genanki  # type: ignore[import-untyped]

    fields = [{"name": name} for name in FIELDS]
    model = genanki.Model(MODEL, NOTE_TYPE, fields, [{"name": "Card 1", "qfmt": _FRONT, "afmt": _BACK}], css=_STYLE)
    deck = genanki.Deck(_deck_id(quiz.id), quiz.title, to_html(quiz.description) if quiz.description else "")
    for question in quiz.questions:
        deck.add_note(_note(genanki, model, quiz, question))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "deck.apkg")
        genanki.Package(deck).write_to_file(str(file), timestamp=time.time() if timestamp is None else timestamp)
        return file.read_bytes()


def _note(genanki: Any, model: Any, quiz: Quiz, question: Question) -> Any:
    stem = stem_with_unit(question)
    front = f"<p><b>{escape(question.title)}</b></p>{to_html(stem)}" if question.title else to_html(stem)
    fields = [front + _options(question), to_html(answer_side(question)), to_html(question.explanation or ""), question.id]
    return genanki.Note(model, fields, guid=guid(quiz.id, question.id), tags=list(tags_of(question)))


def _options(question: Question) -> str:
    if not isinstance(question.body, Choose):
        return ""
    many = "<p>Choose all that are right.</p>" if len(question.body.keys) > 1 else ""
    return many + "<ol type=A>" + "".join(f"<li>{to_html_line(option.text)}</li>" for option in question.body.options) + "</ol>"


def _deck_id(quiz: str) -> int:
    """An id between 2**30 and 2**31, as Anki's own are time stamps above that."""
    return 2**30 + int(sha256(f"quizapp-deck-1\0{quiz}".encode()).hexdigest()[:8], 16) % 2**30
