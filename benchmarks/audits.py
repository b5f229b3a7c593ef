"""Real training libraries, audited: records what ``quizapp audit`` finds, and writes ``docs/audits.md`` from the records.

``python benchmarks/audits.py --environments FOLDER [NAME ...]`` runs audits in environments that ``tests/audit/environments.py``
made there. ``python benchmarks/audits.py`` alone only writes the page anew. No figure of the page or of a record is typed.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quizapp.model.figures import as_fraction

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "questions" / "audits" / "recorded"
PAGE = ROOT / "docs" / "audits.md"
QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]


@dataclass(frozen=True)
class Case:
    """One audit: its record's name, the environment, what is said of it, and the arguments of ``quizapp audit``."""

    name: str
    environment: str
    said: str
    arguments: tuple[str, ...]


def _case(name: str, environment: str, said: str, arguments: str) -> Case:
    return Case(name, environment, said, tuple(arguments.split()))


CASES: Sequence[Case] = (
    _case("trainer-4.45", "transformers-4.45", "Trainer, defaults", "hf-trainer"),
    _case("trainer-4.45-one-process", "transformers-4.45", "Trainer, one process", "hf-trainer --ranks 1"),
    _case("trainer-4.46", "transformers-4.46", "Trainer, defaults", "hf-trainer"),
    _case("trainer-4.46-own-loss", "transformers-4.46", "Trainer, a model that doesn't take `num_items_in_batch`",
          "hf-trainer --set loss_kwargs=none"),
    _case("trainer-4.57", "transformers-4.57", "Trainer, defaults", "hf-trainer"),
    _case("trainer-4.57-per-device", "transformers-4.57", "Trainer, `average_tokens_across_devices=False`",
          "hf-trainer --set average_tokens_across_devices=false"),
    _case("trainer-4.57-own-loss", "transformers-4.57", "Trainer, a model that doesn't take `num_items_in_batch`",
          "hf-trainer --set loss_kwargs=none"),
    _case("trainer-4.57-shift", "transformers-4.57", "Trainer, a model that shifts labels", "hf-trainer --shift"),
    _case("trainer-5", "transformers-5", "Trainer, defaults", "hf-trainer"),
    _case("trainer-5-per-device", "transformers-5", "Trainer, `average_tokens_across_devices=False`",
          "hf-trainer --set average_tokens_across_devices=false"),
    _case("trainer-5-own-loss", "transformers-5", "Trainer, a model that doesn't take `num_items_in_batch`",
          "hf-trainer --set loss_kwargs=none"),
    _case("trainer-5-count-ignored", "transformers-5", "Trainer, a model that takes keywords and ignores `num_items_in_batch`",
          "hf-trainer --set loss_kwargs=ignored"),
    _case("trainer-5-shift", "transformers-5", "Trainer, a model that shifts labels", "hf-trainer --shift"),
    _case("trainer-5-odd-rows", "transformers-5", "Trainer, a data set that two ranks don't divide",
          "hf-trainer --accumulate 2 --rows 1,5,2,3,4"),
    _case("accelerate-1.15", "transformers-5", "the loop of its guide, with the model's own mean loss", "accelerate"),
    _case("accelerate-1.15-window", "transformers-5", "the guide's loop for rows of uneven length",
          "accelerate --set normalize=window"),
    _case("accelerate-0.34", "transformers-4.45", "the loop of its guide, with the model's own mean loss", "accelerate"),
    _case("lightning-2.6", "lightning-2.6", "Trainer, DDP, a mean loss in `training_step`", "lightning"),
    _case("lightning-2.6-one-process", "lightning-2.6", "Trainer, one process, a mean loss in `training_step`",
          "lightning --ranks 1"),
    _case("lightning-2.6-clipped", "lightning-2.6", "Trainer, DDP, `gradient_clip_val=0.1`, a mean loss in `training_step`",
          "lightning --set gradient_clip_val=0.1"),
    _case("lightning-2.6-own-sampler", "lightning-2.6", "Trainer, DDP, its own sampler on five rows",
          "lightning --accumulate 2 --rows 1,5,2,3,4 --set shuffle=true"),
    _case("ddp-2.13", "lightning-2.6", "DDP, the loop of this project's adapter", "ddp"),
    _case("fsdp2-2.13", "lightning-2.6", "fully_shard, the same loop", "fsdp2"),
)  # fmt: skip


