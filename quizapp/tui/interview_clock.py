"""The clock of an interview as it is told, and what it says to the screen."""

from textual.message import Message

from quizapp.practice.interview import Interview
from quizapp.practice.interview_export import clock


class AnswerTimeUp(Message):
    """The time for the answer to question ``number`` has run out."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def clock_line(interview: Interview, shown: bool) -> str:
    """Which question is open, the clock where it is ``shown``, and what is left for this answer."""
    parts = [] if interview.question is None else [f"question {interview.number}"]
    left = interview.answer_left
    if shown:
        parts.append(f"{clock(interview.elapsed)} of {interview.setup.minutes}:00")
    if left is not None:
        parts.append(f"this answer {clock(left)}")
    return " · ".join(parts)
