"""Plant Seedlings Classification: which crop or weed will the seedling grow into?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import f1
from mlebench.preparing.files import copy_each, names_by_folder, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import write_csv
from mlebench.submission import Submission, TextLabel

SPECIES = (
    "Black-grass",
    "Charlock",
    "Cleavers",
    "Common Chickweed",
    "Common wheat",
    "Fat Hen",
    "Loose Silky-bent",
    "Maize",
    "Scentless Mayweed",
    "Shepherds Purse",
    "Small-flowered Cranesbill",
    "Sugar beet",
)

SUBMISSION = Submission(
    key="file",
    columns=(TextLabel("species", choices=SPECIES, missing="nan", may_all_be_missing=False),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    images = raw / "train"
    names = pd.DataFrame(names_by_folder(images, ".png"), columns=["species", "file"])
    train, test = partition_rows(names[["file", "species"]], test_size=0.14)
    write_csv(test, private / "answers.csv")
    write_csv(test.assign(species="Sugar beet"), public / "sample_submission.csv")
    place_all(train["species"] + "/" + train["file"], images, public / "train")
    copy_each(
        (images / species / file, public / "test" / file)
        for file, species in zip(test["file"], test["species"])
    )


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1(truth["species"], predicted["species"], average="micro")
