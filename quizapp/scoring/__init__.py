"""One scorer per answer kind: choice, numeric, symbolic, text.

Pure functions from a part and an answer to a :class:`quizapp.model.score.Score`. No files, no terminal, no store; nothing of
the other rooms. Code parts are the judge's.
"""
