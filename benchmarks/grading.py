"""How fast a class is graded, as ratios against a plain ``torchrun`` for each submission in the same run.

    python benchmarks/grading.py [--backend docker|local] [--one-shot] [--workers 1 2 4] [--students N] [--quick] [--json]

The class is the lab's solution and its wrong programs in turn, at two ranks and four scenarios. All that `quizapp grade` does for
them is timed, from the folder to the last feedback page, the containers' start included. The baseline is one trivial DDP step
under ``torchrun --nproc_per_node 2``, which is the least that starting each submission by itself costs; half of its runs come
before the class and half after it, since what else the machine does counts for both.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
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


def seconds(work: asked.Work, submissions: Path, results: Path, setting: Setting) -> float:
    """From the folder to the last file."""
    start = time.perf_counter()
    handed = collect(submissions).handed
    files = Files(results / "results.csv", work, alone=False)
    with open_journal(files, work, 5, None, resume=False) as journal:
        outcome = grade(work, journal, files, handed, (), setting, QUIET)
    assert outcome.count("graded") == len(handed)
    return time.perf_counter() - start


def measure(setting: Setting, students: int, counts: list[int], baselines: int) -> dict[str, float]:
    library = load([builtin_folder()])
    loaded = library.items["scale-local-loss"]
    program = asked.Program(asked.code_part(loaded, None), small(load_lab(FOLDER), 2), FOLDER)
    work = asked.work(library, loaded, program, ())
    with tempfile.TemporaryDirectory() as folder:
        step = Path(folder) / "step.py"
        step.write_text(STEP, encoding="utf-8")
        starts = [torchrun(step) for _ in range(baselines)]
        submissions = Path(folder) / "class"
        submissions.mkdir()
        class_of(submissions, students)
        each = {}
        for workers in counts:
            out = Path(folder) / f"with-{workers}"
            out.mkdir()
            each[workers] = seconds(work, submissions, out, replace(setting, workers=workers)) / students
        plain = statistics.median([*starts, *(torchrun(step) for _ in range(baselines))])
    result = {"torchrun_seconds": plain, "students": float(students)}
    for workers in counts:
        result[f"seconds_per_submission_{workers}_workers"] = each[workers]
        result[f"grading_{workers}_workers_vs_torchrun"] = plain / each[workers]
        result[f"grading_{workers}_workers_vs_{counts[0]}"] = each[counts[0]] / each[workers]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="docker", choices=("docker", "local"))
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--one-shot", action="store_true", help="a container for each submission")
    parser.add_argument("--quick", action="store_true", help="40 students (6 with --one-shot), two baselines, 1 and 2 workers")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    kept = not arguments.one_shot
    quick = (40 if kept else 6, [1, 2], 1)
    students, counts, baselines = quick if arguments.quick else (arguments.students, arguments.workers, 3)
    result = measure(Setting(arguments.backend, 5, outer_sandbox=True, kept=kept), students, counts, baselines)
    if arguments.json:
        print(json.dumps(result))
        return
    how = f"{arguments.backend}, {'one-shot' if arguments.one_shot else 'kept'}, {os.cpu_count()} cores"
    print(f"{how}; {students} students; beside one torchrun of two ranks, {result['torchrun_seconds']:.2f} s")
    for workers in counts:
        each, ratio = result[f"seconds_per_submission_{workers}_workers"], result[f"grading_{workers}_workers_vs_torchrun"]
        scale = result[f"grading_{workers}_workers_vs_{counts[0]}"]
        print(
            f"{workers} workers: {each:.3f} s a submission, {60 / each:.0f} a minute, {ratio:.1f} x a torchrun for each, "
            f"{scale:.2f} x {counts[0]} worker"
        )


if __name__ == "__main__":
    sys.exit(main())
