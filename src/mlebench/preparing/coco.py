"""Metadata in the COCO layout: a list of images and one of annotations that name their category.

The lists are parallel: the k-th annotation belongs to the k-th image.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.preparing.files import copy_each, place_each
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import write_json

Metadata = dict[str, Any]


class Picture(NamedTuple):
    """An image with what is known about it."""

    annotation: dict[str, Any]
    image: dict[str, Any]

    @property
    def category(self) -> int:
        """The class it belongs to."""
        number: int = self.annotation["category_id"]
        return number


def pictures_by_category(metadata: Metadata, image_id: str = "id") -> list[list[Picture]]:
    """The pictures of each category; both come in the order in which they first appear.

    Raises:
        DataSourceError: Images and annotations are not parallel.
    """
    categories: dict[int, list[Picture]] = {}
    for picture in map(Picture, metadata["annotations"], metadata["images"]):
        if picture.annotation["image_id"] != picture.image[image_id]:
            raise DataSourceError(
                f"Image {picture.image[image_id]} stands beside the annotation of another one."
            )
        categories.setdefault(picture.category, []).append(picture)
    return list(categories.values())


def hold_out_of_each(
    categories: Iterable[list[Picture]], test_size: float, splits_from: int = 5
) -> tuple[list[list[Picture]], list[Picture]]:
    """Training pictures by category, and the held-out ones of all categories, shuffled.

    A category with fewer pictures than ``splits_from`` gives its last one away, a lone
    picture stays.
    """
    train, test = [], []
    for pictures in categories:
        if len(pictures) >= splits_from:
            kept, given = partition_list(pictures, test_size)
        else:
            last = max(len(pictures) - 1, 1)
            kept, given = pictures[:last], pictures[last:]
        train.append(kept)
        test += given
    random.Random(0).shuffle(test)  # noqa: S311 (the original's own lot)
    return train, test


def with_pictures(metadata: Metadata, pictures: Iterable[Picture]) -> Metadata:
    """The same metadata with the images and annotations of these pictures only."""
    chosen = list(pictures)
    return metadata | {
        "annotations": [picture.annotation for picture in chosen],
        "images": [picture.image for picture in chosen],
    }


def renamed(
    pictures: Iterable[Picture], names: Iterable[tuple[str, str]], image_id: str = "id"
) -> list[Picture]:
    """The pictures with other ids and file names, given as one pair for each."""
    return [
        Picture(
            picture.annotation | {"image_id": new_id},
            picture.image | {image_id: new_id, "file_name": name},
        )
        for picture, (new_id, name) in zip(pictures, names, strict=True)
    ]


def write_metadata(metadata: Any, path: Path) -> None:
    """Metadata, or a part of them, in the form in which all these contests are published."""
    write_json(metadata, path, indent=4, sort_keys=True)


def place_pictures(
    pictures: Iterable[Picture],
    renamed: Iterable[Picture],
    source: Path,
    target: Path,
    *,
    held_out: bool = False,
) -> None:
    """Place the image files of pictures under the names that they have been given.

    Held-out ones are copied, since raw images lie in a folder for each category.
    """
    put = copy_each if held_out else place_each
    put(
        (source / old.image["file_name"], target / new.image["file_name"])
        for old, new in zip(pictures, renamed, strict=True)
    )


def answers_in_order(test: Iterable[Picture]) -> pd.DataFrame:
    """The categories of held-out pictures that are numbered from 0."""
    categories = [picture.category for picture in test]
    return pd.DataFrame({"Id": range(len(categories)), "Predicted": categories})


def publish_renumbered(
    metadata: Metadata, train: list[list[Picture]], test: list[Picture], images: Path, folder: Path
) -> pd.DataFrame:
    """Write ``train`` and ``test`` with images and metadata; returns the answers.

    Training images keep their names, held-out ones are numbered from 0 and lose everything
    that tells their category.

    Args:
        metadata: What the pictures come from.
        train: Training pictures by category.
        test: The held-out ones.
        images: Where the file names of the metadata begin.
        folder: Where the two parts go.
    """
    kept = list(chain.from_iterable(train))
    write_metadata(with_pictures(metadata, kept), folder / "train" / "metadata.json")
    place_pictures(kept, kept, images, folder / "train")
    numbered = renamed(test, [_numbered(number) for number in range(len(test))])
    shown = {name: metadata[name] for name in ("info", "licenses")}
    shown["images"] = [picture.image for picture in numbered]
    write_metadata(shown, folder / "test" / "metadata.json")
    place_pictures(test, numbered, images, folder / "test", held_out=True)
    return answers_in_order(test)


def _numbered(number: int) -> tuple[str, str]:
    """A new id and file name; there are a thousand images to a folder."""
    return str(number), f"images/{number // 1000:03d}/{number}.jpg"


def as_table(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Images or annotations as a table that is the same in all versions of pandas.

    A field that some records lack is NaN there, and whole numbers in it become floats.
    Texts stay as they are.
    """
    table = pd.DataFrame(records, dtype=object)
    inferred = table.infer_objects()
    numbers = inferred.select_dtypes(["number", "bool"])
    return table.assign(**{str(name): numbers[name] for name in numbers})
