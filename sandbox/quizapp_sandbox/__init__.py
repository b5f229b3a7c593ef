"""What runs inside a worker: frames, ranks, drives. Standard library, torch and numpy only; nothing of ``quizapp``.

A worker is one process (the *agent*) that has torch loaded and forks ranks. It is handed learners' code; it never sees an
expected value, nor the code that computes one (``quizapp_oracle``, which is sent as text to oracle workers alone).
"""
