"""How fast a class is graded, as ratios against a plain ``torchrun`` for each submission in the same run.

    python benchmarks/grading.py [--backend docker|local] [--workers 1 2 4] [--students N] [--quick] [--json]

The class is the lab's solution and its wrong programs in turn, at two ranks and four scenarios. All that `quizapp grade` does for
them is timed, from the folder to the last feedback page. The baseline is one trivial DDP step under
``torchrun --nproc_per_node 2``, which is the least that starting each submission by itself costs.

What is measured is one container for each submission. Containers that are kept for some 50 submissions are not built.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from verdict import FOLDER, STEP, small, torchrun

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.bank.load import load
from quizapp.classroom import asked
from quizapp.classroom.collect import collect
from quizapp.classroom.files import Files
from quizapp.classroom.grade import Setting
from quizapp.classroom.run import Told, grade, open_journal

QUIET = Told(lambda to_do, kept: None, lambda result: None, lambda text: None)


def class_of(folder: Path, students: int) -> Path:
    """Submissions in turn: right, wrong, wrong, ..."""
    programs = [FOLDER / "solution.py", *sorted((FOLDER / "wrong").glob("*.py"))]
    for number in range(students):
        source = programs[number % len(programs)].read_text("utf-8")
        (folder / f"student-{number:04}.py").write_text(f"# {number}\n{source}", "utf-8")
    return folder


def seconds(work: asked.Work, submissions: Path, results: Path, backend: str, workers: int) -> float:
    """From the folder to the last file."""
    start = time.perf_counter()
    handed = collect(submissions).handed
    files = Files(results / "results.csv", work, alone=False)
    with open_journal(files, work, 5, None, resume=False) as journal:
        outcome = grade(work, journal, files, handed, (), Setting(backend, 5, workers, True), QUIET)
    assert outcome.count("graded") == len(handed)
    return time.perf_counter() - start


def measure(backend: str, students: int, counts: list[int], baselines: int) -> dict[str, float]:
    library = load([builtin_folder()])
    loaded = library.items["scale-local-loss"]
    program = asked.Program(asked.code_part(loaded, None), small(load_lab(FOLDER), 2), FOLDER)
    work = asked.work(library, loaded, program, ())
    with tempfile.TemporaryDirectory() as folder:
        step = Path(folder) / "step.py"
        step.write_text(STEP, encoding="utf-8")
        plain = statistics.median(torchrun(step) for _ in range(baselines))
        submissions = Path(folder) / "class"
        submissions.mkdir()
        class_of(submissions, students)
        result = {"torchrun_seconds": plain, "students": float(students)}
        for workers in counts:
            out = Path(folder) / f"with-{workers}"
            out.mkdir()
            each = seconds(work, submissions, out, backend, workers) / students
            result[f"seconds_per_submission_{workers}_workers"] = each
            result[f"grading_{workers}_workers_vs_torchrun"] = plain / each
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="docker", choices=("docker", "local"))
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--quick", action="store_true", help="6 students, one baseline, 1 and 2 workers")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    students, counts, baselines = (6, [1, 2], 1) if arguments.quick else (arguments.students, arguments.workers, 5)
    result = measure(arguments.backend, students, counts, baselines)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{arguments.backend}, {os.cpu_count()} cores; beside one torchrun of two ranks, {result['torchrun_seconds']:.2f} s")
    for workers in counts:
        each, ratio = result[f"seconds_per_submission_{workers}_workers"], result[f"grading_{workers}_workers_vs_torchrun"]
        print(f"{workers} workers: {each:.2f} s a submission, {60 / each:.0f} a minute, {ratio:.1f} x a torchrun for each")


if __name__ == "__main__":
    sys.exit(main())
