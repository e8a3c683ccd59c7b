"""1st and Future - Player Contact Detection: who touches whom, or the ground, and when?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import matthews_correlation
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, read_csv_hastily, write_csv
from mlebench.submission import Label, Submission

TABLES = ("baseline_helmets", "player_tracking", "video_metadata")
VIEWS = ("All29", "Endzone", "Sideline")
CONTACT = Label("contact", choices=(0, 1))

SUBMISSION = Submission(key="contact_id", columns=(CONTACT,))
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(CONTACT, low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, by="game_play")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, by="game")


def _prepare(raw: Path, public: Path, private: Path, by: str) -> None:
    # The second of two players is a number, or G for the ground.
    labels = read_csv(raw / "train_labels.csv", dtype={"nfl_player_id_2": str})
    plays = labels[["game_play"]].drop_duplicates()
    plays = plays.assign(game=plays["game_play"].str.partition("_")[0])
    train, test = (part["game_play"] for part in partition_by_value(plays, by, test_size=0.1))
    answers = labels[labels["game_play"].isin(test)]
    write_csv(labels[labels["game_play"].isin(train)], public / "train_labels.csv")
    write_csv(answers, private / "test.csv")
    write_csv(answers[["contact_id"]].assign(contact=0), public / "sample_submission.csv")
    parts = (("train", train), ("test", test))
    for name in TABLES:
        table = read_csv_hastily(raw / f"train_{name}.csv")
        for part, chosen in parts:
            write_csv(table[table["game_play"].isin(chosen)], public / f"{part}_{name}.csv")
    for part, chosen in parts:
        videos = (f"{play}_{view}.mp4" for play in chosen for view in VIEWS)
        place_all(videos, raw / "train", public / part)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return matthews_correlation(truth["contact"], predicted["contact"])
