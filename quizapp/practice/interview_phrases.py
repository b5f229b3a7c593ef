"""What the interviewer says around the questions. Only words, and which of them a seed picks; no question, no judgement.

Nothing here tells what an answer earned: that is for the debrief.
"""

from collections.abc import Mapping
from typing import Literal

from quizapp.bank.draw import Stream

Situation = Literal[
    "opening",
    "probe",
    "words",
    "number",
    "expression",
    "choice",
    "lab",
    "walk",
    "confirm",
    "misconception",
    "unsure",
    "criterion",
    "always",
]

LINES: Mapping[Situation, tuple[str, ...]] = {
    "opening": ("Welcome, and thank you for taking the time. There is no hurry.",),
    "probe": (
        "Thank you. Here is a case; say what you would check, and why.",
        "Let us look at a case. Take a moment before you answer.",
        "Let us talk about something that happened. Think aloud if it helps.",
    ),
    "words": (
        "Thank you. The next one is to be explained in a few sentences.",
        "Let me ask you to explain something.",
    ),
    "number": (
        "Thank you. The next one has numbers; paper is allowed.",
        "Let us work one out. Take the time that you need.",
        "Here is something to calculate.",
    ),
    "expression": (
        "Thank you. The next one is a short derivation.",
        "Let us derive something. The symbols are given below the question.",
    ),
    "choice": (
        "Thank you. A quick one.",
        "A short question in between.",
        "Let us go on with a quick one.",
    ),
    "lab": ("Now a little code. It runs on real ranks, as often as you like.",),
    "walk": (
        "Let me make sure that I follow you.",
        "I would like to understand how you went about it.",
        "The way there interests me as much as the result.",
    ),
    "confirm": ("Let me check that I understood you.", "I want to be sure that I have you right."),
    "misconception": (
        "Let me stay with one thing that you said.",
        "One thing that you said I would like to look at more closely.",
    ),
    "unsure": (
        "I am not sure that I understood you there.",
        "Let me ask back, so that I get you right.",
    ),
    "criterion": (
        "Thank you. Let me ask about one thing that I have not heard yet.",
        "Fair enough. There is one side to it that I would like to hear about.",
    ),
    "always": ("Thank you. One thing more about this.",),
}
CLOSING = "That was my last question. Thank you for the conversation; here is what I took from it."
STOPPED = "We stop here. Thank you for the conversation; here is what I took from it."
TIME_IS_UP = "Our time is up. Finish this answer without hurry; then we stop, or go on if you like."
_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>#|~&"})
"""What Markdown would read as its own."""
ANSWER_TIME_IS_UP = "The time for this answer was up; it was taken as it stood."


def gone_on(ended: bool, notes: int | None) -> str:
    """What is said where another app has gone on with the interview; ``notes``: beside which question what was typed stands now."""
    happened = "ended elsewhere" if ended else "gone on with elsewhere; here is where it stands"
    kept = "" if notes is None else f" What you had typed stands in your notes on question {notes}."
    return f"This interview was {happened}.{kept}"


def line(situation: Situation, seed: int, number: int) -> str:
    """What is said in a situation, before question ``number`` of an interview of that seed."""
    lines = LINES[situation]
    return lines[Stream("interview line", str(seed), str(number), situation).below(len(lines))]


def about(minutes: float) -> str:
    """``about 11 minutes``; one at least."""
    whole = max(round(minutes), 1)
    return f"about {whole} minute{'' if whole == 1 else 's'}"


def opening(subject: str) -> str:
    """The first question: open, about practice, scored by nothing."""
    return (
        f"Before we start: tell me in a few sentences how you go about it in your own work. The subject is *{subject}*. "
        "What do you compute yourself, what do you leave to the framework, and how do you know that the result is right?"
    )


def walk(answer: str, *, markdown: bool = False) -> str:
    """Asks how a result came about. ``markdown``: the answer is an option, in the bank's words."""
    said = " ".join(answer.split()).rstrip(".")
    if not markdown:
        said = said.translate(_SIGNS)
    return f"You answered “{said}”. Walk me through how you got there."


def confirm(statement: str) -> str:
    """Asks whether a statement is what was meant."""
    said = " ".join(statement.split()).rstrip(".")
    return f"Would you put it like this: “{said}”?"


CONFIRM_YES, CONFIRM_NO = "Yes, that is what I mean", "No, I mean something else"


def more_exactly(quote: str) -> str:
    """Asks for a clearer word on something that was said; what was said is no Markdown."""
    said = " ".join(quote.split()).translate(_SIGNS)
    return f"You said: “{said}”. What exactly do you mean by that?" if said else "Can you say that more exactly?"
