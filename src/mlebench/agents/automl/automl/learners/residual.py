"""A small network of convolutions that each add to what was there before."""

from __future__ import annotations

import torch
from torch import nn

STAGES = 3
SMALL_SIDE = 32


class _Block(nn.Module):  # type: ignore[misc]
    """Two convolutions whose result is added to what they were given."""

    def __init__(self, before: int, after: int, step: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            _convolution(before, after, step),
            nn.ReLU(inplace=True),
            _convolution(after, after, 1),
        )
        is_same = before == after and step == 1
        self.kept = nn.Identity() if is_same else _convolution(before, after, step, size=1)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """What was there and what is added, as far as it is above 0."""
        return torch.relu(self.kept(values) + self.change(values))


class _Pooled(nn.Module):  # type: ignore[misc]
    """The mean of each channel, and the most it has anywhere: what is small may be anywhere."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Two numbers for each channel."""
        return torch.cat([values.mean(dim=(2, 3)), values.amax(dim=(2, 3))], dim=1)


def _convolution(before: int, after: int, step: int, size: int = 3) -> nn.Module:
    """A convolution and what keeps its results at one size."""
    return nn.Sequential(
        nn.Conv2d(before, after, size, step, size // 2, bias=False), nn.BatchNorm2d(after)
    )


def network(side: int, channels: int, outputs: int, width: int) -> nn.Module:
    """A network that has learned nothing.

    Args:
        side: How high and wide pictures are.
        channels: How many they have.
        outputs: How many numbers are told of each.
        width: How many channels the first convolutions make; later ones make more.
    """
    parts = [
        _convolution(channels, width, 1 if side <= SMALL_SIDE else 2),
        nn.ReLU(inplace=True),
        _Block(width, width, 1),
    ]
    for stage in range(1, STAGES):
        parts.append(_Block(width * 2 ** (stage - 1), width * 2**stage, 2))
    parts += [_Pooled(), nn.Linear(2 * width * 2 ** (STAGES - 1), outputs)]
    # Channels side by side are read faster.
    return nn.Sequential(*parts).to(memory_format=torch.channels_last)
