"""Trainers played token by token in plain Python, and written down as ranks would: for tests that need neither torch nor ranks."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quizapp.audit.plan import Plan, default_counts

CLASSES = 9
PADDING = (1, 3, 2)


@dataclass(frozen=True)
class Token:
    """One position of one row in one microbatch."""

    rank: int
    window: int
    microbatch: int
    row: int
    position: int
    valid: bool


Weigh = Callable[["Play", int, int, Token], float]
"""The weight of a token in the gradient of a step, as a rank ends with it."""


class Play:
    """A data set, dealt to ranks and windows."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.held = [count + 1 if plan.shift and count else count for count in plan.counts]
        alike = plan.rows_per_microbatch > 1
        lengths = [held + PADDING[row % 3] for row, held in enumerate(self.held)]
        self.length = max(lengths)
        self.lengths = [self.length] * len(lengths) if alike else lengths
        self.dealt: list[list[list[int]]] = []
        for rank in range(plan.ranks):
            own = list(range(rank, len(plan.counts), plan.ranks))
            size = plan.rows_per_microbatch
            self.dealt.append([own[start : start + size] for start in range(0, len(own), size)])
        self.windows = -(-max(map(len, self.dealt)) // plan.accumulate)
        self.tokens = [
            Token(rank, k // plan.accumulate, k % plan.accumulate, row, position, self.valid(row, position))
            for rank, microbatches in enumerate(self.dealt)
            for k, rows in enumerate(microbatches)
            for row in rows
            for position in range(self.lengths[row])
        ]

    def valid(self, row: int, position: int) -> bool:
        return position + int(self.plan.shift) < self.held[row]

    def count(self, **where: int) -> int:
        """Valid tokens that agree with what is asked for."""
        return sum(token.valid and all(getattr(token, name) == value for name, value in where.items()) for token in self.tokens)

    def length_of_window(self, window: int) -> int:
        return 1 + max(token.microbatch for token in self.tokens if token.window == window)

    def results(
        self, weigh: Weigh, whose: str = "own", padding: str = "own", noise: float = 0.0, scale: float = 1.0
    ) -> list[dict[str, Any]]:
        """What the ranks of such a trainer write."""
        draw = np.random.default_rng(5)
        positions = len(self.held) * self.length
        features = draw.normal(size=(positions, positions + positions // 2))
        targets = 1 + np.cumsum(draw.integers(1, 3, size=(len(self.held), self.length)), axis=1) % (CLASSES - 1)
        logits = features @ draw.normal(size=(features.shape[1], CLASSES)) / features.shape[1] ** 0.5
        probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns, index = [], {}
        for row, length in enumerate(self.lengths):
            for position in range(length):
                for name, offset in (("own", 0), ("next", 1), ("previous", -1), ("zero", None)):
                    at = None if offset is None else position + offset + int(self.plan.shift)
                    if at is None or 0 <= at < length:
                        index[row, position, name] = len(columns)
                        columns.append([row, position, name, 0 if at is None else int(targets[row, at])])
        width = features.shape[1] * CLASSES
        steps = np.zeros((self.plan.ranks, self.windows, width))
        for rank in range(self.plan.ranks):
            for step in range(self.windows):
                for token in self.tokens:
                    value, name = weigh(self, rank, step, token), whose if token.valid else padding
                    key = token.row, token.position, name
                    if value and key in index:
                        place = token.row * self.length + token.position
                        error = probabilities[place] - np.eye(CLASSES)[columns[index[key]][3]]
                        steps[rank, step] += value * np.outer(error, features[place]).reshape(-1)
                steps[rank, step] = steps[rank, step] * scale + noise * draw.normal(size=width)
        mask = [[position < held for position in range(length)] for held, length in zip(self.held, self.lengths, strict=True)]
        found = []
        for rank, microbatches in enumerate(self.dealt):
            forwards = [[(row, t) for row in rows for t in range(self.lengths[row])] for rows in microbatches]
            events: list[tuple[str, int]] = []
            for k in range(len(forwards)):
                events.append(("backward", k))
                if (k + 1) % self.plan.accumulate == 0 or k + 1 == len(forwards):
                    events.append(("step", k // self.plan.accumulate))
            found.append({
                "rank": rank, "versions": {"python": "3.11.0"}, "fault": None, "probe": True, "width": width, "classes": CLASSES,
                "features": features.shape[1], "length": self.length, "mask": mask, "columns": columns, "terms": [],
                "forwards": forwards, "events": events, "norms": np.linalg.norm(steps[rank], axis=1).tolist(), "optimizers": 1,
                "dtypes": ["float64"],
                "numbers": {f"steps-{rank}": steps[rank].tobytes(), "features": features.tobytes(),
                            "probabilities": probabilities.tobytes()},
            })  # fmt: skip
        return found


def plan(ranks: int = 2, accumulate: int = 3, rows: int = 1, **more: Any) -> Plan:
    counts = more.pop("counts", None) or default_counts(ranks, accumulate, rows)
    return Plan(file=Path("trainer.py"), counts=counts, ranks=ranks, accumulate=accumulate, rows_per_microbatch=rows, **more)
