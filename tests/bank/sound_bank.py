"""A registry, a lab and a bank without faults, with something of every kind."""

REGISTRY = """\
misconceptions:
  - {id: mean-of-means, title: the mean of means, computes: mean(S/n), why: it looks fair, cure: divide once}
  - {id: no-factor, title: the factor forgotten, computes: L/N, why: DDP is forgotten, cure: multiply by R}
"""

LAB = """\
entry: scale_loss
signature: scale_loss(token_losses, mask)
objective: {valid: 1/N}
scenarios:
  - {name: uneven, shape: uneven}
  - {name: even, shape: even}
misconceptions:
  - id: no-factor
    weights: [{valid: 1/(R*N)}]
"""

BANK = """\
id: sound
title: A sound bank
description: Something of every kind.
reading:
  - {id: notes, title: Notes, text: Read me.}
items:
  - id: pick
    kind: checkpoint
    topics: [ddp]
    difficulty: 1
    stem: What is the mean of {{ S }} over {{ n }}?
    explanation: It is {{ sum(S)/sum(n) }}.
    variables:
      n: {value: [2, 4], range: [1, 9], distinct: true}
      S: {value: [6, 6], range: [1, 9]}
    constraints: ["sum(S)/sum(n) != mean(S/n)"]
    choices:
      - {id: right, value: sum(S)/sum(n), key: true}
      - {id: naive, value: mean(S/n), misconception: mean-of-means}
  - id: work
    kind: exercise
    points: 5
    topics: [ddp, tokens]
    difficulty: 3
    stem: Work it out.
    explanation: |
      Read this.
      And this.
    variables:
      m: {value: 3}
    parts:
      - id: number
        kind: numeric
        key: 2*m
        wrong:
          - {value: m, misconception: mean-of-means}
      - id: letters
        kind: symbolic
        symbols:
          R: {range: [2, 9], integer: true, meaning: ranks}
          N: {range: [1, 50], meaning: tokens}
        key: R/N
        wrong:
          - {value: 1/N, misconception: no-factor}
      - id: words
        kind: text
        points: 2
        rubric:
          criteria:
            - {id: one, points: 1, description: Says one., accept: [one]}
            - {id: two, points: 1, description: Says two., regex: ['tw?o']}
          misconceptions:
            - {id: no-factor, accept: [no factor], cancels: [one]}
      - id: program
        kind: code
        folder: lab
  - id: talk
    kind: probe
    points: 1
    topics: [ddp]
    difficulty: 4
    stem: Why?
    explanation: Because.
    rubric:
      criteria:
        - {id: cause, points: 1, description: Says why., accept: [because]}
      misconceptions:
        - {id: mean-of-means, accept: [all the same]}
    follow_ups:
      - id: more
        missed: [cause]
        shown: [mean-of-means]
        stem: And then?
        rubric:
          criteria:
            - {id: then, points: 1, description: Says what then., accept: [then]}
"""
