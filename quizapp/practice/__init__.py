"""For the learner: what is asked next, what an answer earned, where a session stands, how it is going.

Here: the order and state of a sitting, over banks (``quizapp.bank``), scorers (``quizapp.scoring``) and the store. Not here:
anything that draws on a screen or reads a key.
"""
