"""Lyft 3D Object Detection: find every car, cyclist and pedestrian around a self-driving car."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from mlebench.metrics.boxes import are_solid, average_precisions
from mlebench.preparing.files import place, place_each
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_csv, read_json, write_csv, write_json
from mlebench.submission import Boxes, Submission, flattened, parse_answers, refuse_boxes

THRESHOLDS = [percent / 100 for percent in range(50, 100, 5)]
MAP = "map_raster_palo_alto.png"
MEDIA = {"jpeg": "images", "bin": "lidar"}
SHARED_TABLES = ("attribute", "category", "sensor", "visibility")
LABEL_TABLES = ("sample_annotation", "instance")

SHAPE = ("center_x", "center_y", "center_z", "width", "length", "height", "yaw")

Detections = np.ndarray  # of boxes as `BOXES` declares them
Entry = dict[str, Any]
Tables = dict[str, list[Entry]]


BOXES = Boxes(
    "PredictionString",
    fields=("confidence", *SHAPE, "class_name"),
    words=("class_name",),
)


@dataclass(frozen=True)
class SolidBoxes:
    """All boxes are real boxes, so that they can be compared."""

    column: str

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse flat, misplaced and distorted boxes."""
        refuse_flat(predicted[self.column])

    def describe(self) -> str:
        """The rule in a sentence."""
        return "Boxes need places, positive sizes and right angles: no `nan`, no absurd numbers."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Examples are made of real boxes already."""
        return example


def refuse_flat(cells: pd.Series, among: np.ndarray | bool = True) -> None:
    """Refuse cells with boxes, or with some of them, that cannot be compared."""
    message = "boxes need finite places, positive sizes and right angles"
    boxes, _ = flattened(cells)
    refuse_boxes(BOXES.name, message, cells, ~are_solid(shape(boxes)) & among)


def shape(boxes: Detections) -> np.ndarray:
    """Place, sizes and yaw as a plain table."""
    return np.stack([boxes[field] for field in SHAPE], axis=1)


SUBMISSION = Submission(key="Id", columns=(BOXES,))
# Edition v1 refuses a flat box only where the sample holds its class, which is for scoring to know.
VALIDATION = SUBMISSION_V2 = replace(SUBMISSION, rules=(SolidBoxes(BOXES.name),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    tables = {path.stem: read_json(path) for path in (raw / "train_data").glob("*.json")}
    labels = read_csv(raw / "train.csv")
    train_logs, test_logs = partition_list([log["token"] for log in tables["log"]], test_size=0.2)
    # The original shares one map between the parts, so both list the test logs.
    tables["map"] = [entry | {"log_tokens": test_logs} for entry in tables["map"]]

    train = _select(tables, train_logs)
    _write_part("train", train, raw, public)
    write_csv(_labels_of(train, labels), public / "train.csv")

    test = _select(tables, test_logs)
    _write_part("test", {name: test[name] for name in test.keys() - LABEL_TABLES}, raw, public)
    answers = _labels_of(test, labels)
    answers["PredictionString"] = answers["PredictionString"].map(_with_confidence)
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(PredictionString=""), public / "sample_submission.csv")


def _select(tables: Tables, logs: list[str]) -> Tables:
    """The entries that belong to some logs."""

    def where(table: str, field: str, tokens: Iterable[str]) -> list[Entry]:
        wanted = set(tokens)
        return [entry for entry in tables[table] if entry[field] in wanted]

    # A scene has the token of its log.
    samples = where("sample", "scene_token", logs)
    sample_tokens = [sample["token"] for sample in samples]
    frames = where("sample_data", "sample_token", sample_tokens)
    annotations = where("sample_annotation", "sample_token", sample_tokens)
    poses = {pose["token"]: pose for pose in tables["ego_pose"]}
    sensors = {sensor["token"]: sensor for sensor in tables["calibrated_sensor"]}
    used_sensors = dict.fromkeys(frame["calibrated_sensor_token"] for frame in frames)
    return {
        "map": tables["map"],
        "log": where("log", "token", logs),
        "scene": where("scene", "log_token", logs),
        "sample": samples,
        "sample_data": frames,
        "ego_pose": [poses[frame["ego_pose_token"]] for frame in frames],
        "calibrated_sensor": [sensors[token] for token in used_sensors],
        "sample_annotation": annotations,
        "instance": where("instance", "token", (entry["instance_token"] for entry in annotations)),
    }


def _write_part(part: str, tables: Tables, raw: Path, public: Path) -> None:
    for name, table in tables.items():
        write_json(table, public / f"{part}_data" / f"{name}.json")
    for name in SHARED_TABLES:
        place(raw / "train_data" / f"{name}.json", public / f"{part}_data" / f"{name}.json")
    place(raw / "train_maps" / MAP, public / f"{part}_maps" / MAP)
    frames = tables["sample_data"]
    media = [(MEDIA[frame["fileformat"]], Path(frame["filename"]).name) for frame in frames]
    place_each(
        (raw / f"train_{kind}" / name, public / f"{part}_{kind}" / name) for kind, name in media
    )


def _labels_of(tables: Tables, labels: pd.DataFrame) -> pd.DataFrame:
    return labels[labels["Id"].isin([sample["token"] for sample in tables["sample"]])].copy()


def _with_confidence(boxes: str) -> str:
    tokens = boxes.split(" ")
    for start in range(0, len(tokens) // 8 * 9, 9):
        tokens.insert(start, "1.0")
    return " ".join(tokens)


def score(truth: pd.DataFrame, predicted: pd.DataFrame, rows: np.ndarray) -> float:
    true, found = parse_answers(BOXES, truth), predicted[BOXES.name].set_axis(rows)
    groups = Groups.of(true, found)
    refuse_flat(found, among=np.isin(groups.boxes, groups.labels))
    precisions, is_true = precision_of_each(true, found, groups), np.unique(groups.labels)
    return mean_over_samples(precisions[is_true], groups.samples[is_true], len(true), np.nan)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    true, found = parse_answers(BOXES, truth), predicted[BOXES.name]
    groups = Groups.of(true, found)
    precisions = precision_of_each(true, found, groups)
    return mean_over_samples(precisions, groups.samples, len(true), of_nothing=1.0)


class Groups(NamedTuple):
    """A number for each class that is named in a sample, by labels or by a submission."""

    labels: np.ndarray
    boxes: np.ndarray
    samples: np.ndarray
    """The sample of each group."""

    @classmethod
    def of(cls, true: pd.Series, found: pd.Series) -> Self:
        """Number the classes of all samples."""
        (labels, of_label), (boxes, of_box) = flattened(true), flattened(found)
        names = np.concatenate([labels["class_name"], boxes["class_name"]])
        numbers, classes = pd.factorize(names)
        keys = np.concatenate([of_label, of_box]) * len(classes) + numbers
        groups, number = np.unique(keys, return_inverse=True)
        return cls(number[: len(labels)], number[len(labels) :], groups // max(len(classes), 1))


def precision_of_each(true: pd.Series, found: pd.Series, groups: Groups) -> np.ndarray:
    """The mean over thresholds of the average precision, for each group."""
    (labels, _), (boxes, _) = flattened(true), flattened(found)
    precisions = average_precisions(
        *(shape(labels), groups.labels, shape(boxes), groups.boxes),
        confidences=boxes["confidence"],
        thresholds=THRESHOLDS,
    )
    return np.asarray(precisions.mean(axis=1))


def mean_over_samples(
    precisions: np.ndarray, samples: np.ndarray, total: int, of_nothing: float
) -> float:
    """The mean over classes, then over samples; one may have nothing to find and find it."""
    sums = np.bincount(samples, precisions, minlength=total)
    named = np.bincount(samples, minlength=total)
    return float(np.where(named, sums / np.maximum(named, 1), of_nothing).mean())
