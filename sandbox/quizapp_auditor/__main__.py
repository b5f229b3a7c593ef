"""One rank of an audit: ``python -m quizapp_auditor PLAN RANK``. Runs the trainer, writes what was seen, and leaves."""

import faulthandler
import json
import os
import platform
import signal
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

OLDEST = (2, 1)
BUILD = ("model", "dataset", "optimizer", "world")
STEP = ("model", "microbatches", "optimizer", "group")
"""What ``build`` and ``train_step`` are called with."""
LIBRARIES = ("torch", "transformers", "accelerate", "lightning", "pytorch-lightning", "deepspeed", "trl")


def versions() -> dict[str, str]:
    """Python, and the training libraries that are installed here."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def group(rank: int, ranks: int, folder: Path) -> None:
    """The process group, gloo. A rank alone has one too, of which no variable tells: libraries then run as on one device.

    Ranks meet in a file: a port that is free now may be taken when the slow ones come to bind it.
    """
    import torch.distributed as dist

    store = dist.FileStore(str(folder / "store"), ranks) if ranks > 1 else dist.HashStore()  # type: ignore[attr-defined, unused-ignore]
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)


def trained(plan: dict[str, Any], rank: int, result: dict[str, Any]) -> dict[str, bytes]:
    """Runs the trainer. Fills the result; returns the files of raw numbers."""
    import torch

    from quizapp_auditor.load import Unusable, check_signature, load
    from quizapp_auditor.loop import steps
    from quizapp_auditor.probe import Probe
    from quizapp_auditor.recorder import recorder
    from quizapp_auditor.rows import Rows
    from quizapp_auditor.terms import Faulty, columns, own_terms, probe_terms, target
    from quizapp_auditor.watch import SKETCH_ABOVE, Sketch, Watch, numbers
    from quizapp_auditor.world import DTYPES, World

    file = load(plan["file"], plan["module"])
    entry = plan["entry"] or next((name for name in ("build", "train_step") if hasattr(file, name)), None)
    if entry is None or not callable(getattr(file, entry, None)):
        wanted = entry or f"build({', '.join(BUILD)}) or train_step({', '.join(STEP)})"
        raise Unusable(f"it defines no {wanted}")
    check_signature(getattr(file, entry), BUILD if entry == "build" else STEP)
    dtype, shift, seed = DTYPES[plan["dtype"]], plan["shift"], plan["seed"]
    world = World(rank, plan["ranks"], plan["accumulate"], plan["rows_per_microbatch"], len(plan["counts"]), dtype, shift,
                  plan["scratch"], dict(plan["options"]))  # fmt: skip
    own = getattr(file, "model", None)
    try:
        rows = Rows(plan["counts"], seed, plan["dtype"], shift, getattr(file, "VOCABULARY", None), plan["rows_per_microbatch"] > 1)
    except ValueError as error:
        raise Unusable(str(error)) from None
    torch.manual_seed(seed)
    model = Probe(rows.inputs.shape[-1], rows.classes, dtype, seed, shift) if own is None else own(world)
    if not isinstance(model, torch.nn.Module):
        raise Unusable("model(world) must return a torch.nn.Module")
    model.to(dtype).train()
    named = list(columns(rows))
    terms = getattr(file, "terms", None)
    dense = own is not None or terms is not None
    sketch = Sketch(model, len(named) + (0 if terms is None else 8 * len(rows)), seed, SKETCH_ABOVE if dense else float("inf"))
    files: dict[str, bytes] = {}
    if rank == 0:
        held: list[str] = []
        if dense:
            try:
                found, held = own_terms(rows, model, sketch, terms)
            except Faulty as error:
                raise Unusable(str(error)) from None
            files["terms.bin"] = b"".join(map(numbers, found))
        else:
            files["features.bin"], files["probabilities.bin"] = map(numbers, probe_terms(rows, model))
        result["probe"] = not dense
        result["width"], result["classes"], result["features"] = sketch.width, rows.classes, rows.inputs.shape[-1]
        result["length"], result["mask"] = (
            rows.length,
            [own[:length] for own, length in zip(rows.mask.tolist(), rows.lengths, strict=True)],
        )
        result["columns"] = [[row, position, whose, target(rows, (row, position, whose))] for row, position, whose in named]
        result["terms"] = held
    watch = Watch(model, rows, sketch)
    torch.manual_seed(seed)
    if entry == "build":
        trainer = file.build(model, rows, recorder(watch), world)
        if callable(trainer):
            trainer()
    else:
        steps(getattr(file, entry), model, rows, recorder(watch), world)
    result.update(forwards=watch.forwards, events=watch.events, norms=watch.norms, optimizers=watch.optimizers)
    result["dtypes"], result["autocast"] = sorted(watch.dtypes), watch.autocast
    files[f"steps-{rank}.bin"] = b"".join(map(numbers, watch.steps))
    return files


def main() -> None:
    plan_file, rank = Path(sys.argv[1]), int(sys.argv[2])
    plan = json.loads(plan_file.read_text("utf-8"))
    folder = plan_file.parent
    stand = (folder / f"stand-{rank}.txt").open("w")
    faulthandler.enable(file=stand)  # a library that aborts leaves its place there
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, file=stand)
    result: dict[str, Any] = {"rank": rank, "versions": versions(), "fault": None}
    files: dict[str, bytes] = {}
    try:
        import torch

        if tuple(int(part) for part in torch.__version__.split(".")[:2]) < OLDEST:
            result["fault"] = {"kind": "old", "line": None, "frames": [], "message": torch.__version__}
        else:
            group(rank, plan["ranks"], folder)
            files = trained(plan, rank, result)
    except (Exception, SystemExit) as error:
        from quizapp_auditor.load import fault

        result["fault"] = fault(error, plan["file"])
    for name, content in files.items():
        (folder / name).write_bytes(content)
    part = folder / f"result-{rank}.part"
    part.write_text(json.dumps(result), "utf-8")
    part.replace(folder / f"result-{rank}.json")
    sys.stdout.flush()
    sys.stderr.flush()
    # Without the libraries' own farewells: a rank whose peers are gone would wait for them.
    os._exit(0 if result["fault"] is None else 1)


main()
