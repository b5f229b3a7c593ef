"""``python -m quizapp``: the command, for a Python whose scripts aren't on the path."""

from quizapp.cli.main import main

main()
