"""For the grader: a class's submissions collected, graded and reported on.

Only trusted code runs here: learners' programs go to ``quizapp.judge``, answers to ``quizapp.scoring``.
"""


class ClassroomError(ValueError):
    """What can't be graded or reported as asked. The message is one line: what is wrong, where, what to do."""
