"""How the net's weights move: steps whose directions all count the same (Muon), which learns in far fewer of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True, slots=True)
class StepRules:
    """Muon's settings; the curve and its rounds are its authors'."""

    rounds: int = 5  # that make a matrix orthogonal, near enough
    # of the polynomial that pulls all singular values towards 1
    curve: tuple[float, float, float] = (3.4445, -4.7750, 2.0315)
    memory: float = 0.9  # share of earlier slopes that goes on
    scale: float = 0.2  # makes a step about as long as one of Adam's
    decay: float = 1e-2  # of the weights, by a step of 1


STEP_RULES = StepRules()


class Orthogonal(torch.optim.Optimizer):  # type: ignore[misc]
    """Moves the kernels of convolutions; other weights are not for it."""

    def __init__(self, kernels: Iterable[nn.Parameter], lr: float) -> None:
        super().__init__(kernels, {"lr": lr})

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: None = None) -> None:
        """Moves each kernel against its slope."""
        for group in self.param_groups:
            for kernel in group["params"]:
                memory = self.state[kernel].setdefault("memory", torch.zeros_like(kernel))
                memory.mul_(STEP_RULES.memory).add_(kernel.grad)
                slope = kernel.grad.add(memory, alpha=STEP_RULES.memory).flatten(1)
                longest = max(slope.shape) ** 0.5
                kernel.mul_(1 - STEP_RULES.decay * group["lr"])
                kernel.add_(_orthogonal(slope).view_as(kernel), alpha=-group["lr"] * STEP_RULES.scale * longest)


def _orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix with all its singular values near 1, by Newton-Schulz rounds."""
    a, b, c = STEP_RULES.curve
    x = matrix / (matrix.norm() + 1e-7)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    for _ in range(STEP_RULES.rounds):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if tall else x
