"""The way in: which commands there are, and how a command ends.

Here: the table of commands, each loaded only when called, and the turning of problems into one line and an exit code. Not here:
any command's own work, nor any import at the top that ``quizapp --version`` could do without.
"""

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp import __version__
from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from cyclopts import App

START = "app"
"""The command that ``quizapp`` alone stands for."""
COMMANDS = {
    "study": ("quizapp.cli.study:study", "Study in the terminal app: what is due, a bank, or a choice of items."),
    "interview": ("quizapp.cli.app:interview", "Rehearse an interview in the terminal app."),
    "submit": ("quizapp.cli.submit:submit", "Run a program on real ranks and print the verdict."),
    "watch": ("quizapp.cli.watch:watch", "Judge a program again each time it is saved."),
    "score": ("quizapp.cli.score:score", "Score one answer to one item."),
    "stats": ("quizapp.cli.stats:stats", "Say how it is going: mastery, what falls due, calibration, misconceptions."),
    "progress": ("quizapp.cli.stats:progress_app", "Write all progress to a file, and merge such files."),
    "bank": ("quizapp.cli.bank:bank_app", "Write, check, list, install, import and export question banks."),
    "grade": ("quizapp.cli.grade:grade", "Grade a class: programs from a folder or zip, answers from a CSV."),
    "report": ("quizapp.cli.report:report", "Report on a class: distribution, misconceptions, and how good each item is."),
    "audit": ("quizapp.cli.audit:audit", "Show the weight that your own trainer gives every token."),
    "regrade": ("quizapp.cli.regrade:regrade", "Score stored answers anew, by the present rubrics and scorer."),
    "review": ("quizapp.cli.review:review_app", "Answers that wait for a person: confirm or override criteria."),
    "doctor": ("quizapp.cli.doctor:doctor", "Say what works on this machine, and how to mend the rest."),
    "sandbox": ("quizapp.cli.sandbox:sandbox_app", "Build the image in which submissions run."),
}
"""Command -> (where it is loaded from when called, its line in ``quizapp --help``)."""
HELP = "Practise, and prove, that you can keep the intended average in distributed training. Without a command: the terminal app."
INTERRUPTED = 130
CLOSED_PIPE = 141


def build() -> "App":
    """The command line, with no command loaded yet."""
    from cyclopts import App

    app = App(name="quizapp", help=HELP, version=__version__, result_action="return_value")
    app.command("quizapp.cli.app:app", name=START, help="The terminal app.", show=False)
    for name, (path, line) in COMMANDS.items():
        app.command(path, name=name, help=line)
    return app


def _plainly(tokens: Sequence[str]) -> Callable[[], int] | None:
    """The app, or a sitting over a bank or the queue, where nothing else is said than folders of banks: what is typed most needs no
    parser, and loading one would take a third of the time until a question stands on the screen. ``None`` for all else."""
    command, *rest = tokens
    names: list[str] = []
    folders: list[Path] = []
    while rest:
        word = rest.pop(0)
        if word == "--bank" and rest and not rest[0].startswith("-"):
            folders.append(Path(rest.pop(0)))
        elif word.startswith("-"):
            return None
        else:
            names.append(word)
    if command == START and not names:
        from quizapp.cli.start import home

        return lambda: home(folders)
    if command == "study" and len(names) <= 1:
        from quizapp.cli.sitting import begin

        return lambda: begin(*names, extra=folders)
    return None


def run(arguments: Sequence[str]) -> int:
    """Runs one command.

    Returns: the exit code.

    Raises:
        Problem: wrong usage, or what the command itself raises.
    """
    tokens = list(arguments)
    if not tokens or (tokens[0].startswith("-") and tokens[0] not in ("-h", "--help", "--version")):
        tokens.insert(0, START)
    elif not tokens[0].startswith("-") and tokens[0] not in (START, *COMMANDS):
        # Asked for its own message, cyclopts would load every command to find a near name.
        near = get_close_matches(tokens[0], COMMANDS, n=1)
        raise Problem(f"no command {tokens[0]!r}; " + (f"did you mean {near[0]!r}? " if near else "") + "see quizapp --help")
    if (plain := _plainly(tokens)) is not None:
        return plain()
    from cyclopts import CycloptsError

    try:
        result = build()(tokens, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        command = " ".join(("quizapp", *(part for part in error.command_chain or () if part != START)))
        raise Problem(f"{' '.join(str(error).split()).rstrip('.')}; see {command} --help") from error
    except ImportError as error:
        missing = getattr(error.__cause__, "name", None) or error.name or ""
        if missing.startswith("quizapp.cli."):
            raise Problem(f"this installation has no command {tokens[0]!r}; install quizapp again") from error
        raise
    return result if isinstance(result, int) else 0


def _drop_output() -> None:
    """The interpreter flushes standard output once more at exit; what it still holds has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """The console script. Exits with 0, 1, 2 or 3 as the commands say, 130 when interrupted."""
    # A start makes a great many objects that stay: looking for cycles among them after each 700 takes a tenth of it.
    gc.set_threshold(20_000, 20, 20)
    arguments, code = sys.argv[1:], 0
    try:
        if arguments == ["--version"]:
            print(f"quizapp {__version__}")
        else:
            code = run(arguments)
        if sys.stdout is not None:  # a caller may have closed it
            sys.stdout.flush()
    except Problem as problem:
        print("\n".join((f"quizapp: {problem}", *problem.details)), file=sys.stderr)
        code = problem.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        code = CLOSED_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        _drop_output()
        print(f"quizapp: standard output can't be written: {error.strerror}; make room, or send it elsewhere", file=sys.stderr)
        code = 3
    sys.exit(code)
