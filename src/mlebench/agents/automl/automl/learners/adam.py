"""Steps down the slope whose length each weight decides by itself.

The library's own would first import for seconds what only compiled networks need.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

MEMORY, MEMORY_OF_SQUARES, SMALL = 0.9, 0.99, 1e-8


class Adam:
    """Adam, with weights that shrink apart from the slope."""

    def __init__(self, weights: Iterable[torch.Tensor], decay: float) -> None:
        """Begin without any memory.

        Args:
            weights: What is learned.
            decay: How far weights shrink in each step of the rate 1; biases and scales do not.
        """
        self._weights = list(weights)
        self._slopes = [torch.zeros_like(weight) for weight in self._weights]
        self._squares = [torch.zeros_like(weight) for weight in self._weights]
        self._decay = decay
        self._steps = 0

    def step(self, rate: float) -> None:
        """Go down the slope that was found, and forget it."""
        self._steps += 1
        first, second = 1 - MEMORY**self._steps, 1 - MEMORY_OF_SQUARES**self._steps
        with torch.no_grad():
            for weight, slope, square in zip(
                self._weights, self._slopes, self._squares, strict=True
            ):
                slope.lerp_(weight.grad, 1 - MEMORY)
                square.mul_(MEMORY_OF_SQUARES)
                square.addcmul_(weight.grad, weight.grad, value=1 - MEMORY_OF_SQUARES)
                if weight.ndim > 1:
                    weight.mul_(1 - rate * self._decay)
                size = (square / second).sqrt_().add_(SMALL)
                weight.addcdiv_(slope, size, value=-rate / first)
                weight.grad = None
