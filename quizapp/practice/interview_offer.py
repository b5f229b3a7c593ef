"""What the interviewer offers between two questions, because of the clock: one more question, or to stop. Only words and data.

The clock asks nothing and ends nothing: it makes the interviewer offer, and the candidate chooses. So what is asked is still a
function of the setup, the answers and these choices.
"""

from dataclasses import dataclass
from typing import Literal

from quizapp.model.variant import ShownChoice
from quizapp.practice.interview_phrases import about
from quizapp.practice.interview_plan import MINUTES

GO_ON, STOP = "go-on", "stop"
"""The choices' ids."""
ENOUGH = MINUTES["probe"] * 60
"""Seconds that must be left for a further question to be offered: time for one more case."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer as it is made."""

    kind: Literal["further", "time is up"]
    """The plan is through before the time; or the time before the plan."""
    said: str
    text: str
    choices: tuple[ShownChoice, ...]


def _offer(kind: Literal["further", "time is up"], said: str, text: str, go_on: str) -> Offer:
    texts = (("A", GO_ON, go_on), ("B", STOP, "Stop here, and look at it together"))
    return Offer(kind, said, text, tuple(ShownChoice(letter, id_, words, None, False, None, None) for letter, id_, words in texts))


def one_more(left: float, before: int) -> Offer:
    """Offers a further question. ``left``: seconds of the interview's time; ``before``: how many were taken up already."""
    said = "Thank you." if before else "Thank you. That was all that I had planned."
    return _offer("further", said, f"We have {about(left / 60)} left. One more question?", "Yes, one more question")


def time_is_up(planned: float | None) -> Offer:
    """Offers to stop. ``planned``: minutes that the plan is reckoned to have left; ``None`` after the plan."""
    if planned is None:
        return _offer(
            "time is up", "Thank you. Our time is up.", "Shall we finish this question, or stop here?", "Finish this question"
        )
    text = f"I had planned for {about(planned)} more. Shall we finish that, or stop here?"
    return _offer("time is up", "Thank you. Our time is up.", text, "Go on with what was planned")
