"""Lyft 3D Object Detection: find every car, cyclist and pedestrian around a self-driving car."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.metrics.boxes import are_solid, average_precision
from mlebench.preparing.files import place
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_csv, read_json, write_csv, write_json
from mlebench.submission import Submission, Text, refuse
from mlebench.submission.columns import parse_each

THRESHOLDS = [percent / 100 for percent in range(50, 100, 5)]
MAP = "map_raster_palo_alto.png"
MEDIA = {"jpeg": "images", "bin": "lidar"}
SHARED_TABLES = ("attribute", "category", "sensor", "visibility")
LABEL_TABLES = ("sample_annotation", "instance")

Detections = dict[str, np.ndarray]
Entry = dict[str, Any]
Tables = dict[str, list[Entry]]


@dataclass(frozen=True)
class Boxes(Text):
    """Any number of boxes, each with a confidence and the name of a class."""

    def parse(self, cells: pd.Series) -> pd.Series:
        """By class the rows of confidence, centre, sizes and yaw."""
        return parse_each(self.name, "bad_boxes", super().parse(cells), self.decode)

    @staticmethod
    def decode(text: str) -> Detections:
        """The boxes behind one text.

        Raises:
            ValueError: The text is no list of boxes.
        """
        if not text.strip():
            return {}
        tokens = text.split(" ")
        if len(tokens) % 9:
            raise ValueError("expected nine values for each box, separated by single blanks")
        boxes: dict[str, list[list[float]]] = {}
        for start in range(0, len(tokens), 9):
            *numbers, name = tokens[start : start + 9]
            boxes.setdefault(name, []).append([float(number) for number in numbers])
        return {name: np.array(rows) for name, rows in boxes.items()}

    def describe(self) -> str:
        """What a cell may hold."""
        return (
            "`confidence center_x center_y center_z width length height yaw class_name` for each "
            "box, all separated by single blanks; empty for no boxes"
        )

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Up to three cars near the origin."""
        cars = [f"{' '.join(map(str, rng.uniform(1, 5, 8).round(3)))} car" for _ in range(rows + 3)]
        return [" ".join(cars[row : row + rng.integers(0, 4)]) for row in range(rows)]


@dataclass(frozen=True)
class SolidBoxes:
    """Boxes of classes that the sample holds are compared, and to be so must be real boxes."""

    column: str

    def check(self, truth: pd.DataFrame, predicted: pd.DataFrame) -> None:
        """Refuse flat, misplaced and distorted boxes among those compared."""
        pairs = zip(truth[self.column], predicted[self.column])
        flaws = pd.Series([_first_flaw(*pair) for pair in pairs], index=predicted.index)
        if (bad := flaws != "").any():
            message = "boxes need finite places, positive sizes and right angles"
            refuse("bad_boxes", message, self.column, flaws, bad)

    def describe(self) -> str:
        """The rule in a sentence."""
        return (
            "Boxes of a class that the sample really holds need finite numbers and positive sizes."
        )

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Examples are made of real boxes already."""
        return example


def _first_flaw(true: Detections, found: Detections) -> str:
    for name in sorted(true.keys() & found.keys()):
        flawed = found[name][~are_solid(found[name][:, 1:])]
        if len(flawed):
            return " ".join(map(str, [*flawed[0].tolist(), name]))
    return ""


BOXES = Boxes("PredictionString")
SUBMISSION = Submission(key="Id", columns=(BOXES,), rules=(SolidBoxes(BOXES.name),))


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
    for frame in tables["sample_data"]:
        kind, name = MEDIA[frame["fileformat"]], Path(frame["filename"]).name
        place(raw / f"train_{kind}" / name, public / f"{part}_{kind}" / name)


def _labels_of(tables: Tables, labels: pd.DataFrame) -> pd.DataFrame:
    return labels[labels["Id"].isin([sample["token"] for sample in tables["sample"]])].copy()


def _with_confidence(boxes: str) -> str:
    tokens = boxes.split(" ")
    for start in range(0, len(tokens) // 8 * 9, 9):
        tokens.insert(start, "1.0")
    return " ".join(tokens)


def truth(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.assign(PredictionString=BOXES.parse(answers["PredictionString"]))


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    pairs = zip(truth["PredictionString"], predicted["PredictionString"])
    return float(np.mean([_precisions(true, found, classes=true) for true, found in pairs]))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    pairs = zip(truth["PredictionString"], predicted["PredictionString"])
    return float(np.mean([_precisions(true, found, classes=true | found) for true, found in pairs]))


def _precisions(true: Detections, found: Detections, classes: Collection[str]) -> np.ndarray:
    """The mean over classes of the average precision, for each threshold."""
    total = np.zeros(len(THRESHOLDS))
    for name in sorted(true.keys() & found.keys()):
        confidences, boxes = found[name][:, 0], found[name][:, 1:]
        total += average_precision(true[name][:, 1:], boxes, confidences, THRESHOLDS)
    return total / len(classes)
