"""YAML to questions: finding banks, reading them with a place for every fault, drawing variants from a seed.

Not here: what a question is (``quizapp.model``), how an answer is scored, and anything that prints.
"""
