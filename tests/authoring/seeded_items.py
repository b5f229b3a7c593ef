"""Sound items to damage: something of every kind that the linter looks at. ``NAME`` is the item's id."""

PICK = """\
  - id: NAME
    kind: checkpoint
    title: Two ranks
    topics: [means]
    difficulty: 1
    variables:
      n: {value: [2, 4], range: [1, 9], distinct: true}
      S: {value: [6, 6], range: [2, 24]}
    constraints: ["abs(sum(S)/sum(n) - mean(S/n)) > 0.05", "abs(sum(S)/2 - sum(S)/sum(n)) > 0.05",
                  "abs(sum(S)/2 - mean(S/n)) > 0.05"]
    stem: What is the mean of {{ S }} over {{ n }}?
    explanation: |
      It is {{ sum(S)/sum(n) }}.
      See [the page](https://example.org/means).
    sources: ["Averages (a handbook)"]
    choices:
      - {id: tokens, value: sum(S)/sum(n), key: true, note: One division.}
      - {id: ranks, value: mean(S/n), misconception: mean-of-rank-means, note: Ranks weigh the same.}
      - {id: half, text: "The sum over 2, {{ sum(S)/2 }}", misconception: raw-sum}
"""
WORK = """\
  - id: NAME
    kind: exercise
    points: 5
    title: A window
    topics: [window, means]
    prerequisites: [means]
    difficulty: 2
    variables:
      m: {value: [2, 6], range: [1, 12], distinct: true}
      T: {value: [8, 12], range: [4, 24]}
      k: {value: 3, range: [2, 5]}
    constraints: ["abs(sum(T)/sum(m) - mean(T/m)) > 0.1", "abs(sum(T)/sum(m) - sum(T/m)) > 0.1"]
    stem: Two microbatches hold {{ m }} tokens, with sums {{ T }}.
    explanation: One divisor for both.
    parts:
      - id: number
        kind: numeric
        stem: What is the mean?
        key: sum(T)/sum(m)
        tolerance: 0.001
        wrong:
          - {value: mean(T/m), misconception: mean-of-microbatch-means}
          - {value: sum(T/m), misconception: means-summed}
      - id: letters
        kind: symbolic
        points: 2
        stem: What is the factor?
        symbols:
          R: {range: [2, 16], integer: true, meaning: ranks}
          N: {range: [1, 90], meaning: tokens}
        key: R/N
        wrong:
          - {value: 1/N, misconception: forgot-world-size-factor}
          - {value: R**2/N, misconception: world-size-factor-twice}
      - id: pick
        kind: choice
        points: 2
        stem: Which one?
        choices:
          - {id: first, text: "The first of {{ k }}", key: true}
          - {id: second, text: "The second of {{ k }}", misconception: raw-sum}
"""
WORDS = """\
  - id: NAME
    kind: exercise
    points: 2
    title: Why
    topics: [means]
    difficulty: 3
    stem: Why does the curve of a run change when it moves from one GPU to eight?
    explanation: Ranks weigh the same.
    parts:
      - id: why
        kind: text
        points: 2
        rubric:
          criteria:
            - id: equal-weight
              points: 1
              description: DDP averages gradients over the ranks with equal weight.
              accept: [DDP averages the gradients of all ranks with equal weight]
              reject: [DDP weighs the ranks by their token counts]
              regex: ['\\bmean of (the )?rank means\\b']
            - id: count
              points: 1
              description: The number of valid tokens differs between the ranks.
              accept: [the number of valid tokens differs between the ranks]
          misconceptions:
            - id: mean-of-rank-means
              accept: [the mean of the rank means is the global mean]
              cancels: [equal-weight]
"""
TALK = """\
  - id: NAME
    kind: probe
    points: 1
    title: In an interview
    topics: [means]
    prerequisites: [window]
    difficulty: 4
    stem: What does DDP do with the gradients of the ranks?
    explanation: It averages them.
    rubric:
      criteria:
        - {id: average, points: 1, description: It averages., accept: [every rank's contribution counts the same in an average]}
      misconceptions:
        - {id: raw-sum, accept: [the contributions are added up and nothing is divided], cancels: [average]}
    follow_ups:
      - id: more
        missed: [average]
        stem: A rank has two tokens. How much do they weigh?
        rubric:
          criteria:
            - {id: heavy, points: 1, description: Too much., accept: [as much as all the tokens of another one]}
      - id: less
        shown: [raw-sum]
        stem: Then why does the loss not grow with the ranks?
        rubric:
          criteria:
            - {id: divides, points: 1, description: It divides., accept: [because the sum is divided by the world size]}
"""
CODE = """\
  - id: NAME
    kind: exercise
    points: 1
    title: A program
    topics: [means]
    difficulty: 3
    stem: Write it.
    explanation: So.
    parts:
      - {id: program, kind: code, folder: labs/NAME}
"""
LAB = """\
entry: scale_loss
signature: scale_loss(token_losses, mask)
objective: {valid: 1/N}
world_sizes: [2, 3]
sizes: {valid: [1, 7], padding: [1, 3]}
scenarios:
  - {name: uneven, shape: uneven}
  - {name: even, shape: even}
misconceptions:
  - id: mean-of-rank-means
    weights: [{valid: 1/(R*n_r)}]
  - id: forgot-world-size-factor
    weights: [{valid: 1/(R*N)}]
"""
PROGRAM = "def scale_loss(token_losses, mask):\n    return token_losses.sum()\n"
HEAD = """\
id: ID
title: A bank
description: Something of every kind.
topics:
  means: {title: Means}
  window: {title: Windows, after: [means]}
reading:
  - {id: notes, title: Notes, text: "Read *this* first."}
misconceptions:
  - {id: own-ID, title: an idea, computes: a number, why: it looks fair, cure: divide once}
items:
"""
BASES = {"pick": PICK, "work": WORK, "words": WORDS, "talk": TALK, "code": CODE}
