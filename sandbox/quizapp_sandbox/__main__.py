"""``python -I -m quizapp_sandbox submission|oracle``: an agent on standard input and output. ``rank``: a rank that it spawned."""

import sys

from quizapp_sandbox.agent import main

sys.exit(main())
