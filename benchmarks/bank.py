"""How fast banks are read and checked, as ratios against PyYAML's own C loader on the same files in the same run.

    python benchmarks/bank.py [--quick] [--json]

The banks are made up: checkpoints, exercises and probes of 1.7 kB on average, each with texts and numbers of its own, 250 to
a file.
Baseline: ``yaml.load`` with ``CSafeLoader`` over the files, which gives plain dictionaries and checks nothing. Times are processor
seconds of this process and its children, so that a busy machine tells the same as a quiet one.

``load_cold_vs_yaml``: 10,000 items read and checked, with an empty cache. ``load_again_vs_yaml``: the same from the cache.
``load_again_and_build_vs_yaml``: from the cache, and every item built. ``lint_vs_yaml``: 1,000 items linted, against 1,000 items.
``cold_10x_items_vs_1x``: how reading grows when there are ten times as many items; 10 would be linear.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import yaml

PER_FILE = 250
CHECKPOINT = """\
  - id: pick-{n}
    kind: checkpoint
    title: Averages of {n} tokens
    topics: [means]
    difficulty: {level}
    stem: |
      In case {n}, two ranks hold {{{{ c }}}} valid tokens with the loss sums {{{{ S }}}}. The ranks' parameters are the same, and
      each rank divides by its own count before `backward`. Which number does the objective of one device ask for?
    explanation: |
      The objective has **one** denominator, so case {n} asks for {{{{ sum(S) }}}}/{{{{ sum(c) }}}} = {{{{ sum(S)/sum(c) }}}}.
      The mean of the rank means, {{{{ mean(S/c) }}}}, gives a token of the shorter rank more weight. Dividing by the ranks alone
      counts no token at all, and the largest rank's mean leaves the other rank out altogether.
    sources: ["DistributedDataParallel (PyTorch documentation)"]
    variables:
      c: {{value: [2, {a}], range: [1, {high}], distinct: true}}
      S: {{value: [6, {b}], range: [4, {far}]}}
    constraints:
      - "abs(sum(S)/sum(c) - mean(S/c)) > 0.1"
      - "abs(sum(S)/2 - sum(S)/sum(c)) > 0.1 and abs(sum(S)/2 - mean(S/c)) > 0.1"
      - "abs(S[1]/c[1] - sum(S)/sum(c)) > 0.1 and abs(S[1]/c[1] - mean(S/c)) > 0.1 and S[1]/c[1] != sum(S)/2"
    choices:
      - {{id: global, value: sum(S)/sum(c), key: true, note: "One division, by all {n} tokens' worth of counts."}}
      - {{id: means, value: mean(S/c), misconception: mean-of-rank-means, note: "Each rank counts the same here, not each token."}}
      - {{id: ranks, value: sum(S)/2, misconception: raw-sum, note: "Divides by the ranks, and by no token at all."}}
      - {{id: second, value: "S[1]/c[1]", misconception: rank-left-out, note: "Only the second rank is in it."}}
"""
EXERCISE = """\
  - id: work-{n}
    kind: exercise
    points: 3
    title: A window of {n} microbatches
    topics: [accumulation]
    prerequisites: [means]
    difficulty: {level}
    stem: |
      Window {n} has two microbatches with {{{{ m }}}} valid tokens and the loss sums {{{{ T }}}}. Gradients are accumulated
      over both before the one step of the optimizer, and nothing is reduced across ranks in this question.
    explanation: |
      All tokens of window {n} share the divisor {{{{ sum(m) }}}}, which has to be known before the first backward pass. Dividing
      each microbatch by its own count and then by two gives {{{{ mean(T/m) }}}}, and summing the means gives twice that.
    sources: ["Automatic Mixed Precision examples (PyTorch documentation)"]
    variables:
      m: {{value: [2, {a}], range: [1, {high}], distinct: true}}
      T: {{value: [8, {b}], range: [4, {far}]}}
    constraints: ["abs(sum(T)/sum(m) - mean(T/m)) > 0.1", "abs(sum(T)/sum(m) - sum(T/m)) > 0.1"]
    parts:
      - id: number
        kind: numeric
        stem: What is the mean loss over the valid tokens of window {n}?
        key: sum(T)/sum(m)
        wrong:
          - {{value: mean(T/m), misconception: mean-of-microbatch-means}}
          - {{value: sum(T/m), misconception: means-summed}}
      - id: formula
        kind: symbolic
        points: 2
        stem: Write the factor by which a rank multiplies its loss sum in window {n} under DDP.
        symbols:
          R: {{range: [2, 16], integer: true, meaning: the number of ranks}}
          N: {{range: [1, {far}], integer: true, meaning: the valid tokens of the window on all ranks}}
        key: R/N
        wrong:
          - {{value: 1/N, misconception: forgot-world-size-factor}}
          - {{value: R**2/N, misconception: world-size-factor-twice}}
"""
PROBE = """\
  - id: talk-{n}
    kind: probe
    points: 2
    title: Case {n} in an interview
    topics: [means]
    prerequisites: [work-{before}]
    difficulty: {level}
    stem: |
      A colleague moved run {n} from one GPU to eight and the loss curve changed although the data and the seed are the same. Their
      first idea was a bad driver. What do you look at first, and why?
    explanation: |
      In run {n} each rank divided by its own count. DDP averages gradients over the ranks with equal weight, so that a token's
      weight depends on the rank it came to. The mend is to all-reduce the count and to multiply by the world size.
    sources: ["DistributedDataParallel (PyTorch documentation)"]
    rubric:
      criteria:
        - id: equal-weight
          points: 1
          description: DDP averages gradients over the ranks with equal weight.
          accept:
            - DDP averages the gradients of all ranks with equal weight
            - every rank counts the same however many tokens it has
          reject: ["DDP weighs the ranks by their token counts"]
        - id: count
          points: 1
          description: The valid tokens differ from rank to rank, so the count has to be all-reduced.
          accept: ["the number of valid tokens differs between the ranks", "all-reduce the token count before dividing"]
    follow_ups:
      - id: driver
        missed: [equal-weight]
        stem: Suppose the driver of run {n} is sound. What does DDP do with the gradients of ranks that have few tokens?
        rubric:
          criteria:
            - {{id: average, points: 1, description: It averages them alike., accept: ["it gives them the same weight"]}}
