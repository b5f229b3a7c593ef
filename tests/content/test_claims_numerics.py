"""What items of the losses, policy, precision and statistics banks claim of torch's losses, short floats, clipping and scaling."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def logits(*rows: tuple[float, ...]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


class TestLosses:
    def test_a_class_weight_cancels_in_a_batch_of_one(self) -> None:
        row, label = logits((0.3, -1.0)), torch.tensor([1])
        plain = F.cross_entropy(row, label)
        for rare in (1.0, 20.0):
            weight = torch.tensor([1.0, rare], dtype=torch.float64)
            assert F.cross_entropy(row, label, weight=weight) == pytest.approx(plain.item())

    def test_the_output_of_the_issue_with_indices_and_with_probabilities(self) -> None:
        rows, labels = logits((0.2, 0.3, 0.5), (0.5, 0.2, 0.3)), torch.tensor([2, 1])
        weight = torch.tensor([2.0, 4.0, 6.0], dtype=torch.float64)
        each = F.cross_entropy(rows, labels, weight=weight, reduction="none")
        one_hot = F.one_hot(labels, 3).to(torch.float64)
        assert [round(loss, 4) for loss in each.tolist()] == [5.6390, 4.9593]
        assert round(each.sum().item(), 4) == 10.5983
        assert round(F.cross_entropy(rows, labels, weight=weight).item(), 4) == 1.0598
        assert round(F.cross_entropy(rows, one_hot, weight=weight).item(), 4) == 5.2992
        assert round(each.sum().item() / 12, 4) == 0.8832
        assert F.cross_entropy(rows, one_hot, weight=weight, reduction="none").tolist() == pytest.approx(each.tolist())

    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    def test_smoothing_leaves_ignored_rows_alone(self, reduction: str) -> None:
        rows = logits((2.0, 0.0), (5.0, 0.0), (-1.0, 3.0)).requires_grad_()
        labels = torch.tensor([0, -100, 1])
        loss = F.cross_entropy(rows, labels, label_smoothing=0.2, reduction=reduction)
        without = F.cross_entropy(rows[labels != -100], labels[labels != -100], label_smoothing=0.2, reduction=reduction)
        assert loss.item() == pytest.approx(without.item())
        loss.backward()  # type: ignore[no-untyped-call]
        assert rows.grad is not None
        assert rows.grad[1].abs().max() == 0

    def test_smoothing_is_the_share_of_the_mean_over_classes(self) -> None:
        rows, labels, e = logits((2.0, 0.0, -1.0), (0.5, 1.0, 0.0)), torch.tensor([0, 2]), 0.3
        nll = -F.log_softmax(rows, 1)
        by_hand = (1 - e) * nll[torch.arange(2), labels] + e * nll.mean(1)
        assert F.cross_entropy(rows, labels, label_smoothing=e).item() == pytest.approx(by_hand.mean().item())

    def test_the_first_loss_of_dpo(self) -> None:
        first = -F.logsigmoid(torch.tensor(0.0, dtype=torch.float64)).item()
        assert first == pytest.approx(math.log(2))
        assert (round(first, 3), round(8 * first, 3)) == (0.693, 5.545)

    def test_weights_of_tokens_are_the_derivative_by_their_losses(self) -> None:
        """Two answers of 5 and 1 tokens: means over tokens, over answers, over a constant of 8."""
        losses, mask = torch.full((2, 5), 2.0), torch.tensor([[1.0] * 5, [1.0, 0, 0, 0, 0]])
        losses[1, 0] = 10.0
        losses.requires_grad_()
        found = []
        for loss in (
            (losses * mask).sum() / mask.sum(),
            ((losses * mask).sum(1) / mask.sum(1)).mean(),
            (losses * mask).sum() / (2 * 8),
        ):
            (weights,) = torch.autograd.grad(loss, losses)
            found.append((loss.item(), weights[0, 0].item(), weights[1, 0].item()))
        assert found[0] == pytest.approx((10 / 3, 1 / 6, 1 / 6))
        assert found[1] == pytest.approx((6, 1 / 10, 1 / 2))
        assert found[2] == pytest.approx((1.25, 1 / 16, 1 / 16))


def stalls_at(dtype: torch.dtype, step: float, start: float = 0.0) -> float:
    """Where a sum stops that grows by ``step``."""
    total = torch.tensor(start, dtype=dtype)
    while (total + step) != total:
        total += step
    return total.item()


class TestShortFloats:
    @pytest.mark.parametrize("q", range(5))
    def test_a_count_in_bfloat16_stalls(self, q: int) -> None:
        assert stalls_at(torch.bfloat16, 2.0**q) == 256 * 2**q

    def test_other_types_stall_later(self) -> None:
        assert stalls_at(torch.float16, 1.0) == 2048
        assert stalls_at(torch.float32, 1.0, 16_777_210.0) == 16_777_216

    def test_sum_accumulates_in_a_wider_type(self) -> None:
        assert torch.ones(600, dtype=torch.bfloat16).sum() == 600
        assert torch.ones(4, 4, dtype=torch.bool).sum().dtype == torch.int64

    def test_the_log_that_went_to_zero(self) -> None:
        totals = {dtype: torch.tensor(0.0, dtype=dtype) for dtype in (torch.float32, torch.bfloat16)}
        logged: dict[torch.dtype, list[float]] = {dtype: [] for dtype in totals}
        last = dict.fromkeys(totals, 0.0)
        for step in range(1, 401):
            for dtype, total in totals.items():
                total += torch.tensor(3.2 + 5 * math.exp(-step / 60))
                if step % 100 == 0:
                    logged[dtype].append(round((total.item() - last[dtype]) / 100, 2))
                    last[dtype] = total.item()
        assert logged[torch.float32] == [5.61, 3.66, 3.29, 3.22]
        assert logged[torch.bfloat16] == [5.56, 4.00, 0.68, 0.00]
        assert totals[torch.bfloat16] == 1024

    def test_small_microbatches_are_lost_in_a_bfloat16_gradient(self) -> None:
        grad = torch.tensor(1.0, dtype=torch.bfloat16)
        for _ in range(100):
            grad += 0.003
        assert grad == 1
        assert torch.finfo(torch.bfloat16).eps == 1 / 128

    def test_float16_ends_where_the_exercise_says(self) -> None:
        assert torch.finfo(torch.float16).max == 65504
        smallest = 2.0**-24
        assert torch.tensor(smallest).half() == smallest
        assert torch.tensor(0.49 * smallest).half() == 0
        assert torch.tensor(0.51 * smallest).half() == smallest
        assert torch.tensor(300.0 * 256).half().isinf()


class TestClippingAndScaling:
    def test_clipping_gradients_instead_of_parameters_does_nothing(self) -> None:
        parameter = nn.Parameter(torch.zeros(2))
        parameter.grad = torch.tensor([9.0, 12.0])
        norm = nn.utils.get_total_norm([parameter.grad])
        nn.utils.clip_grads_with_norm_([parameter.grad], 1.0, norm)
        assert norm == 15
        assert parameter.grad.tolist() == [9, 12]
        nn.utils.clip_grads_with_norm_([parameter], 1.0, norm)
        assert parameter.grad.tolist() == pytest.approx([0.6, 0.8])

    def test_a_scale_that_doubles_between_two_microbatches(self) -> None:
        parameter, discriminator = nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))
        optimizer, other = torch.optim.SGD([parameter], lr=1.0), torch.optim.SGD([discriminator], lr=1.0)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=1)
        scaler.scale(6.0 * parameter).backward()  # type: ignore[no-untyped-call]
        scaler.scale(discriminator).backward()  # type: ignore[no-untyped-call]
        scaler.step(other)
        scaler.update()
        assert scaler.get_scale() == 2048
        scaler.scale(2.0 * parameter).backward()  # type: ignore[no-untyped-call]
        scaler.step(optimizer)
        assert parameter.item() == -(6 / 2 + 2)


class TestBatchNorm:
    """The backward of a batch norm over values of which two ranks hold 2 and 6."""

    values, upstream = torch.linspace(-1, 2, 8, dtype=torch.float64) ** 3, torch.cos(torch.arange(8, dtype=torch.float64))

    def gradient(self, mean_of: str) -> Tensor:
        mean, var = self.values.mean(), self.values.var(correction=0)
        normalised = (self.values - mean) / var.sqrt()
        ranks = (slice(0, 2), slice(2, 8))

        def averaged(found: Tensor) -> Tensor:
            return found.mean() if mean_of == "all" else torch.stack([found[rank].mean() for rank in ranks]).mean()

        return (self.upstream - averaged(self.upstream) - normalised * averaged(self.upstream * normalised)) / var.sqrt()

    def test_the_batch_takes_the_biased_variance_and_the_running_one_the_unbiased(self) -> None:
        layer = nn.BatchNorm1d(1, eps=1e-12, momentum=1.0, dtype=torch.float64)
        out = layer(self.values[:, None])
        assert out.var(correction=0).item() == pytest.approx(1.0)
        assert layer.running_var is not None
        assert layer.running_var.item() == pytest.approx(self.values.var(correction=1).item())

    def test_the_gradient_holds_two_means_over_all_values(self) -> None:
        inputs = self.values.clone().requires_grad_()
        out = (inputs - inputs.mean()) / inputs.var(correction=0).sqrt()
        (right,) = torch.autograd.grad(out, inputs, self.upstream)
        assert torch.allclose(self.gradient("all"), right)
        assert not torch.allclose(self.gradient("ranks"), right, rtol=0.01)

    def test_input_gradients_of_a_channel_add_up_to_zero(self) -> None:
        assert abs(self.gradient("all").sum()) < 1e-12
        assert abs(self.gradient("ranks").sum()) > 0.01
