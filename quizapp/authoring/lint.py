"""Checking banks more deeply than loading does: other variants than the bank's own, derivations, links, a lab's programs.

``lint`` runs no code of a bank. What only running can show (that solutions pass and known wrong programs fail) is not here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from quizapp.authoring.links import broken_links
from quizapp.authoring.programs import program_faults
from quizapp.bank.document import Document, Path_, read
from quizapp.bank.draw import DrawError, draw
from quizapp.bank.fault import Fault
from quizapp.bank.find import builtin_folder, role, yaml_files
from quizapp.bank.formulas import shown_texts
from quizapp.bank.lab import LabError, load_lab
from quizapp.bank.load import load, load_registry
from quizapp.model.formula import Formula, FormulaError, Scalar, Value
from quizapp.model.question import ChoicePart, CodePart, Item, NumericPart, Part, SymbolicPart
from quizapp.model.variant import fill, number, slots
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.numeric import tolerance_of
from quizapp.scoring.symbolic import score_symbolic

SEEDS = range(25)
"""Seeds of the variants looked at, besides the bank's own values."""
APART = 5
"""Tolerances that lie between a key and each wrong value, at least."""


def lint(paths: Sequence[Path]) -> list[Fault]:
    """Every fault of the banks, registries and labs under some folders or files, in the order of files and lines.

    The registry of the built-in banks counts as known. Nothing is raised: what can't be read is a fault.
    """
    context = [builtin_folder()]
    library = load(paths, context)
    known = {**load_registry(context), **library.registry}
    faults = list(library.faults)
    files = list(dict.fromkeys(file for path in paths if path.exists() for file in yaml_files(path)))
    for file in files:
        if role(file) == "lab":
            faults += _lab(file.parent, known)
    lines = {(entry.file, entry.line): entry.item for entry in library.items.values()}
    for file in files:
        document = read(file) if role(file) != "lab" else None
        if document is None or not isinstance(document.value, dict):
            continue
        document.faults.clear()
        for key in ("items", "reading", "misconceptions"):
            found = document.value.get(key)
            for index, raw in enumerate(found if isinstance(found, tuple) else ()):
                _links(document, (key, index), raw)
                item = lines.get((file, document.line((key, index)))) if key == "items" else None
                if item is not None and isinstance(raw, dict):
                    _variants(document, (key, index), item, raw)
                    _derivations(document, (key, index), item)
        faults += sorted(document.faults, key=lambda fault: (fault.line, fault.column))
    order = {file: index for index, file in enumerate(dict.fromkeys(fault.file for fault in faults))}
    return sorted(dict.fromkeys(faults), key=lambda fault: (order[fault.file], fault.line, fault.column))


def _lab(folder: Path, known: Collection[str]) -> Sequence[Fault]:
    try:
        lab = load_lab(folder, known)
    except LabError as error:
        return error.faults
    return list(program_faults(folder, lab, known))


def _links(document: Document, path: Path_, raw: object) -> None:
    if not isinstance(raw, dict):
        return
    texts = [*shown_texts(path, raw)]
    sources = raw.get("sources")
    for index, source in enumerate(sources if isinstance(sources, tuple) else ()):
        texts += [((*path, "sources", index), source)] if isinstance(source, str) else []
    texts += [((*path, key), raw[key]) for key in ("computes", "why", "cure") if isinstance(raw.get(key), str)]
    for where, text in texts:
        for offset, message in broken_links(text):
            document.fault(where, "link", message, "write [text](https://...) with nothing left open", offset=offset)


def _variants(document: Document, path: Path_, item: Item, raw: Mapping[str, object]) -> None:
    """Looks at sampled variants; says of each thing only the first variant in which it is wrong."""
    said: set[Path_] = set()
    seeds: list[int | None] = [None, *(SEEDS if any(variable.range for variable in item.variables.values()) else ())]
    for seed in seeds:
        try:
            values = draw(item, seed).values
        except DrawError as error:
            mend = "widen the ranges, or loosen the constraints"
            document.fault((*path, "constraints" if item.constraints else "variables"), "no-variant", str(error), mend, key=True)
            return
        for where, message in _wrong_in(path, item, raw, values):
            if where not in said:
                said.add(where)
                drawn = ", ".join(f"{name} = {_written(value)}" for name, value in values.items())
                which = "at the bank's own values" if seed is None else f"with seed {seed} ({drawn})"
                mend = "change it, or add a constraint that keeps such values away"
                document.fault(where, "variant", f"{which}, {message}", mend)


