"""Networks that look at pictures, as large and for as long as there is time.

Imports torch, so only steps import this, each in its own process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..features.pictures import Pixels, Squares
from ..folds import Folds
from ..metrics import codes_of
from ..pace import SHARE_USED, Pace, seconds_left
from ..problem import Array, Prediction, Problem
from .adam import Adam
from .holding_out import Index, hold_out
from .mirrors import Mirrors, harmless_mirrors
from .residual import network
from .scaling import Scale

MANY_ROWS, BATCH, BATCH_OF_MANY, BATCH_TO_PREDICT = 10_000, 32, 64, 256
LOOKED_AT = 1500
WARM_UP, MEASURED, SHORTEST = 1, 3, 1e-6
MOST_PARTS, FEWEST_PARTS = 5, 2
ENOUGH_EPOCHS, FEWEST_STEPS, FEW_STEPS, MANY_STEPS = 10, 20, 400, 2000
HIGHEST_RATE, FIRST_SHARE, RISING, DECAY = 4e-3, 0.1, 0.2, 0.02
FARTHEST_SHIFT = 0.1
PREDICTING = 1 / 3  # what it takes for a row, of what learning once from it takes


@dataclass(frozen=True)
class Convolutions:
    """How networks are made.

    Attributes:
        widths: How wide they may be; the first for which there is time enough is taken.
        epochs: How often each row is learned from at most.
        seed: Decides what is decided by lot.
        threads: How many may work.
    """

    widths: tuple[int, ...] = (32, 16)
    epochs: int = 40
    seed: int = 0
    threads: int = 1


def convolve(
    problem: Problem, folds: Folds, squares: Squares, convolutions: Convolutions
) -> Prediction:
    """What networks say of pictures; of rows without one what is usual.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out; all their rows have pictures.
        squares: The pictures of all rows.
        convolutions: How networks are made.

    Raises:
        TimeoutError: There is not even time for a few steps.
    """
    torch.set_num_threads(convolutions.threads)
    rows = np.arange(len(squares.pixels))
    known, asked = rows[: len(problem.target)], rows[len(problem.target) :]
    plan = _planned(problem, folds, squares, convolutions)
    pace = Pace(plan.folds.models)

    def fit(known: Index, target: Array, asked: Index, place: int) -> Array:
        aim = _aim(problem, target)
        seen = squares.is_known[asked]
        predicted = np.tile(aim.usual, (len(asked), 1))
        with pace.task() as until:
            seed = convolutions.seed + 100 * place
            learner = _Learner(squares.pixels, known, aim, convolutions.epochs, seed)
            trained = learner.trained(plan, until, int(seen.sum()))
            predicted[seen] = aim.told(learner.outputs(trained, asked[seen]))
        return predicted

    return hold_out(problem, plan.folds, known, asked, fit)


@dataclass(frozen=True)
class _Plan:
    """What there is time for.

    Attributes:
        folds: The parts that are held out, several of them together if need be.
        width: How wide networks are.
        seconds: How long a step of theirs takes.
    """

    folds: Folds
    width: int
    seconds: float


def _planned(problem: Problem, folds: Folds, squares: Squares, convolutions: Convolutions) -> _Plan:
    """First networks get narrower, then fewer, until there is time enough for each of them."""
    known = folds.all_learned_from(len(problem.target))
    aim = _aim(problem, problem.target[known])
    learner = _Learner(squares.pixels, known, aim, convolutions.epochs, convolutions.seed)
    widths = convolutions.widths
    ways = [(width, MOST_PARTS) for width in widths]
    ways += [(widths[-1], parts) for parts in range(MOST_PARTS - 1, FEWEST_PARTS - 1, -1)]
    measured: dict[int, float] = {}
    for width, parts in ways:
        if width not in measured:
            measured[width] = learner.seconds_of_step(width)
        plan = _Plan(folds.joined(parts), width, measured[width])
        count = plan.folds.models
        until = time.monotonic() + SHARE_USED * seconds_left() / count
        asked = len(problem.test) + len(known) // count
        if learner.steps_until(plan, until, asked) >= learner.enough:
            break
    return plan


@dataclass(frozen=True)
class _Aim:
    """What a network is to say.

    Attributes:
        wanted: Of each row that is learned from.
        columns: The same, a column for each number, class or mark.
        loss: How far what it says is from what is wanted.
        told: What it says as what is asked for.
        usual: What is told of rows without a picture.
    """

    wanted: torch.Tensor
    columns: Array
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    told: Callable[[Array], Array]
    usual: Array


def _aim(problem: Problem, target: Array) -> _Aim:
    if problem.kind == "classes":
        wanted, table = torch.from_numpy(codes_of(target)), problem.table_of(target)
        return _Aim(wanted, table, nn.functional.cross_entropy, _shares, table.mean(axis=0))
    if problem.kind == "marks":
        wanted = torch.from_numpy(target.astype(np.float32))
        loss = nn.functional.binary_cross_entropy_with_logits
        return _Aim(wanted, target, loss, _chances, target.mean(axis=0))
    scale = Scale.of(problem, target)
    scaled = scale.scaled(target)
    wanted = torch.from_numpy(scaled.astype(np.float32))
    usual = scale.told(np.zeros(target.shape[1]))
    return _Aim(wanted, scaled, nn.functional.mse_loss, scale.told, usual)


def _shares(outputs: Array) -> Array:
    raised = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _chances(outputs: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(outputs, -30, 30))))


class _Learner:
    """Trains networks on the pictures of some rows, and asks them about others."""

    def __init__(self, pixels: Pixels, known: Index, aim: _Aim, epochs: int, seed: int) -> None:
        self._pixels, self._known, self._aim = pixels, known, aim
        self._epochs, self._seed = epochs, seed
        self._batch = min(BATCH_OF_MANY if len(known) > MANY_ROWS else BATCH, len(known))
        few = np.random.default_rng(seed).permutation(len(known))[:LOOKED_AT]
        some = pixels[known[few]]
        self._mirrors = harmless_mirrors(some, aim.columns[few])
        self._mean = some.mean(axis=(0, 1, 2))
        self._spread = some.std(axis=(0, 1, 2)) + 1.0

    def trained(self, plan: _Plan, until: float, asked: int) -> nn.Module:
        """A network that has learned.

        Args:
            plan: What there is time for.
            until: When all has to be over, by the monotonic clock.
            asked: About how many rows it will be asked.
        """
        steps = self.steps_until(plan, until, asked)
        if steps < FEWEST_STEPS:
            raise TimeoutError("there is too little time for a network")
        steps = min(steps, self._epochs * self._steps_of_epoch)
        made = self._made(plan.width)
        self._train(made, steps, until - asked * self._seconds_of_asking(plan.seconds))
        return made

    @property
    def _steps_of_epoch(self) -> int:
        return len(self._known) // self._batch

    @property
    def enough(self) -> int:
        """After how many steps something has been learned."""
        return min(max(ENOUGH_EPOCHS * self._steps_of_epoch, FEW_STEPS), MANY_STEPS)

    def steps_until(self, plan: _Plan, until: float, asked: int) -> float:
        """How many steps there is time for, if so many rows are asked about after them."""
        left = until - time.monotonic() - asked * self._seconds_of_asking(plan.seconds)
        return left / plan.seconds

    def _seconds_of_asking(self, seconds: float) -> float:
        """How long asking about one row takes, if a step takes so many seconds."""
        return PREDICTING * (1 + self._mirrors.across) * seconds / self._batch

    def _made(self, width: int) -> nn.Module:
        outputs = self._aim.columns.shape[1]
        with torch.random.fork_rng():
            torch.manual_seed(self._seed)
            return network(self._pixels.shape[1], self._pixels.shape[-1], outputs, width)

    def seconds_of_step(self, width: int) -> float:
        """How long a step takes, by a network that is used for nothing else."""
        made = self._made(width)
        adam = Adam(made.parameters(), DECAY)
        taken = []
        for chosen in self._drawn(WARM_UP + MEASURED):
            began = time.monotonic()
            self._step(made, adam, FIRST_SHARE, chosen, np.random.default_rng(self._seed))
            taken.append(time.monotonic() - began)
        return max(float(np.median(taken[WARM_UP:])), SHORTEST)

    def _drawn(self, steps: float) -> Iterator[Index]:
        """Places among the known rows for each step; none again before all others."""
        rng = np.random.default_rng(self._seed)
        number = 0
        while True:
            order = rng.permutation(len(self._known))
            for start in range(0, self._steps_of_epoch * self._batch, self._batch):
                if number >= steps:
                    return
                number += 1
                yield order[start : start + self._batch]

    def _train(self, made: nn.Module, steps: float, until: float) -> None:
        """Learn in one cycle, which gets shorter if steps take longer than they did at first."""
        adam = Adam(made.parameters(), DECAY)
        rng = np.random.default_rng(self._seed + 1)
        began = time.monotonic()
        made.train()
        for number, chosen in enumerate(self._drawn(steps)):
            late = (time.monotonic() - began) / max(until - began, 1e-9)
            progress = max(number / steps, late)
            if progress >= 1:
                return
            self._step(made, adam, _cycle(progress), chosen, rng)

    def _step(
        self, made: nn.Module, adam: Adam, share: float, chosen: Index, rng: np.random.Generator
    ) -> None:
        moved = _moved(self._pixels[self._known[chosen]], self._mirrors, rng)
        self._aim.loss(made(self._tensor(moved)), self._aim.wanted[chosen]).backward()
        adam.step(share * HIGHEST_RATE)

    def _tensor(self, pixels: Pixels) -> torch.Tensor:
        scaled = (pixels.astype(np.float32) - self._mean) / self._spread
        return torch.from_numpy(scaled.astype(np.float32)).permute(0, 3, 1, 2)

    def outputs(self, made: nn.Module, rows: Index) -> Array:
        """What a network says of rows, on the mean of what it says of them and their mirrors."""
        said = []
        made.eval()
        with torch.inference_mode():
            for start in range(0, len(rows), BATCH_TO_PREDICT):
                values = self._tensor(self._pixels[rows[start : start + BATCH_TO_PREDICT]])
                told = made(values)
                if self._mirrors.across:
                    told = (told + made(values.flip(3))) / 2
                said.append(told.double().numpy())
        return np.concatenate(said) if said else np.zeros((0, self._aim.columns.shape[1]))


def _cycle(progress: float) -> float:
    """The share of the highest learning rate: up in a line, down in a wave."""
    if progress < RISING:
        return FIRST_SHARE + (1 - FIRST_SHARE) * progress / RISING
    return (1 + math.cos(math.pi * (progress - RISING) / (1 - RISING))) / 2


def _moved(pixels: Pixels, mirrors: Mirrors, rng: np.random.Generator) -> Pixels:
    """Pictures a little aside, and some of them mirrored."""
    side = pixels.shape[1]
    rows = _places(len(pixels), side, rng, is_mirrored=mirrors.down)
    columns = _places(len(pixels), side, rng, is_mirrored=mirrors.across)
    return pixels[np.arange(len(pixels))[:, None, None], rows[:, :, None], columns[:, None, :]]


def _places(
    count: int, side: int, rng: np.random.Generator, *, is_mirrored: bool
) -> NDArray[np.int64]:
    """For each of several pictures, which of its lines comes where."""
    farthest = max(1, round(FARTHEST_SHIFT * side))
    shift = rng.integers(-farthest, farthest + 1, (count, 1))
    places = np.clip(np.arange(side) + shift, 0, side - 1)
    turned = is_mirrored & (rng.random((count, 1)) < 0.5)
    return np.asarray(np.where(turned, side - 1 - places, places))
