"""The factor that turns a rank's gradient sums into the gradient of the token mean, on any mesh."""

import torch  # noqa: F401  (you will want it)
import torch.distributed as dist


def gradient_scale(kind: str, mesh: dict[str, int], tokens: int, reduction: str, groups: "dict[str, dist.ProcessGroup]") -> float:
    """Returns the number with which this rank multiplies its gradient sums before they are reduced.

    mesh: sizes of ``dp`` (data parallel), ``cp`` (context parallel: each rank holds another slice of the same sequences), ``tp``
        (tensor parallel: these ranks hold the same tokens and other parts of each matrix) and ``ep`` (expert parallel: groups
        among the dp * cp ranks). The world has dp * cp * tp ranks.
    tokens: valid tokens of this rank's own slice; may be 0. All tensor-parallel ranks of a slice have the same number.
    groups: this rank's process groups: ``dp``, ``cp``, ``tp``, ``dp_cp`` (all dp * cp ranks of the same tp position), ``ep``, and
        ``expert_dp`` (the dp * cp / ep ranks that hold the same experts).
    kind and reduction: what is reduced, and how:
        - "dense", "mean": each rank holds the gradient sum over its own tokens. It is averaged over ``dp_cp``.
        - "dense", "sum-over-context": the same; it is added up over ``cp`` and averaged over ``dp``.
        - "expert", "mean": tokens were sent to their experts, so each rank holds, for its experts, the gradient sum over the
          tokens of its whole ``ep`` group. It is averaged over ``expert_dp``.

    Wanted: after the reduction every parameter has the gradient of the mean loss over all valid tokens, each counted once.
    If there is none anywhere, return 0. All ranks get the same number. Every rank calls this function for the same questions.
    A verdict lists, for each mesh, [0] the dense factor, [1] the expert factor, [2] the dense one with "sum-over-context".
    """
    # Right for a single rank.
    return 1.0 / tokens if tokens else 0.0
