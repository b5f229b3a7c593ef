"""``quizapp watch``: a program is judged again each time it is saved.

The next worker is started while the last verdict is read, so that a verdict takes a blink after each save.
"""

import sys
import threading
import time
from pathlib import Path

from quizapp.cli.bank import Folders, Seed, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.cli.submit import Backend, code_part, lab_of, read_source, show

POLL_SECONDS = 0.1


def _stamp(file: Path) -> tuple[int, int] | None:
    """Changes whenever the file is saved; ``None`` while an editor has it away."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def watch(
    item: str,
    file: Path,
    /,
    *,
    part: str | None = None,
    backend: Backend = "auto",
    seed: Seed = None,
    bank: Folders = (),
) -> int:
    """Judge a program again each time it is saved, until Ctrl+C.

    Parameters
    ----------
    item
        The item's id; `quizapp bank list` shows them.
    file
        The program.
    part
        The part's id, for items with several programs to write.
    seed
        The same scenarios each time; fresh ones without it.
    """
    from quizapp.judge.bench import BackendUnavailable, Bench, Cancelled, FaultyLab

    found = library(bank)
    loaded = find_item(found, item)
    code = code_part(loaded, part)
    lab, folder = lab_of(loaded, code)
    read_source(file)
    titles = {name: wrong.title for name, wrong in found.registry.items()}
    hints = {wrong.id: wrong.hint for wrong in lab.misconceptions if wrong.hint}
    cures = {name: wrong.cure for name, wrong in found.registry.items()}
    bench = Bench(backend, keep_warm=True)

    def judge(cancel: threading.Event) -> None:
        try:
            source = read_source(file)
            verdict = bench.judge(lab, folder, source, file.name, points=code.points, titles=titles, seed=seed, cancel=cancel)
        except Cancelled:
            return
        except (Problem, BackendUnavailable) as error:
            print(f"quizapp: {error}", file=sys.stderr)
            return
        except FaultyLab as error:
            print(f"quizapp: {folder}: the lab itself is faulty: {error}", file=sys.stderr)
            return
        if sys.stdout.isatty():
            print("\033[2J\033[H", end="")
        print(f"{time.strftime('%H:%M:%S')}  {file}")
        show(verdict, hints, cures)
        print("\nwatching; save the file to judge it again, Ctrl+C to stop", flush=True)

    try:
        notice = bench.unsandboxed_notice
        if notice is not None:
            print(f"note: {notice}", file=sys.stderr)
        bench.prepare(lab, folder)
        running: threading.Thread | None = None
        cancel = threading.Event()
        last: tuple[int, int] | None = None
        while True:
            now = _stamp(file)
            if now is not None and now != last:
                last = now
                cancel.set()
                if running is not None:
                    running.join()
                cancel = threading.Event()
                running = threading.Thread(target=judge, args=(cancel,), daemon=True)
                running.start()
            time.sleep(POLL_SECONDS)
    except BackendUnavailable as error:
        raise Problem(str(error), code=3) from None
    except KeyboardInterrupt:
        print()
        return 0
    finally:
        bench.close()
