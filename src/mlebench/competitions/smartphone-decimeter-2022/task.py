"""Google Smartphone Decimeter Challenge 2022: where exactly was the phone?"""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.metrics.spheres import haversine
from mlebench.preparing.files import place_tree
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_csv_hastily, write_csv
from mlebench.submission import Ignored, Number, PositionInGroup, Submission

GUESS = {"LatitudeDegrees": 37.904611315634504, "LongitudeDegrees": -86.48107806249548}
TRACK = "ground_truth.csv"
RECEIVER_LOG = "span_log.nmea"

# Times are not looked at: within a trip rows are compared in the order of the answers.
SUBMISSION = Submission(
    key="tripId",
    columns=(
        Ignored("UnixTimeMillis"),
        *(Number(degrees, may_be_missing=True, may_be_infinite=True) for degrees in GUESS),
    ),
    matching=PositionInGroup(),
    public=("UnixTimeMillis",),
)
SUBMISSION_V2 = Submission(
    key=("tripId", "UnixTimeMillis"),
    columns=(
        Number("LatitudeDegrees", low=-90, high=90, may_be_truth=False),
        Number("LongitudeDegrees", low=-180, high=180, may_be_truth=False),
    ),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, hidden=(TRACK,))


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # The original leaves the log of the reference receiver, from which the track was made.
    _prepare(raw, public, private, hidden=(TRACK, RECEIVER_LOG))


def _prepare(raw: Path, public: Path, private: Path, hidden: Collection[str]) -> None:
    drives = sorted(folder.name for folder in (raw / "train").iterdir() if folder.is_dir())
    _, held_out = partition_list(sorted({date_of(drive) for drive in drives}), test_size=0.1)
    tracks = []
    for drive in drives:
        source = raw / "train" / drive
        if date_of(drive) not in held_out:
            place_tree(source, public / "train" / drive)
            continue
        place_tree(source, public / "test" / drive, leave_out=hidden)
        tracks += [_track(drive, path) for path in sorted(source.glob(f"*/{TRACK}"))]
    place_tree(raw / "metadata", public / "metadata")
    answers = pd.concat(tracks)
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(**GUESS), public / "sample_submission.csv")


def date_of(drive: str) -> str:
    """The day of a drive, written so that days sort as texts."""
    year, month, day, *_ = *drive.split("-"), "", ""
    if not (year + month + day).isdigit():
        raise DataSourceError(f"The name of the drive {drive} does not begin with a date.")
    return f"{year}-{month.zfill(2)}-{day.zfill(2)}"


def _track(drive: str, path: Path) -> pd.DataFrame:
    track = read_csv_hastily(path)[["UnixTimeMillis", *GUESS]]
    track.insert(0, "tripId", f"{drive}-{path.parent.name}")
    return track


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    distances = haversine(*(side[degrees] for side in (truth, predicted) for degrees in GUESS))
    trips = truth.groupby("tripId", sort=False).indices.values()
    quantiles = [np.quantile(distances[rows], (0.5, 0.95)) for rows in trips]
    return float(np.mean(quantiles))
