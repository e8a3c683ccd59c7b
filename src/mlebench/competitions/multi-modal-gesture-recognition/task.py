"""Multi-modal Gesture Recognition: which of twenty signs does somebody make, in which order?"""

import io
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from mlebench.metrics.texts import levenshtein
from mlebench.preparing.archives import open_tar, open_zip, pack, pack_tar, unpacked
from mlebench.preparing.files import place
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, WholeNumbers, parse_answers

SIGNS = range(1, 21)
HELD_OUT = "training4.tar.gz"
SHARED_ARCHIVES = (
    *(f"training{number}.tar.gz" for number in (1, 2, 3)),
    *(f"validation{number}.tar.gz" for number in (1, 2, 3)),
    *("devel01-40.7z", "valid_all_files_combined.7z", "sample_code_mmrgc.zip"),
)
LABEL_FILE = "_data.mat"

SEQUENCE = WholeNumbers("Sequence")
SUBMISSION = Submission(key="Id", columns=(SEQUENCE,))
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(SEQUENCE, missing="", stays_whole=True),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)
    place(raw / HELD_OUT, public / "test.tar.gz")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)
    with unpacked(raw / HELD_OUT, beside=public) as folder:
        samples = sorted(folder.glob("*.zip"))
        for sample in samples:
            empty_labels(sample)
        pack_tar(public / "test.tar.gz", {path.name: path for path in samples}, mode="w:gz")


def _prepare(raw: Path, public: Path, private: Path) -> None:
    with open_tar(raw / HELD_OUT) as archive:
        members = [PurePosixPath(name) for name in archive.getnames()]
    on_top = [path for path in members if path.parent == PurePosixPath() and path.suffix == ".zip"]
    held_out = sorted(path.stem[-4:] for path in on_top)
    recordings = read_csv(raw / "training.csv", dtype=str)
    is_held_out = recordings["Id"].isin(held_out)
    write_csv(recordings[~is_held_out], public / "training.csv")
    write_csv(recordings[is_held_out], private / "test.csv")
    test = pd.DataFrame({"Id": held_out})
    write_csv(test, public / "test.csv")
    draw = random.Random(0)  # noqa: S311 (the original's sample)
    orders = [" ".join(map(str, draw.sample(SIGNS, len(SIGNS)))) for _ in held_out]
    write_csv(test.assign(Sequence=orders), public / "randomPredictions.csv")
    for name in SHARED_ARCHIVES:
        place(raw / name, public / name)


def empty_labels(sample: Path) -> None:
    """Replace a recording by one whose data file lists no gestures."""
    from scipy.io import loadmat

    with open_zip(sample) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    for name, content in contents.items():
        if name.endswith(LABEL_FILE):
            video = loadmat(io.BytesIO(content))["Video"]
            video["Labels"][0, 0] = np.empty((0, 0))
            contents[name] = mat_bytes({"Video": video})
    pack(sample, contents)


def mat_bytes(variables: Mapping[str, Any]) -> bytes:
    """A Matlab file with these variables; the time of writing is left out."""
    from scipy.io import savemat

    buffer = io.BytesIO()
    savemat(buffer, dict(variables), do_compression=True)
    return b"MATLAB 5.0 MAT-file".ljust(116) + buffer.getvalue()[116:]


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    right = [sequence.tolist() for sequence in parse_answers(SEQUENCE, truth)]
    pairs = zip(right, predicted["Sequence"])
    errors = sum(levenshtein(sequence, guess.tolist()) for sequence, guess in pairs)
    return errors / sum(map(len, right))
