"""The texts that ``quizapp bank new`` begins with. Each lints clean as it stands; a lab's programs end as their places say.

``NAME`` stands for the new thing's id and ``TITLE`` for its title. In programs ``@`` begins a line that imports: nothing in quizapp
imports torch, and who searches for such lines shall find none.
"""

MODELINE = "# yaml-language-server: $schema={schema}\n"

BANK = """\
id: NAME
title: TITLE
version: 1
description: |
  What somebody can do after this bank, in a sentence or two.

topics:
  NAME-basics: {title: What comes first}

reading:
  - id: notes
    title: Before you begin
    text: |
      Two ranks hold different numbers of valid tokens. Their means are two numbers; the mean of *all* tokens is a third.

items:
"""

CHECKPOINT = """\
  - kind: checkpoint
    id: NAME
    title: TITLE
    topics: [TOPIC]
    difficulty: 1
    variables:
      n: {value: [2, 4], range: [1, 9], distinct: true}   # valid tokens of each rank
      S: {value: [6, 6], range: [2, 24]}                  # loss sums of each rank
    constraints:
      - "abs(sum(S)/sum(n) - mean(S/n)) > 0.05"
      - "abs(sum(S)/2 - sum(S)/sum(n)) > 0.05 and abs(sum(S)/2 - mean(S/n)) > 0.05"
    stem: |
      Two ranks hold {{ n }} valid tokens, with the loss sums {{ S }}. What is the mean loss over all valid tokens?
    explanation: |
      {{ sum(S) }} / {{ sum(n) }} = {{ sum(S)/sum(n) }}: one division, by all tokens. The mean of the ranks' own means is
      {{ mean(S/n) }}, in which a token of the rank with fewer tokens weighs more. {{ sum(S)/2 }} counts ranks, not tokens.
    choices:
      - {id: all-tokens, value: sum(S)/sum(n), key: true, note: "One sum, one count."}
      - {id: rank-means, value: mean(S/n), misconception: mean-of-rank-means, note: "Each rank weighs the same here."}
      - {id: per-rank, value: sum(S)/2, misconception: raw-sum, note: "Divided by the ranks, and by no token."}
"""

EXERCISE = """\
  - kind: exercise
    id: NAME
    title: TITLE
    topics: [TOPIC]
    difficulty: 2
    points: 3
    variables:
      n: {value: [2, 4], range: [1, 9], distinct: true}
      S: {value: [6, 6], range: [2, 24]}
    constraints: ["abs(sum(S)/sum(n) - mean(S/n)) > 0.01*sum(S)/sum(n)"]   # more than five tolerances
    stem: |
      Two ranks hold {{ n }} valid tokens, with the loss sums {{ S }}. DDP averages gradients over the ranks.
    explanation: |
      The mean over all valid tokens is {{ sum(S) }} / {{ sum(n) }} = {{ sum(S)/sum(n) }}. DDP divides by the number of ranks R, so
      each rank back-propagates R times its loss sum over the count of all tokens, N.
    parts:
      - id: number
        kind: numeric
        points: 1
        stem: What is the mean loss over all valid tokens?
        key: sum(S)/sum(n)
        tolerance: 0.001
        wrong:
          - {value: mean(S/n), misconception: mean-of-rank-means}
      - id: factor
        kind: symbolic
        points: 2
        stem: By what does a rank multiply its loss sum?
        symbols:
          R: {range: [2, 16], integer: true, meaning: the number of ranks}
          N: {range: [1, 100], integer: true, meaning: the valid tokens of all ranks}
        key: R/N
        wrong:
          - {value: 1/N, misconception: forgot-world-size-factor}
"""

PROBE = """\
  - kind: probe
    id: NAME
    title: TITLE
    topics: [TOPIC]
    difficulty: 3
    points: 2
    stem: |
      A run moves from one GPU to eight, with the same data and seed, and its loss curve changes. What do you look at first?
    explanation: |
      Each rank divides by its own number of valid tokens, and DDP averages the ranks with equal weight, so that a token's weight
      depends on the rank it came to. All-reduce the count, and multiply by the number of ranks.
    rubric:
      criteria:
        - id: equal-weight
          points: 1
          description: DDP averages gradients over the ranks with equal weight.
          accept: ["DDP averages the gradients of all ranks with equal weight"]
          reject: ["DDP weighs the ranks by their token counts"]
        - id: count
          points: 1
          description: The number of valid tokens differs between the ranks, so that the count has to be all-reduced.
          accept: ["the number of valid tokens differs between the ranks"]
    follow_ups:
      - id: few-tokens
        missed: [equal-weight]
        stem: One rank has two valid tokens and the others have thousands. How much do those two weigh?
        rubric:
          criteria:
            - id: too-much
              points: 1
              description: As much as all tokens of another rank together.
              accept: ["they weigh as much as all the tokens of another rank"]
"""

