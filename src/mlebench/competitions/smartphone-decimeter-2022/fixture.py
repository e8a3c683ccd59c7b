"""Made-up raw data of Google Smartphone Decimeter Challenge 2022."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

from .task import RECEIVER_LOG, TRACK

SECONDS = 8
DRIVES = (
    *(f"2020-05-{day:02d}-US-MTV-1" for day in range(14, 25)),
    "2020-05-14-US-MTV-2",
    "2020-6-4-US-MTV-1",
)
PHONES = ("GooglePixel4", "XiaomiMi8")
STATES = {"constellation_type_mapping": "constellationType", "raw_state_bit_map": "bit"}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    for number, drive in enumerate(DRIVES):
        for phone in PHONES[: 1 + number % 2]:
            _write_trip(rng, raw / "train" / drive / phone, 1_589_500_000_000 + 10**8 * number)
    for name, column in STATES.items():
        table = pd.DataFrame({column: range(3), "constellationName": ["UNKNOWN", "GPS", "SBAS"]})
        write_csv(table, raw / "metadata" / f"{name}.csv")


def _write_trip(rng: np.random.Generator, folder: Path, start: int) -> None:
    """A phone that drives on for a few seconds, and what it measured."""
    times = start + 1000 * np.arange(SECONDS)
    origin = rng.normal((37.4, -122.1), 0.1)
    places = origin + np.cumsum(rng.uniform(0, 0.0002, (SECONDS, 2)), axis=0)
    fixes = {
        "MessageType": "Fix",
        "Provider": "GT",
        "LatitudeDegrees": places[:, 0].round(10),
        "LongitudeDegrees": places[:, 1].round(10),
        "AltitudeMeters": 33.5,
        "SpeedMps": rng.uniform(0, 20, SECONDS).round(3),
        "AccuracyMeters": 0.1,
        "BearingDegrees": 45.0,
        "UnixTimeMillis": times,
    }
    latitudes, longitudes = np.radians(places + rng.normal(0, 1e-5, (SECONDS, 2))).T
    baseline = {
        "X": np.cos(latitudes) * np.cos(longitudes),
        "Y": np.cos(latitudes) * np.sin(longitudes),
        "Z": np.sin(latitudes),
    }
    satellites = {"MessageType": "Raw", "utcTimeMillis": times, "Svid": 7} | {
        f"WlsPosition{axis}EcefMeters": 6_371_000 * values for axis, values in baseline.items()
    }
    motion = {"MessageType": "UncalAccel", "utcTimeMillis": times} | {
        f"Measurement{axis}": rng.normal(0, 1, SECONDS) for axis in "XYZ"
    }
    write_csv(pd.DataFrame(fixes), folder / TRACK)
    write_csv(pd.DataFrame(satellites), folder / "device_gnss.csv")
    write_csv(pd.DataFrame(motion), folder / "device_imu.csv")
    logs = folder / "supplemental"
    logs.mkdir()
    (logs / "gnss_log.txt").write_text("# Raw\n")
    lines = [f"$GPGGA,{latitude},N,{longitude},W\n" for latitude, longitude in places.round(6)]
    (logs / RECEIVER_LOG).write_text("".join(lines))
