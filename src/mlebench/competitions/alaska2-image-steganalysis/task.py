"""ALASKA2 Image Steganalysis: is a message hidden in the photograph?"""

import random
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import weighted_roc_auc
from mlebench.preparing.files import copy_each, place_each
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import write_csv
from mlebench.submission import CastNumber, Submission

ALGORITHMS = ("JMiPOD", "JUNIWARD", "UERD")
COVERS_PER_TEST_IMAGE = 15  # 75,000 covers give 5,000 test images
BAND_EDGES, BAND_WEIGHTS = (0, 0.4, 1), (2, 1)

SUBMISSION = Submission(key="Id", columns=(CastNumber("Label"),))


def prepare(raw: Path, public: Path, private: Path, test_size: int | None = None) -> None:
    covers = sorted(path.name for path in (raw / "Cover").glob("*.jpg"))
    held_out = test_size or max(2, len(covers) // COVERS_PER_TEST_IMAGE)
    train, test = partition_list(covers, test_size=held_out, seed=42)
    for folder in ("Cover", *ALGORITHMS):
        place_each(
            (raw / folder / name, public / folder / f"{number:05d}.jpg")
            for number, name in enumerate(train, start=1)
        )
    versions = _draw_versions(test)
    ids = [f"{number:04d}.jpg" for number in range(1, len(test) + 1)]
    copy_each((raw / source, public / "Test" / name) for source, name in zip(versions, ids))
    labels = [int(source.parent.name in ALGORITHMS) for source in versions]
    answers = pd.DataFrame({"Id": ids, "Label": labels})
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(Label=0), public / "sample_submission.csv")


def _draw_versions(names: list[str]) -> list[Path]:
    """Test images in a new order, each as it is or with a message in it, by lot."""
    lots = random.Random(0)  # noqa: S311 (the original's draws)
    shuffled = list(names)
    lots.shuffle(shuffled)
    versions = []
    for name in shuffled:
        is_cover = lots.choice([True, False])
        versions.append(Path("Cover" if is_cover else lots.choice(ALGORITHMS)) / name)
    return versions


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return weighted_roc_auc(truth["Label"], predicted["Label"], BAND_EDGES, BAND_WEIGHTS)