CODE = """\
  - kind: exercise
    id: NAME
    title: TITLE
    topics: [TOPIC]
    difficulty: 3
    points: 5
    stem: |
      Write `scale_loss`: it gets the losses and the mask of one rank, and returns the scalar that this rank back-propagates. After
      DDP's average, every rank must hold the gradient of the mean over all valid tokens of all ranks.
    explanation: |
      The count of valid tokens is all-reduced, and the rank's loss sum is multiplied by the number of ranks and divided by it.
    parts:
      - {id: program, kind: code, points: 5, folder: FOLDER}
"""

LAB = """\
entry: scale_loss
signature: "scale_loss(token_losses: Tensor float64 [T], mask: Tensor bool [T]) -> Tensor float64 []"
drive: loss-under-ddp
objective: {valid: 1/N}     # the weight of each token; padding has 0 unless said otherwise
world_sizes: [2, 3]
scenarios:
  - {name: uneven, shape: uneven}
  - {name: even, shape: even}
  - {name: empty-rank, shape: empty-rank}
misconceptions:             # what each wrong idea makes of the weights; a division by zero is NaN
  - id: mean-of-rank-means
    weights:
      - {valid: 1/(R*n_r)}
      - {valid: 1/(R*n_r), padding: 0/n_r}
    hint: Two tokens on different ranks should weigh the same. Which count would make them?
  - id: forgot-world-size-factor
    weights: [{valid: 1/(R*N)}]
    hint: All weights are too small by the same number. What does DDP do after your backward?
"""
STARTER = '''\
"""Scale the rank's loss so that DDP's average is the gradient of the mean over all valid tokens."""

@torch
@torch.distributed as dist  # noqa: F401  (you will want it)


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """token_losses: [T], padding included. mask: [T], True for valid tokens. Every rank calls this once for each step."""
    return token_losses.mean()
'''
SOLUTION = '''\
"""The loss sum, times the number of ranks, over the count of all valid tokens."""

@torch
@torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    count = mask.sum()
    dist.all_reduce(count)  # every rank takes part, an empty one with 0
    return token_losses[mask].sum() * dist.get_world_size() / count.clamp(min=1)
'''
RIGHT = '''\
"""The mean count per rank as the divisor, which brings the number of ranks with it."""

@torch
@torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    counts = [torch.zeros((), dtype=torch.int64) for _ in range(dist.get_world_size())]
    dist.all_gather(counts, mask.sum())
    per_rank = torch.stack(counts).double().mean()
    return (token_losses * mask).sum() / per_rank.clamp(min=1 / dist.get_world_size())
'''
RANK_MEANS = '''\
"""Divides by the rank's own count."""

@torch


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return token_losses[mask].sum() / mask.sum().clamp(min=1)
'''
FORGOT = '''\
"""Divides by the count of all ranks, and forgets that DDP divides once more."""

@torch
@torch.distributed as dist


def scale_loss(token_losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    count = mask.sum()
    dist.all_reduce(count)
    return token_losses[mask].sum() / count.clamp(min=1)
'''
_PROGRAMS = {
    "starter.py": STARTER,
    "solution.py": SOLUTION,
    "right/mean_count.py": RIGHT,
    "wrong/mean-of-rank-means.py": RANK_MEANS,
    "wrong/forgot-world-size-factor.py": FORGOT,
}
PROGRAMS = {"lab.yaml": LAB, **{name: text.replace("\n@", "\nimport ") for name, text in _PROGRAMS.items()}}
"""A lab's files."""
ITEMS = {"checkpoint": CHECKPOINT, "exercise": EXERCISE, "probe": PROBE, "lab": CODE}
"""Kind -> an item."""