def record(case: Case, environments: Path) -> None:
    """Runs one audit and keeps what it printed, without what differs from run to run.

    Raises:
        SystemExit: the audit itself couldn't be run.
    """
    python = environments / case.environment / "bin" / "python"
    command = [*QUIZAPP, "audit", *case.arguments, "--python", str(python), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "120"})
    if done.returncode not in (0, 1):
        raise SystemExit(f"{case.name}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    for name in ("python", "milliseconds"):
        del report[name]
    kept = {"name": case.name, "said": case.said, "arguments": list(case.arguments), "date": datetime.now(UTC).date().isoformat()}
    RECORDS.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**kept, "report": _rounded(report)}, indent=1, ensure_ascii=False)
    (RECORDS / f"{case.name}.json").write_text(f"{text}\n", "utf-8")
    print(f"{case.name}: {report['summary']}", flush=True)


def _rounded(value: Any) -> Any:
    """Twelve digits: the rest is rounding, another on each machine."""
    if isinstance(value, float):
        return float(f"{value:.12g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value


def records() -> Iterator[dict[str, Any]]:
    """All that was recorded, in the order of :data:`CASES`."""
    for case in CASES:
        file = RECORDS / f"{case.name}.json"
        if file.exists():
            yield json.loads(file.read_text("utf-8"))


def _step(step: dict[str, Any]) -> str:
    """The weights of one step, row by row."""
    rows: dict[int, list[str]] = {}
    for weight in step["views"][0]["weights"]:
        if weight["label"] == "own":
            rows.setdefault(weight["row"], []).append("?" if weight["given"] is None else as_fraction(weight["given"]))
    return "; ".join(f"{len(own)} x {' or '.join(dict.fromkeys(own))}" for own in rows.values())


LIBRARY = {"hf-trainer": "transformers", "accelerate": "accelerate", "lightning": "lightning", "ddp": "torch", "fsdp2": "torch"}


def page() -> str:
    """``docs/audits.md``."""
    parts = [
        "# Real libraries, audited\n",
        "Written by `benchmarks/audits.py` from the records in `questions/audits/recorded/`; no figure here is typed. What an",
        "audit can and can't see stands in [audit.md](audit.md). Each section is one run on CPU with gloo, in float64, over rows",
        "with few and uneven token counts. The trainer is the library's own; only the optimizer is ours, and records.\n",
        "A weight that isn't that of the token mean is not a bug by itself: many loops are meant to average over microbatches",
        "or ranks, and say so. It is one where the token mean was promised or expected.\n",
    ]
    for found in records():
        report = found["report"]
        library = LIBRARY[report["trainer"]]
        versions = report["versions"]
        parts.append(f"## {library} {versions[library]}: {found['said']}\n")
        others = ", ".join(f"{name} {version}" for name, version in versions.items() if name not in ("python", library))
        parts.append(f"`quizapp audit {' '.join(found['arguments'])}`, {found['date']}; Python {versions['python']}, {others}.\n")
        parts.append(f"**{report['outcome']}**: {report['summary']}\n")
        parts += [f"- {finding['message']}" for finding in report["findings"]]
        if report["findings"]:
            parts.append("")
        parts += [
            "| step | valid tokens | weights given: tokens x weight, row by row, rank 0's first | weight wanted |",
            "|---|---|---|---|",
        ]
        for step in report["steps"]:
            wanted = {as_fraction(w["wanted"]) for w in step["views"][0]["weights"] if w["wanted"]}
            parts.append(f"| {step['step'] + 1} | {step['tokens']} | {_step(step)} | {' or '.join(sorted(wanted))} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def main() -> None:
    """Runs what is asked for, then writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=Path)
    parser.add_argument("names", nargs="*", help="cases to run; all if none is named")
    given = parser.parse_args()
    if given.environments is not None:
        for case in CASES:
            if not given.names or case.name in given.names:
                record(case, given.environments.resolve())
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
