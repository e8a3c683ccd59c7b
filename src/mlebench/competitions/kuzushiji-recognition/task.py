"""Kuzushiji Recognition: which cursive characters stand where on the page of an old book?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.rectangles import first_come, pairs_within
from mlebench.preparing.archives import repack
from mlebench.preparing.files import place
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Boxes, Points, Submission, flattened, parse_answers

POINTS = Points("labels", fields=("code", "x", "y"), words=("code",))
BOXES = Boxes(
    "labels",
    fields=("code", "x", "y", "width", "height"),
    words=("code",),
    single_blanks=False,
)

SUBMISSION = Submission(key="image_id", columns=(POINTS,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    gold = test["labels"].map(points_inside, na_action="ignore")
    write_csv(test.assign(labels=gold), private / "gold_submission.csv")
    write_csv(test.assign(labels="U+003F 1 1 U+FF2F 2 2"), public / "sample_submission.csv")
    place(raw / "unicode_translation.csv", public / "unicode_translation.csv")
    for side, pages in (("train", train["image_id"]), ("test", test["image_id"])):
        names = {f"{page}.jpg": f"{page}.jpg" for page in pages}
        repack(raw / "train_images.zip", public / f"{side}_images.zip", names)


def points_inside(boxes: str) -> str:
    """A point in each box, near its upper left corner."""
    tokens = boxes.split()
    corners = zip(tokens[0::5], tokens[1::5], tokens[2::5])
    return " ".join(f"{code} {int(x) + 1} {int(y) + 1}" for code, x, y in corners)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    boxes, page_of_box = flattened(parse_answers(BOXES, truth))
    points, page_of_point = flattened(predicted["labels"])
    codes, names = pd.factorize(np.concatenate([boxes["code"], points["code"]]))
    one, other = pairs_within(
        page_of_box * len(names) + codes[: len(boxes)],
        page_of_point * len(names) + codes[len(boxes) :],
    )
    is_inside = np.full(len(one), True)
    for start, size in (("x", "width"), ("y", "height")):
        low, high = boxes[start], boxes[start] + boxes[size]
        is_inside &= (low[one] < points[start][other]) & (points[start][other] < high[one])
    found = int(first_come(one[is_inside], other[is_inside]).sum())
    return 2 * found / (len(boxes) + len(points)) if found else 0.0