def _wrong_in(path: Path_, item: Item, raw: Mapping[str, object], values: Mapping[str, Value]) -> Iterator[tuple[Path_, str]]:
    for where, text in shown_texts(path, raw):
        if slots(text):
            try:
                fill(text, values)
            except FormulaError as error:
                yield where, f"a slot has no value: {error}"
    for where, part in _parts(path, item):
        if isinstance(part, NumericPart):
            yield from _numeric(where, part, values)
        elif isinstance(part, ChoicePart):
            yield from _choices(where, part, values)


def _numeric(path: Path_, part: NumericPart, values: Mapping[str, Value]) -> Iterator[tuple[Path_, str]]:
    try:
        key = Formula.parse(part.key).scalar(values)
    except FormulaError as error:
        yield (*path, "key"), f"the key has no value: {error}"
        return
    try:
        least = APART * tolerance_of(part, values) * (abs(_rational(key)) or 1)
    except FormulaError as error:
        yield (*path, "tolerance"), f"the tolerance can't be used: {error}"
        return
    seen: dict[Scalar, str] = {}
    for index, wrong in enumerate(part.wrong):
        where = (*path, "wrong", index, "value")
        try:
            value = Formula.parse(wrong.value).scalar(values)
        except FormulaError as error:
            yield where, f"the wrong value is none: {error}"
            continue
        if abs(_rational(value) - _rational(key)) < least:
            yield where, f"the wrong value {number(value)} is within {APART} tolerances of the key {number(key)}"
        elif seen.setdefault(value, wrong.misconception) != wrong.misconception:
            yield where, f"the wrong value {number(value)} is also that of {seen[value]!r}, so that neither can be named"


def _choices(path: Path_, part: ChoicePart, values: Mapping[str, Value]) -> Iterator[tuple[Path_, str]]:
    seen: dict[object, str] = {}
    for index, choice in enumerate(part.choices):
        where = (*path, "choices", index)
        try:
            value = None if choice.value is None else Formula.parse(choice.value).scalar(values)
            text = None if choice.text is None else " ".join(fill(choice.text, values).split())
        except FormulaError as error:
            yield where, f"the choice has no value: {error}"
            continue
        for what in (value, text):
            if what is not None and seen.setdefault(what, choice.id) != choice.id:
                yield where, f"the choices {seen[what]!r} and {choice.id!r} are the same"


def _derivations(document: Document, path: Path_, item: Item) -> None:
    """What the scorer of derivations makes of a bank's own key and wrong expressions."""
    for where, part in _parts(path, item):
        if not isinstance(part, SymbolicPart):
            continue
        try:
            if score_symbolic(part, part.key, {}).outcome != "right":
                message = "typed as an answer, the key isn't taken for right"
                document.fault((*where, "key"), "key-refused", message, "write it in the notation that answers have")
        except (AnswerError, FormulaError) as error:
            message = f"typed as an answer, the key can't be scored: {' '.join(str(error).split()).rstrip('.')}"
            document.fault((*where, "key"), "key-refused", message, "write it in the notation that answers have")
            continue
        for index, wrong in enumerate(part.wrong):
            here = (*where, "wrong", index, "value")
            try:
                score = score_symbolic(part, wrong.value, {})
            except (AnswerError, FormulaError) as error:
                message = f"the wrong expression can't be scored: {' '.join(str(error).split()).rstrip('.')}"
                document.fault(here, "key-refused", message, "write it in the notation that answers have")
                continue
            if score.outcome == "right":
                message = "the wrong expression equals the key on the whole domain"
                document.fault(here, "wrong-is-key", message, "change the expression, or remove it")
            elif score.misconceptions != (wrong.misconception,):
                message = f"the wrong expression is also that of {', '.join(score.misconceptions) or 'none'}"
                document.fault(here, "same-value", message, "keep one misconception for each expression")


def _parts(path: Path_, item: Item) -> Iterator[tuple[Path_, Part]]:
    """An item's parts with their paths; a checkpoint's options lie in the item itself."""
    if item.kind == "exercise":
        for index, part in enumerate(item.parts):
            if not isinstance(part, CodePart):
                yield (*path, "parts", index), part
    else:
        yield from ((path, part) for part in item.parts)


def _rational(value: Scalar) -> Fraction:
    """The value, or 50 digits of it."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def _written(value: Value) -> str:
    return f"[{', '.join(map(number, value))}]" if isinstance(value, tuple) else number(value)
