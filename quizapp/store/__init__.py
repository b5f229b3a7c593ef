"""The learner's attempts, drafts and sessions, in one SQLite file on this machine.

Here: rows in and out, and the file's own safety (versions, locks, damage). Not here: what an answer is worth
(``quizapp.scoring``), what comes next (``quizapp.practice``), and anything that shows something. Attempts are only ever added.
"""
