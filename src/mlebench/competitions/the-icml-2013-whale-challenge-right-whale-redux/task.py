"""Right Whale Redux: does a right whale call in the underwater recording?"""

import re
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.archives import members, repack
from mlebench.preparing.tables import write_csv
from mlebench.submission import Number, Submission

TRAINING_DAYS = 2

SUBMISSION = Submission(key="clip", columns=(Number("probability", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    clips = members(raw / "train2.zip", ".aif")
    train_days = sorted({_day(clip) for clip in clips})[:TRAINING_DAYS]
    train = [clip for clip in clips if _day(clip) in train_days]
    test = [clip for clip in clips if _day(clip) not in train_days]
    known = {clip: re.sub(r"TRAIN\d+", f"TRAIN{number}", clip) for number, clip in enumerate(train)}
    hidden = {
        clip: f"{Path(clip).name.partition('TRAIN')[0]}Test{number}.aif"
        for number, clip in enumerate(test)
    }
    repack(raw / "train2.zip", public / "train2.zip", known)
    repack(
        raw / "train2.zip",
        public / "test2.zip",
        {clip: f"test2/{name}" for clip, name in hidden.items()},
    )
    calls = [int(clip.endswith("_1.aif")) for clip in test]
    answers = pd.DataFrame({"clip": hidden.values(), "probability": calls})
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(probability=0), public / "sampleSubmission.csv")


def _day(clip: str) -> str:
    return Path(clip).name.partition("_")[0]


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["probability"], predicted["probability"])
