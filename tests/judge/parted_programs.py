"""Programs whose ranks part ways, one a pattern, and what must be said of each. Only data; ``test_deadlocks`` has them judged."""

from dataclasses import dataclass

from quizapp.model.verdict import Outcome

HEAD = """import os, sys, time, torch
import torch.distributed as dist


def scale_loss(token_losses, mask):
    rank, size = dist.get_rank(), dist.get_world_size()
    one = torch.ones(1, dtype=torch.float64)
    print(f"moved {time.time():.4f}")
"""
LINE = HEAD.count("\n") + 1
"""Of a pattern's first line."""
RIGHT = "count = mask.sum(); dist.all_reduce(count); result = token_losses[mask].sum() * size / count.clamp(min=1)"


@dataclass(frozen=True)
class Pattern:
    """What a program does, and what must be said of it. ``lines``: of each rank, counted from the pattern's first; 0 for none.

    Order numbers are not looked at: DDP's own first collectives count, and their number is torch's affair.
    """

    body: str
    outcome: Outcome
    said: str
    lines: tuple[int, int]
    states: tuple[str, str]
    sizes: int = 2


PATTERNS = {
    "a rank leaves out an all_reduce": Pattern(
        "if rank == 0:\n    dist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[\d+\] float64\) in backward"
        r"|collective #\d+ differs: rank 0 called all_reduce\(\[1\] float64\) at line \d+; rank 1 called all_reduce\(\[\d+\] float64\) in backward",
        (2, 0),
        ("any", "any"),
    ),
    "a rank returns early": Pattern(
        "if rank == 1:\n    return token_losses.new_zeros((), requires_grad=True)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[1\] float64\) at line 11",
        (3, 0),
        ("waiting", "finished"),
    ),
    "a rank makes one collective more": Pattern(
        "dist.all_reduce(one)\nif rank == 1:\n    dist.barrier()\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[\d+\] float64\) in backward; rank 1 called barrier at line 11",
        (0, 3),
        ("waiting", "waiting"),
    ),
    "a rank asks again and again whether the others have come": Pattern(
        "if rank == 1:\n    return token_losses.new_zeros((), requires_grad=True)\nwork = dist.all_reduce(one, async_op=True)\n"
        "while not work.is_completed():\n    pass\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[1\] float64\) at line 11",
        (0, 0),
        ("any", "finished"),
    ),
    "different kinds": Pattern(
        "if rank == 0:\n    dist.all_reduce(one)\nelse:\n    dist.all_gather([one.clone(), one.clone()], one)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[1\] float64\) at line 10; rank 1 called all_gather\(.*\) at line 12",
        (2, 4),
        ("any", "any"),
    ),
    "a barrier against an all_reduce": Pattern(
        "if rank == 0:\n    dist.barrier()\nelse:\n    dist.all_reduce(one)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called barrier at line 10; rank 1 called all_reduce\(\[1\] float64\) at line 12",
        (2, 4),
        ("any", "any"),
    ),
    "different shapes": Pattern(
        "dist.all_reduce(torch.ones(2 + rank))\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[2\] float32\) at line 9; rank 1 called all_reduce\(\[3\] float32\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "different dtypes": Pattern(
        "dist.all_reduce(torch.ones(2, dtype=torch.float64 if rank else torch.float32))\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called all_reduce\(\[2\] float32\) at line 9; rank 1 called all_reduce\(\[2\] float64\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "a graph of its own on one rank skips the backward's all-reduce": Pattern(
        "if rank == 1:\n    return torch.zeros((), requires_grad=True) * 1.0\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: all_reduce\(\[\d+\] float64\) in backward",
        (0, 0),
        ("waiting", "finished"),
    ),
    "a broadcast from two roots": Pattern(
        "dist.broadcast(one, src=rank)\ndist.barrier()\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called broadcast\(\[1\] float64, from rank 0\) at line 9; "
        r"rank 1 called broadcast\(\[1\] float64, from rank 1\) at line 9",
        (0, 0),
        ("any", "any"),
    ),
    "a broadcast from a root that waits for another": Pattern(
        "dist.broadcast(one, src=1 - rank)\nreturn token_losses.sum()",
        "desync",
        r"collective #\d+ differs: rank 0 called broadcast\(\[1\] float64, from rank 1\) at line 9; "
        r"rank 1 called broadcast\(\[1\] float64, from rank 0\) at line 9",
        (1, 1),
        ("waiting", "waiting"),
    ),
    "an exception on one rank": Pattern(
        "if rank == 1:\n    [][0]\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"IndexError: list index out of range \(rank 1, line 10 of your file\)",
        (3, 2),
        ("any", "raised"),
    ),
    "an exception on one rank, caught by none, in the other's backward": Pattern(
        "if rank == 0:\n    raise RuntimeError('no tokens here')\nreturn token_losses.sum()",
        "error",
        r"RuntimeError: no tokens here \(rank 0, line 10 of your file\)",
        (2, 0),
        ("raised", "any"),
    ),
    "sys.exit on one rank": Pattern(
        "if rank == 1:\n    sys.exit(0)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"SystemExit: 0 \(rank 1, line 10 of your file\)",
        (3, 2),
        ("any", "raised"),
    ),
    "os._exit on one rank": Pattern(
        "if rank == 1:\n    os._exit(0)\ndist.all_reduce(one)\nreturn token_losses.sum()",
        "error",
        r"Rank 1 ended its own process before it returned \(exit code 0\)",
        (3, 0),
        ("any", "exited"),
    ),
    "a recv that nobody answers": Pattern(
        "if rank == 0:\n    dist.recv(one, src=1)\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which rank 1 waits: all_reduce\(\[\d+\] float64\) in backward; "
        r"rank 0 waits in recv\(\[1\] float64, from rank 1\) at line 10",
        (2, 0),
        ("waiting", "waiting"),
    ),
    "both wait for the other's send": Pattern(
        "dist.recv(one, src=1 - rank)\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 in recv\(\[1\] float64, from rank 1\) at line 9; "
        r"rank 1 in recv\(\[1\] float64, from rank 0\) at line 9",
        (1, 1),
        ("waiting", "waiting"),
    ),
    "both wait for what they had posted before": Pattern(
        "posted = dist.batch_isend_irecv([dist.P2POp(dist.irecv, one, 1 - rank, tag=2)])\nfor work in posted:\n    work.wait()\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 at line 11 of your file, for recv\(\[1\] float64, from rank 1, tag 2\) at line 9; "
        r"rank 1 at line 11 of your file, for recv\(\[1\] float64, from rank 0, tag 2\) at line 9",
        (3, 3),
        ("waiting", "waiting"),
    ),
    "a group that one of its ranks never forms": Pattern(
        "if rank == 0:\n    dist.new_group([0, 1])\nelse:\n    dist.recv(one)\nreturn token_losses.sum()",
        "desync",
        r"rank 1 never joined collective #\d+, in which rank 0 waits: new_group\(\[0, 1\]\) at line 10; "
        r"rank 1 waits in recv\(\[1\] float64, from any rank\) at line 12",
        (2, 4),
        ("waiting", "waiting"),
    ),
    "keys that each wants before it writes its own": Pattern(
        "store = dist.distributed_c10d._get_default_store()\nstore.get(f'{1 - rank}')\nstore.set(f'{rank}', '')\nreturn token_losses.sum()",
        "desync",
        r"wait for each other for ever: rank 0 in store.get\('1'\) at line 10; rank 1 in store.get\('0'\) at line 10.* "
        r"No rank is left that could make the calls they wait for",
        (2, 2),
        ("waiting", "waiting"),
    ),
    "a key that a rank in an all_reduce would have written": Pattern(
        "store = dist.distributed_c10d._get_default_store()\nif rank == 0:\n    store.wait(['ready'])\ndist.all_reduce(one)\n"
        "store.set('ready', '')\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which rank 1 waits: all_reduce\(\[1\] float64\) at line 12; "
        r"rank 0 waits in store.wait\('ready'\) at line 11",
        (3, 4),
        ("waiting", "waiting"),
    ),
    "a subgroup's collective entered by one of its two ranks": Pattern(
        "group = dist.new_group([0, 1])\nif rank == 0:\n    dist.all_reduce(one, group=group)\nreturn token_losses.sum()",
        "desync",
        r"rank 0 never joined collective #\d+, in which ranks 1 and 2 wait: .*; "
        r"rank 0 waits in all_reduce\(\[1\] float64, among ranks 0, 1\) at line 11",
        (3, 0),
        ("waiting", "waiting"),
        sizes=3,
    ),
}
