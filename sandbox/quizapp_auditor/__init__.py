"""What ``quizapp audit`` runs inside a person's own Python: a probe model and data set, and what listens to their trainer.

Standard library and torch only (2.1 or newer); it is copied into environments that hold no quizapp. The adapters alone import the
library that they drive. What it finds is written as JSON and raw numbers; nothing is judged here, nothing is ever unpickled.
"""
