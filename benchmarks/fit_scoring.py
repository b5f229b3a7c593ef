"""Fits the coefficients of the public rows of ``benchmarks/scoring.py`` on official training splits, and writes them as JSON.

    python benchmarks/fit_scoring.py --data DIR

Penalty, and whether products of features are used, are chosen by questions held out from the training split, never on a test.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from graded import ALIGNED, FEATURES, Graded, Pairs, idf, semeval
from linear import fit, macro_f1

FILE = Path(__file__).with_name("scoring_coefficients.json")
CORPORA = {"sciEntsBank": "sciEntsBank", "beetle": "beetle"}
PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


def load(path: Path = FILE) -> dict[str, Any]:
    """The committed coefficients."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def chosen(x: np.ndarray, y: np.ndarray, groups: list[str], forms: tuple[bool, ...]) -> tuple[bool, float]:
    """Products or not, and the penalty, by macro-F1 over five folds of questions."""
    names = sorted(set(groups))
    fold = np.array([names.index(group) % 5 for group in groups])
    best = (-1.0, False, 10.0)
    for products in forms:
        for penalty in PENALTIES:
            guess = np.zeros(len(y))
            for number in range(5):
                held = fold == number
                model = fit(x[~held], y[~held], logistic=True, products=products, penalty=penalty)
                guess[held] = model(x[held])
            best = max(best, (macro_f1(y > 0.5, guess > 0.5), products, penalty))
    return best[1], best[2]


def fitted(x: np.ndarray, rows: list[Graded], forms: tuple[bool, ...] = (False, True)) -> dict[str, Any]:
    """A model of a training split; ``forms``: whether products of features may be used."""
    y = np.array([row.grade for row in rows])
    products, penalty = chosen(x, y, [row.group for row in rows], forms)
    model = fit(x, y, logistic=True, products=products, penalty=penalty)
    return {"penalty": penalty, "rows": len(rows), **model.to_json()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    from quizapp.scoring.semantic.encoder import Encoder

    encoder = Encoder()
    out: dict[str, Any] = {"features": [*FEATURES, *ALIGNED]}
    parts: list[tuple[np.ndarray, list[Graded]]] = []
    for name in CORPORA:
        rows = [row for row in semeval(folder, name) if row.split == "train"]
        weight = idf([row.answer for row in rows] + [text for row in rows for text in row.references])
        x = Pairs(weight, encoder).matrix(rows)
        parts.append((x, rows))
        out[name] = {"lexical": fitted(x[:, : len(FEATURES)], rows), "semantic": fitted(x, rows)}
        print(name, {tier: (found["products"], found["penalty"]) for tier, found in out[name].items()}, flush=True)
    both, all_rows = np.concatenate([x for x, _ in parts]), [row for _, rows in parts for row in rows]
    plain = (False,)  # for elements of a rubric, which are unlike the references of either corpus
    out["both"] = {
        "lexical": fitted(both[:, : len(FEATURES)], all_rows, plain),
        "semantic": fitted(both, all_rows, plain),
    }
    FILE.write_text(json.dumps(out, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
