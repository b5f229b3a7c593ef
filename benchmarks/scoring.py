"""How well written answers are scored: public human-graded sets, the project's own probes, answers that try to bluff, and time.

    python benchmarks/scoring.py [--data DIR] [--probes DIR] [--tier lexical|semantic] [--quick] [--json]

``--data`` holds the public sets, which the project doesn't ship: ``semeval2013/``, ``mohler/``, ``asap_sas/``; rows without their
set are left out. ``--probes`` holds further probes (``NAME.rubric.json`` with ``NAME.answers.jsonl``). The answers to the built-in
probes lie beside this file. Exits with 1 where a row is below its floor.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fit_scoring import load as coefficients
from graded import Graded, Pairs, asap, beyond_question, idf, mohler, semeval, turned_round, windows_of
from linear import Linear, fit, macro_f1, quadratic_kappa
from probes import HELD_OUT, SETS, Answers, builtin_answers, judged, outside_answers, seconds_each, with_not

QUICK = 250
Row = dict[str, Any]


def row(measure: str, value: float, floor: float, aim: float, used: str, *, most: bool = False) -> Row:
    """One line of the table; ``most``: the value may be at most the floor."""
    held = value <= floor if most else value >= floor
    return {"measure": measure, "value": round(value, 3), "floor": floor, "aim": aim, "most": most, "held": held, "used": used}


def some(rows: list[Graded], quick: bool) -> list[Graded]:
    return random.Random(0).sample(rows, min(QUICK, len(rows))) if quick else rows


def idf_of(rows: list[Graded]) -> dict[str, float]:
    return idf([entry.answer for entry in rows] + [text for entry in rows for text in entry.references])


def ridge_for(x: Any, y: Any, groups: Any, questions: Any) -> dict[str, Any]:
    """Products of features or not, and both penalties, by the error on four parts of the assignments."""
    names = sorted(set(groups))
    part = np.array([names.index(group) % 4 for group in groups])
    forms = [(False, 30.0, math.inf), *((True, penalty, own) for penalty in (100.0, 300.0, 1000.0) for own in (math.inf, 10.0))]
    best: tuple[float, dict[str, Any]] = (math.inf, {})
    for products, penalty, own in forms:
        form: dict[str, Any] = {"logistic": False, "products": products, "penalty": penalty, "block_penalty": own}
        error = 0.0
        for held in (part == number for number in range(4)):
            model = fit(x[~held], y[~held], blocks=questions[~held], **form)
            error += float(((np.clip(model(x[held]), 0, 5) - y[held]) ** 2).sum())
        best = min(best, (error, form), key=lambda found: found[0])
    return best[1]


def mohler_rows(folder: Path, encoder: Any, quick: bool) -> Iterator[Row]:
    """Leave one assignment out: ridge on the other eleven."""
    rows = some(list(mohler(folder)), quick)
    y = np.array([entry.grade for entry in rows])
    groups, questions = np.array([entry.group for entry in rows]), np.array([entry.question for entry in rows])
    guess = np.zeros(len(y))
    weight = idf([text for entry in rows for text in (*entry.references, entry.question)])
    x = np.hstack([Pairs(weight, encoder).matrix(rows), [beyond_question(entry, weight) for entry in rows]])
    for held in (groups == group for group in sorted(set(groups))):
        form = ridge_for(x[~held], y[~held], groups[~held], questions[~held])
        model = fit(x[~held], y[~held], blocks=questions[~held], **form)
        guess[held] = np.clip(model(x[held]), 0, 5)
    used = "ridge fitted on the other assignments, its penalties chosen among these"
    yield row("Mohler, leave one assignment out: r", float(np.corrcoef(y, guess)[0, 1]), 0.60, 0.62, used)
    yield row("Mohler, leave one assignment out: RMSE", float(np.sqrt(np.mean((y - guess) ** 2))), 0.89, 0.87, used, most=True)


def semeval_rows(folder: Path, encoder: Any, tier: str, quick: bool) -> Iterator[Row]:
    """Official tests by the committed coefficients; then the same right answers with a *not* put in."""
    wanted = {
        "sciEntsBank": {"unseen-questions": (0.71, 0.75), "unseen-domains": (0.70, 0.72)},
        "beetle": {"unseen-answers": (0.80, 0.84), "unseen-questions": (0.71, 0.75)},
    }
    kept, accepted = 0, 0
    for corpus, splits in wanted.items():
        all_rows = list(semeval(folder, corpus))
        pairs = Pairs(idf_of([entry for entry in all_rows if entry.split == "train"]), encoder)
        model = Linear.from_json(coefficients()[corpus][tier])
        used = f"logistic fitted on the {corpus} training split"
        for split, (floor, aim) in splits.items():
            rows = some([entry for entry in all_rows if entry.split == split], quick)
            guess = model(pairs.matrix(rows)) > 0.5
            truth = np.array([entry.grade > 0.5 for entry in rows])
            yield row(f"{corpus} 2-way macro-F1, {split}", macro_f1(truth, guess), floor, aim, used)
            right = [entry for entry, good, yes in zip(rows, truth, guess, strict=True) if good and yes and not turned_round(entry)]
            changed = [
                Graded(entry.group, entry.split, entry.question, entry.references, text, entry.grade)
                for entry in right[: 150 if quick else 400]
                if (text := with_not(entry.answer)) is not None
            ]
            if changed:
                still = model(pairs.matrix(changed)) > 0.5
                kept += sum(bool(yes) and not turned_round(entry) for yes, entry in zip(still, changed, strict=True))
                accepted += len(changed)
    if accepted:
        used = "the same, with the app's rule for negation"
        yield row("right SemEval answers with a 'not' put in, still accepted", kept / accepted, 0.25, 0.10, used, most=True)


def asap_rows(folder: Path, encoder: Any, tier: str, quick: bool) -> Iterator[Row]:
    """Points from the rubric alone: key elements found in some window, counted."""
    model = Linear.from_json(coefficients()["both"][tier])
    steps = {5: (0, 1, 1, 2, 3), 6: (0, 1, 2, 3)}
    for number, table in steps.items():
        prompt, elements, answers = asap(folder, number)
        answers = answers[: QUICK // 2] if quick else answers
        weight = idf([*elements, prompt, *(text for text, _ in answers)])
        pairs, given = Pairs(weight, encoder), []
        for text, _ in answers:
            views = windows_of(text)[:24] or [text]
            found = [Graded("", "", prompt, (element,), view, 0.0) for element in elements for view in views]
            chance = model(pairs.matrix(found)).reshape(len(elements), len(views)).max(axis=1)
            given.append(table[min(int((chance > 0.5).sum()), len(table) - 1)])
        used = "logistic fitted on both SemEval training splits; no graded answer of the set"
        yield row(
            f"ASAP set {number}, from the rubric alone: QWK", quadratic_kappa([p for _, p in answers], given, 3), 0.55, 0.65, used
        )


def probe_rows(probes: str, sets: list[Answers], tier: Any) -> Iterator[Row]:
    """The app's own scorer on answers to probes. ``probes``: what these are called."""
    used = "the app's scorer as it ships; nothing fitted"
    found = judged(sets, tier)
    yield row(f"{probes}: criterion F1", found.f1, 0.80, 0.88, used)
    yield row(f"{probes}: criterion accuracy", found.accuracy, 0.90, 0.94, used)
    yield row(f"{probes}: misconception F1", found.misconception_f1, 0.0, 1.0, used)
    denying, bluffing = found.false_credit("denying"), found.false_credit("bluffing")
    yield row(f"{probes}: false credit, negated, contradictory, echo, empty, off-topic", denying, 0.03, 0.0, used, most=True)
    yield row(f"{probes}: false credit, keyword-stuffed and fluent nonsense", bluffing, 0.15, 0.05, used, most=True)
    turned = f"{probes}: right answers with a 'not' put in, still accepted"
    yield row(f"{turned}, after the sentence's first auxiliary", found.still_accepted, 0.25, 0.10, used, most=True)
    yield row(f"{turned}, in the words that earned the point", found.still_accepted_there, 0.25, 0.10, used, most=True)
    times = seconds_each(sets, tier)
    yield row(f"{probes}: milliseconds per answer, one thread, p50", 1000 * times[0], 50, 20, used, most=True)
    yield row(f"{probes}: milliseconds per answer, one thread, p95", 1000 * times[1], 150, 60, used, most=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--probes", type=Path)
    parser.add_argument("--tier", choices=("lexical", "semantic"), default="lexical")
    parser.add_argument("--only", help="one probe of the built-in ones, by its id")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    from quizapp.scoring.semantic.encoder import Encoder
    from quizapp.scoring.tier import Lexical, Semantic

    tier = Semantic() if given.tier == "semantic" else Lexical()
    encoder = Encoder() if given.tier == "semantic" else None
    sets = [*builtin_answers(given.only), *(outside_answers(given.probes) if given.probes else ())]
    named = {"project's probes": sets}
    further = {name: folder for name, folder in SETS.items() if name != "first"}
    named |= {f"{name} set": builtin_answers(given.only, folder) for name, folder in {**further, HELD_OUT.name: HELD_OUT}.items()}
    rows = [entry for name, probes in named.items() if probes for entry in probe_rows(name, probes, tier)]
    if given.data:
        parts = {
            "mohler": lambda: mohler_rows(given.data, encoder, given.quick),
            "semeval2013": lambda: semeval_rows(given.data, encoder, given.tier, given.quick),
            "asap_sas": lambda: asap_rows(given.data, encoder, given.tier, given.quick),
        }
        for folder, part in parts.items():
            if (given.data / folder).is_dir():
                rows += part()
            else:
                print(f"{given.data / folder} isn't there; its rows are left out", file=sys.stderr)
    if given.json:
        print(json.dumps({"tier": given.tier, "quick": given.quick, "rows": rows}))
    else:
        for entry in rows:
            sign = "<=" if entry["most"] else ">="
            state = "ok  " if entry["held"] else "MISS"
            limits = f"{sign} {entry['floor']:<6} aim {entry['aim']:<6}"
            print(f"{state} {entry['value']:8.3f}  {limits} {entry['measure']}  [{entry['used']}]")
    return 0 if all(entry["held"] for entry in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
