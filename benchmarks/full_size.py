"""Answers and submissions of the real size of a test set, for graders that do not look at masks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

ANSWERS, SUBMISSION = "answers.csv", "submission.csv"
JSON_ANSWERS = "answers.jsonl"
WORDS = np.array([f"word{number:03d}" for number in range(400)])


def write_tables(folder: Path, answers: dict[str, Any], submission: dict[str, Any]) -> None:
    """Both tables, through pandas, which quotes what needs it."""
    pd.DataFrame(answers).to_csv(folder / ANSWERS, index=False)
    pd.DataFrame(submission).to_csv(folder / SUBMISSION, index=False)


def write_quickly(path: Path, columns: dict[str, Any]) -> None:
    """A csv of millions of rows, none of which needs quotes."""
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
    with path.open("wb") as file:
        file.write((",".join(columns) + "\n").encode())
        pyarrow.csv.write_csv(pa.table(columns), file, options)


def neutrinos(folder: Path, rng: np.random.Generator) -> None:
    count = 13_200_000
    events = np.cumsum(rng.integers(1, 170, count))
    for name in (ANSWERS, SUBMISSION):
        angles = {"azimuth": rng.uniform(0, 6.28, count), "zenith": rng.uniform(0, 3.14, count)}
        write_quickly(folder / name, {"event_id": events, **angles})


def chest_x_rays(folder: Path, rng: np.random.Generator) -> None:
    """Every class but "no finding" on each picture, and a hundred predictions."""
    images = [f"{number:032x}" for number in range(1_500)]
    corners = np.sort(rng.uniform(0, 3000, (len(images), 14, 2, 2)), axis=2)
    rows = [
        (image, kind, "thing", "R1", *corners[number, kind].ravel())
        for number, image in enumerate(images)
        for kind in range(14)
    ]
    names = ["image_id", "class_id", "class_name", "rad_id", "x_min", "y_min", "x_max", "y_max"]
    pd.DataFrame(rows, columns=names).to_csv(folder / ANSWERS, index=False)
    cells = []
    for number in range(len(images)):
        kinds = rng.integers(0, 14, 100)
        boxes = corners[number, kinds].reshape(100, 4) + rng.normal(0, 60, (100, 4))
        sure = rng.random(100)
        cells.append(
            " ".join(
                f"{kind} {confidence:.4f} {a:.1f} {b:.1f} {c:.1f} {d:.1f}"
                for kind, confidence, (a, b, c, d) in zip(kinds, sure, boxes, strict=True)
            )
        )
    pd.DataFrame({"image_id": images, "PredictionString": cells}).to_csv(
        folder / SUBMISSION, index=False
    )


def traffic(folder: Path, rng: np.random.Generator) -> None:
    """Twenty-eight boxes on each of 4,536 samples, most of them nearly right."""
    kinds = np.array(["car", "truck", "bus", "pedestrian", "bicycle"])
    ids, true, guess = [], [], []
    for number in range(4_536):
        places = rng.uniform(0, 2000, (28, 3)) * [1, 1, 0.005]
        sizes = rng.uniform(1, 5, (28, 3))
        boxes = np.hstack([places, sizes, rng.uniform(-3, 3, (28, 1))])
        names = rng.choice(kinds, 28)
        moved = boxes + rng.normal(0, 0.15, boxes.shape)
        moved[:, 3:6] = np.maximum(moved[:, 3:6], 0.2)
        ids.append(f"{number:064x}")
        true.append(_boxes(boxes, names, np.ones(28)))
        guess.append(_boxes(moved, names, rng.random(28)))
    write_tables(
        folder, {"Id": ids, "PredictionString": true}, {"Id": ids, "PredictionString": guess}
    )


def _boxes(boxes: np.ndarray, names: np.ndarray, sure: np.ndarray) -> str:
    shapes = (" ".join(f"{value:.4f}" for value in box) for box in boxes)
    parts = zip(sure, shapes, names, strict=True)
    return " ".join(f"{confidence:.3f} {shape} {name}" for confidence, shape, name in parts)


def notebooks(folder: Path, rng: np.random.Generator) -> None:
    ids = [f"{number:013x}a" for number in range(20_000)]
    true, guess = [], []
    for _ in ids:
        cells = np.char.add(rng.bytes(3).hex(), [f"{k:02x}" for k in range(rng.integers(5, 90))])
        true.append(" ".join(cells))
        guess.append(
            " ".join(cells[np.argsort(np.arange(len(cells)) + rng.normal(0, 4, len(cells)))])
        )
    write_tables(folder, {"id": ids, "cell_order": true}, {"id": ids, "cell_order": guess})


def questions_with_tags(folder: Path, rng: np.random.Generator) -> None:
    count = 603_000
    tags = np.array([f"tag-{number}" for number in range(42_000)])
    picks = (rng.pareto(1.1, (count, 6)) * 20).astype(int) % len(tags)
    true = [" ".join(tags[row[:3]]) for row in picks]
    guess = [" ".join(tags[row[1:5]]) for row in picks]
    ids = rng.permutation(6_000_000)[:count]
    write_quickly(folder / ANSWERS, {"Id": ids, "Tags": true})
    write_quickly(folder / SUBMISSION, {"Id": ids, "Tags": guess})


def tokens(folder: Path, rng: np.random.Generator) -> None:
    count = 993_000
    ids = [f"{number // 13}_{number % 13}" for number in range(count)]
    true = rng.choice(WORDS, count)
    guess = np.where(rng.random(count) < 0.02, "other", true)
    write_quickly(folder / ANSWERS, {"id": ids, "after": true})
    write_quickly(folder / SUBMISSION, {"id": ids, "after": guess})


def molecules(folder: Path, rng: np.random.Generator) -> None:
    count = 485_000
    letters = np.array(list("CHNOS123456789()-,/hct"))
    body = rng.choice(letters, (count, 90))
    changed = np.where(rng.random(body.shape) < 0.03, "X", body)
    ids = [f"{number:011x}a" for number in range(count)]
    true, guess = (
        ["InChI=1S/" + "".join(row) for row in side.tolist()] for side in (body, changed)
    )
    write_tables(folder, {"image_id": ids, "InChI": true}, {"image_id": ids, "InChI": guess})


def purchases(folder: Path, rng: np.random.Generator) -> None:
    """What 1.4 million customers may buy; a twentieth of them did."""
    customers = [f"{number:063x}a" for number in range(1_371_980)]
    articles = np.array([str(number) for number in range(108_775_015, 108_775_015 + 100_000)])
    picks = rng.integers(0, len(articles), (len(customers), 12))
    guess = [" ".join(row) for row in articles[picks].tolist()]
    bought = range(0, len(customers), 20)
    true = [" ".join(articles[picks[k, rng.integers(0, 12, 3)]].tolist()) for k in bought]
    write_quickly(
        folder / ANSWERS, {"customer_id": [customers[k] for k in bought], "prediction": true}
    )
    write_quickly(folder / SUBMISSION, {"customer_id": customers, "prediction": guess})


def articles(folder: Path, rng: np.random.Generator) -> None:
    """Thirty thousand questions, each with the article that is kept beside its answer."""
    text = " ".join(rng.choice(WORDS, 8_000))
    ids, cells = [], []
    with (folder / JSON_ANSWERS).open("w", encoding="utf-8") as file:
        for number in range(30_000):
            start = int(rng.integers(0, 7000))
            span = {"start_token": start, "end_token": start + 20}
            annotation = {"yes_no_answer": "NONE", "short_answers": [span], "long_answer": span}
            record = {"example_id": str(number), "document_text": text, "annotations": [annotation]}
            file.write(json.dumps(record) + "\n")
            ids += [f"{number}_short", f"{number}_long"]
            cells += [f"{start}:{start + 20}", f"{start}:{start + 21}"]
    table = pd.DataFrame({"example_id": ids, "PredictionString": cells})
    table.to_csv(folder / SUBMISSION, index=False)
