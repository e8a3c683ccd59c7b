"""Made-up raw data of Lyft 3D Object Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv, write_json

from .task import MAP, MEDIA, Tables


def fixture(raw: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    logs = [f"log-{number}" for number in range(10)]
    drives = [_drive(rng, log) for log in logs]
    tables = {name: [entry for drive in drives for entry in drive[name]] for name in drives[0]}
    tables["map"] = [{"log_tokens": logs, "filename": f"maps/{MAP}", "token": "map"}]
    tables["category"] = [{"token": name, "name": name} for name in ("car", "pedestrian")]
    tables["sensor"] = [{"token": kind, "modality": kind} for kind in MEDIA.values()]
    tables["attribute"] = [{"token": "parked", "name": "is_parked", "description": "à l’arrêt"}]
    tables["visibility"] = [{"token": str(level), "level": f"v{level}"} for level in range(1, 5)]
    for name, table in tables.items():
        write_json(table, raw / "train_data" / f"{name}.json")

    for folder in ("images", "lidar", "maps"):
        (raw / f"train_{folder}").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (16, 16), "grey").save(raw / "train_maps" / MAP)
    for frame in tables["sample_data"]:
        path = raw / f"train_{frame['filename']}"
        if frame["fileformat"] == "jpeg":
            Image.new("RGB", (12, 10), tuple(rng.integers(0, 256, 3).tolist())).save(path)
        else:
            path.write_bytes(rng.normal(0, 20, (20, 5)).astype(np.float32).tobytes())

    labels: dict[str, list[str]] = {}
    kinds = {instance["token"]: instance["category_token"] for instance in tables["instance"]}
    for seen in tables["sample_annotation"]:
        yaw = 2 * np.arctan2(seen["rotation"][3], seen["rotation"][0])
        box = [*seen["translation"], *seen["size"], yaw, kinds[seen["instance_token"]]]
        labels.setdefault(seen["sample_token"], []).append(" ".join(map(str, box)))
    rows = [(sample, " ".join(boxes)) for sample, boxes in reversed(labels.items())]
    write_csv(pd.DataFrame(rows, columns=["Id", "PredictionString"]), raw / "train.csv")


def _drive(rng: np.random.Generator, log: str) -> Tables:
    """Two samples with a picture and a lidar sweep of a car and two pedestrians."""
    samples = [f"{log}-sample-{number}" for number in range(2)]
    frames = [(f"{sample}-{form}", sample, form) for sample in samples for form in MEDIA]
    kinds = ("car", "pedestrian", "pedestrian")
    sizes = {"car": [1.9, 4.6, 1.7], "pedestrian": [0.7, 0.8, 1.8]}
    yaws = rng.uniform(-np.pi, np.pi, len(kinds))
    return {
        "log": [{"token": log, "vehicle": "a101", "location": "Palo Alto – CA"}],
        "scene": [{"token": log, "log_token": log, "nbr_samples": len(samples)}],
        "sample": [{"token": sample, "scene_token": log} for sample in samples],
        "sample_data": [
            {
                "token": frame,
                "sample_token": sample,
                "ego_pose_token": frame,
                "calibrated_sensor_token": f"{log}-{form}",
                "fileformat": form,
                "filename": f"{MEDIA[form]}/{frame}.{form}",
            }
            for frame, sample, form in frames
        ],
        "ego_pose": [
            {"token": frame, "translation": rng.normal(1000, 300, 3).tolist()}
            for frame, *_ in frames
        ],
        "calibrated_sensor": [
            {"token": f"{log}-{form}", "sensor_token": MEDIA[form]} for form in MEDIA
        ],
        "instance": [
            {"token": f"{log}-{number}", "category_token": kind}
            for number, kind in enumerate(kinds)
        ],
        "sample_annotation": [
            {
                "token": f"{sample}-{number}",
                "sample_token": sample,
                "instance_token": f"{log}-{number}",
                "translation": [1000 + 10 * number + rng.random(), rng.uniform(990, 1010), -20.0],
                "size": sizes[kind],
                "rotation": [np.cos(yaws[number] / 2), 0.0, 0.0, np.sin(yaws[number] / 2)],
            }
            for sample in samples
            for number, kind in enumerate(kinds)
        ],
    }