"""
KINDS = (CHECKPOINT, EXERCISE, CHECKPOINT, EXERCISE, CHECKPOINT, EXERCISE, CHECKPOINT, EXERCISE, CHECKPOINT, PROBE)
"""One probe to nine others, as in the banks that come with the app."""


def write_banks(folder: Path, items: int) -> list[Path]:
    """Banks with so many items, :data:`PER_FILE` to a file."""
    files = []
    for start in range(0, items, PER_FILE):
        numbers = range(start, min(start + PER_FILE, items))
        head = f"id: made-up-{start}\ntitle: Made up from {start}\ndescription: Items to measure with.\nitems:\n"
        file = folder / f"bank-{start:06}.yaml"
        file.write_text(head + "".join(map(item, numbers)), "utf-8")
        files.append(file)
    return files


def item(n: int) -> str:
    """The YAML of one item."""
    first, second = own_values(n)
    numbers = {"a": first, "b": second, "high": 12 + n % 5, "far": 40 + n % 23, "level": 1 + n % 5, "before": n - 2}
    return KINDS[n % len(KINDS)].format(n=n, **numbers)


def own_values(n: int) -> tuple[int, int]:
    """The second entries of the vectors, so that the constraints of every kind hold."""
    for a, b in product((5 + (n + i) % 7 for i in range(7)), (9 + (n + i) % 23 for i in range(23))):
        checkpoint = ((6 + b) / (2 + a), (3 + b / a) / 2, (6 + b) / 2, b / a)
        exercise = ((8 + b) / (2 + a), (4 + b / a) / 2, 4 + b / a)
        if all(abs(x - y) > 0.11 for values in (checkpoint, exercise) for x, y in combinations(values, 2)):
            return a, b
    raise AssertionError(n)


def spent(action: Callable[[], object]) -> float:
    """Processor seconds, of this process and its children."""
    before = os.times()
    action()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def best(times: int, action: Callable[[], object]) -> float:
    return min(spent(action) for _ in range(times))


def measure(quick: bool) -> dict[str, float]:
    """The ratios, and the seconds behind them."""
    from quizapp.authoring.lint import lint
    from quizapp.bank.find import builtin_folder
    from quizapp.bank.load import load

    many, few, again = (1_000, 200, 1) if quick else (10_000, 1_000, 3)
    with tempfile.TemporaryDirectory() as top:
        place = Path(top)
        cache = place / "cache"
        os.environ["QUIZAPP_CACHE"] = str(cache)
        folders = {}
        for name, count in (("many", many), ("tenth", many // 10), ("few", few)):
            folders[name] = place / name
            folders[name].mkdir()
            files = write_banks(folders[name], count)
            if name == "many":
                size = sum(file.stat().st_size for file in files) / count
        registry = [builtin_folder() / "misconceptions.yaml"]

        def plain(name: str) -> None:
            for file in sorted(folders[name].glob("*.yaml")):
                with file.open("rb") as stream:
                    yaml.load(stream, yaml.CSafeLoader)

        def cold(name: str) -> None:
            shutil.rmtree(cache, ignore_errors=True)
            found = load([folders[name]], registry)
            assert not found.faults, found.faults[0]

        def warm(build: bool) -> None:
            found = load([folders["many"]], registry)
            assert len(found.items) == many
            assert not build or all(entry.item for entry in found.items.values())

        def checked() -> None:
            shutil.rmtree(cache, ignore_errors=True)
            started = time.monotonic()
            faults = lint([folders["few"]], workers=os.cpu_count() or 1)
            walls.append(time.monotonic() - started)
            assert not faults, faults[0]

        walls: list[float] = []
        cold("tenth")
        yaml_many, yaml_few = best(again, lambda: plain("many")), best(again, lambda: plain("few"))
        tenth = best(again, lambda: cold("tenth"))
        first = best(again, lambda: cold("many"))
        second, built = best(again, lambda: warm(False)), best(again, lambda: warm(True))
        linted = best(1 if quick else 2, checked)
    return {
        "load_cold_vs_yaml": first / yaml_many,
        "load_again_vs_yaml": second / yaml_many,
        "load_again_and_build_vs_yaml": built / yaml_many,
        "lint_vs_yaml": linted / yaml_few,
        "cold_10x_items_vs_1x": first / tenth,
        "items": many,
        "bytes_per_item": size,
        "yaml_seconds": yaml_many,
        "load_cold_seconds": first,
        "load_again_seconds": second,
        "load_again_and_build_seconds": built,
        "lint_items": few,
        "lint_seconds": linted,
        "lint_wall_seconds": min(walls),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer items, once")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    found = {name: round(value, 4) for name, value in measure(given.quick).items()}
    if given.json:
        json.dump(found, sys.stdout)
        print()
    else:
        for name, value in found.items():
            print(f"{name:32} {value:10.3f}")


if __name__ == "__main__":
    main()
