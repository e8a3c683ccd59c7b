"""Handwritten digits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution
from benchmarks.mini.solutions.models import Make, classifiers, extra_trees, logistic, neural
from PIL import Image
from scipy.ndimage import rotate, shift
from sklearn.decomposition import PCA
from sklearn.ensemble import VotingClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

Features = Callable[[Any], Any]
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))
ANGLES = (-12, 12)
MIDDLE = 4


def read(public: Path) -> tuple[Any, Any, Any, list[str]]:
    """Pictures to learn from and their digits, those to predict and their names."""
    train = pd.read_csv(public / "train.csv")
    names = pd.read_csv(public / "sample_submission.csv")["image"].tolist()

    def pictures(folder: str, files: list[str]) -> Any:
        return np.stack([np.asarray(Image.open(public / folder / name), float) for name in files])

    known = pictures("train", train["image"].tolist())
    return known / 255, train["digit"].to_numpy(), pictures("test", names) / 255, names


def pixels(pictures: Any) -> Any:
    return pictures.reshape(len(pictures), -1)


def brightness(pictures: Any) -> Any:
    return pictures.mean(axis=(1, 2))[:, None]


def rows_and_columns(pictures: Any) -> Any:
    return np.hstack([pictures.mean(axis=1), pictures.mean(axis=2)])


def quarters(pictures: Any) -> Any:
    halves = pictures.reshape(-1, 2, MIDDLE, 2, MIDDLE)
    return halves.mean(axis=(2, 4)).reshape(len(pictures), -1)


def slopes(pictures: Any) -> Any:
    """Pixels, and how they change to the right and downwards."""
    down, right = np.gradient(pictures, axis=(1, 2))
    return np.hstack([pixels(pictures), pixels(down), pixels(right)])


def moved(pictures: Any, digits: Any) -> tuple[Any, Any]:
    """The pictures, and again each of them moved by half a pixel each way and turned a little."""
    variants = [pictures]
    variants += [shift(pictures, (0, down / 2, right / 2), order=1) for down, right in MOVES]
    variants += [rotate(pictures, angle, (1, 2), reshape=False, order=1) for angle in ANGLES]
    return np.concatenate(variants), np.tile(digits, len(variants))


def telling(make: Make, features: Features = pixels, *, more: bool = False) -> Solution:
    def solve(public: Path) -> pd.DataFrame:
        pictures, digits, asked, names = read(public)
        if more:
            pictures, digits = moved(pictures, digits)
        model = make().fit(features(pictures), digits)
        return pd.DataFrame({"image": names, "digit": model.predict(features(asked))})

    return solve


def vectors(strength: float = 10) -> Any:
    return SVC(C=strength)


def reduced(parts: int, model: Any) -> Any:
    return make_pipeline(PCA(parts, random_state=0), model)


def voting() -> Any:
    return VotingClassifier(
        [
            ("vectors", vectors()),
            ("nearest", KNeighborsClassifier(3, weights="distance")),
            ("extra", extra_trees()),
            ("neural", neural(100, alpha=0.1)),
            ("reduced", reduced(25, vectors())),
        ]
    )


# What takes long with so many columns, or repeats others here.
LEFT_OUT = ("histogram boosting", "logistic with products", "gradient boosting")
LEFT_OUT += ("mean of five models", "stack of five models", "10 nearest by distance")
LEFT_OUT += ("quadratic discriminant",)  # which has too few pictures to learn from


def solutions() -> dict[str, Solution]:
    made = {name: telling(make) for name, make in classifiers().items() if name not in LEFT_OUT}
    return made | {
        "logistic by brightness": telling(logistic, brightness),
        "logistic by quarters": telling(logistic, quarters),
        "logistic by rows and columns": telling(logistic, rows_and_columns),
        "forest by quarters": telling(classifiers()["forest of 300"], quarters),
        "nearest centre": telling(NearestCentroid),
        "3 nearest of pixels": telling(lambda: KNeighborsClassifier(3)),
        "1 nearest of moved pictures": telling(lambda: KNeighborsClassifier(1), more=True),
        "5 main directions and 5 nearest": telling(lambda: reduced(5, KNeighborsClassifier(5))),
        "20 main directions and 3 nearest": telling(lambda: reduced(20, KNeighborsClassifier(3))),
        "support vectors of pixels": telling(vectors),
        "support vectors of slopes": telling(vectors, slopes),
        "support vectors of moved pictures": telling(vectors, more=True),
        "support vectors of slopes of moved pictures": telling(vectors, slopes, more=True),
        "extra trees of moved pictures": telling(extra_trees, more=True),
        "vote of five models": telling(voting),
        "vote of five models on moved pictures": telling(voting, more=True),
    }
