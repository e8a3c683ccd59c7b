"""Made-up raw data of IceCube - Neutrinos in Deep Ice."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

BATCHES, EVENTS, SENSORS = 24, 5, 10
SPEED_OF_LIGHT = 0.3  # metres in a nanosecond


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    sensors = rng.uniform(-500, 500, (SENSORS, 3)).round(2)
    places = pd.DataFrame(sensors, columns=[*"xyz"])
    write_csv(places.rename_axis("sensor_id").reset_index(), raw / "sensor_geometry.csv")
    (raw / "train").mkdir()
    events = 1 + np.cumsum(rng.integers(1, 50, BATCHES * EVENTS)).reshape(BATCHES, EVENTS)
    batches = rng.permutation(np.arange(1, 100))[:BATCHES]
    parts = [_batch(rng, raw, *pair, sensors) for pair in zip(batches, events)]
    pd.concat(parts, ignore_index=True).to_parquet(raw / "train_meta.parquet", index=False)


def _batch(
    rng: np.random.Generator, raw: Path, batch: int, events: np.ndarray, sensors: np.ndarray
) -> pd.DataFrame:
    """Write the pulses of a batch; returns what is known about its events."""
    azimuths, zeniths = rng.uniform(0, 2 * np.pi, EVENTS), np.arccos(rng.uniform(-1, 1, EVENTS))
    counts = rng.integers(3, 8, EVENTS)
    event = np.repeat(np.arange(EVENTS), counts)
    sensor = rng.integers(0, SENSORS, len(event))
    origins = np.stack(
        [np.cos(azimuths) * np.sin(zeniths), np.sin(azimuths) * np.sin(zeniths), np.cos(zeniths)],
        axis=1,
    )
    # Light reaches the sensors one after the other, those nearest to its origin first.
    depth = (origins[event] * sensors[sensor]).sum(axis=1)
    pulses = pd.DataFrame(
        {
            "sensor_id": sensor.astype(np.int16),
            "time": (10_000 - depth / SPEED_OF_LIGHT).astype(np.int64),
            "charge": rng.exponential(1, len(event)).astype(np.float16).astype(np.float64),
            "auxiliary": rng.random(len(event)) < 0.3,
        },
        index=pd.Index(events[event], name="event_id"),
    )
    pulses.to_parquet(raw / "train" / f"batch_{batch}.parquet")
    return pd.DataFrame(
        {
            "batch_id": batch,
            "event_id": events,
            "first_pulse_index": np.cumsum(counts) - counts,
            "last_pulse_index": np.cumsum(counts) - 1,
            "azimuth": azimuths,
            "zenith": zeniths,
        }
    )
