"""IceCube - Neutrinos in Deep Ice: where in the sky did the neutrino come from?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.pairs import mean
from mlebench.metrics.spheres import angles_between
from mlebench.preparing.files import fresh_file, place, place_all
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import open_parquet, write_csv, write_parquet
from mlebench.submission import Number, Submission

ANGLES = ("azimuth", "zenith")
EVENT = ("batch_id", "event_id", "first_pulse_index", "last_pulse_index")
ROWS_AT_A_TIME = 1 << 20  # of more than a hundred million

SUBMISSION = Submission(
    key="event_id",
    columns=tuple(Number(angle, may_be_truth=False) for angle in ANGLES),
    only_these_columns=True,
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    meta = raw / "train_meta.parquet"
    train, test = partition_list(_batches(meta), test_size=0.1)
    events = _split_events(meta, test, public / "train_meta.parquet")
    write_parquet(events[[*EVENT]], public / "test_meta.parquet")
    write_csv(events[["event_id", *ANGLES]], private / "test.csv")
    sample = events[["event_id"]].assign(**dict.fromkeys(ANGLES, 1))
    write_csv(sample, public / "sample_submission.csv")
    place(raw / "sensor_geometry.csv", public / "sensor_geometry.csv")
    files = {number_of(path): path.name for path in (raw / "train").glob("*.parquet")}
    for side, batches in (("train", train), ("test", test)):
        names = (files.get(batch, f"batch_{batch}.parquet") for batch in batches)
        place_all(names, raw / "train", public / side)


def number_of(batch: Path) -> int:
    return int(batch.stem.rpartition("_")[2])


def _batches(meta: Path) -> list[int]:
    """The numbers of all batches, as they first appear."""
    seen: dict[int, None] = {}
    with open_parquet(meta) as table:
        for rows in table.iter_batches(ROWS_AT_A_TIME, columns=["batch_id"]):
            seen |= dict.fromkeys(rows["batch_id"].unique().to_pylist())
    return list(seen)


def _split_events(meta: Path, held_out: list[int], train: Path) -> pd.DataFrame:
    """Write the training events to a file; returns those of the batches that are held out."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    test = []
    with open_parquet(meta) as table:
        schema = pa.schema([table.schema_arrow.field(name) for name in (*EVENT, *ANGLES)])
        with pq.ParquetWriter(fresh_file(train), schema) as writer:
            for rows in table.iter_batches(ROWS_AT_A_TIME, columns=schema.names):
                is_test = pc.is_in(rows["batch_id"], value_set=pa.array(held_out))
                writer.write(rows.filter(pc.invert(is_test)).cast(schema))
                test.append(rows.filter(is_test))
    events: pd.DataFrame = pa.Table.from_batches(test).to_pandas()
    return events


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    angles = (side[angle] for side in (truth, predicted) for angle in ANGLES)
    return mean(angles_between(*angles))
