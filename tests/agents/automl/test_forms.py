"""What is asked for is read off files of very different forms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from tests.conftest import Prepared

MEMORY = 1_000_000_000
Module = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("competition_id", "kind", "columns", "asked"),
    [
        ("dog-breed-identification", "classes", 120, 10),  # some classes are in no row
        ("leaf-classification", "classes", 99, 6),
        ("herbarium-2020-fgvc7", "classes", 7, 11),  # notes on images, in lists of their own
        ("herbarium-2022-fgvc9", "classes", 6, 13),
        ("inaturalist-2019-fgvc6", "classes", 7, 12),
        ("iwildcam-2019-fgvc6", "classes", 6, 10),  # columns of other names
        ("iwildcam-2020-fgvc7", "classes", 4, 20),
        ("jigsaw-unintended-bias-in-toxicity-classification", "classes", 2, 200),
        ("mlsp-2013-birds", "marks", 19, 8),  # lists of labels; numbers of row and column
        ("rsna-2022-cervical-spine-fracture-detection", "marks", 8, 36),  # a row for each column
        ("stanford-covid-vaccine", "numbers", 5, 54),  # a row for each position
    ],
)
def test_tables_of_other_forms_are_understood(
    competition_id: str, kind: str, columns: int, asked: int, module: Module, prepared: Prepared
) -> None:
    data = prepared(competition_id).public_dir
    problem = module("inferring").infer(data, MEMORY)
    assert (problem.kind, problem.columns, len(problem.test)) == (kind, columns, asked)
    written = problem.write(module("learners.constants").constants(problem, asked))
    (sample,) = (module("tables").find_sample(module("tables").find_tables(data)),)
    told = module("tables").read_table(sample, MEMORY, only_text=True)
    first = written.columns[0]
    assert written[first].astype(str).tolist() == told[first].tolist()


@pytest.mark.parametrize(
    "competition_id",
    [
        "3d-object-detection-for-autonomous-vehicles",
        "AI4Code",
        "bms-molecular-translation",
        "cdiscount-image-classification-challenge",
        "h-and-m-personalized-fashion-recommendations",
        "hubmap-kidney-segmentation",
        "kuzushiji-recognition",
        "siim-covid19-detection",
        "text-normalization-challenge-english-language",
        "tweet-sentiment-extraction",
        "vinbigdata-chest-xray-abnormalities-detection",
    ],
)
def test_other_answers_are_not_taken_for_classes(
    competition_id: str, module: Module, prepared: Prepared
) -> None:
    with pytest.raises(module("problem").CannotInferError):
        module("inferring").infer(prepared(competition_id).public_dir, MEMORY)


def test_names_of_rows_stay_as_they_are_written(module: Module, tmp_path: Path) -> None:
    ids = [f"{number:05d}" for number in range(20)]
    pd.DataFrame({"id": ids[:12], "y": [0, 1] * 6, "x": range(12)}).to_csv(
        tmp_path / "train.csv", index=False
    )
    pd.DataFrame({"id": ids[12:], "x": range(8)}).to_csv(tmp_path / "test.csv", index=False)
    pd.DataFrame({"id": ids[12:], "y": 0.5}).to_csv(tmp_path / "sample_submission.csv", index=False)
    problem = module("inferring").infer(tmp_path, MEMORY)
    assert (problem.train_ids[0], problem.test_ids[0]) == ("00000", "00012")
    constants = module("learners.constants").constants
    assert problem.write(constants(problem, 8))["id"].tolist() == ids[12:]


def test_names_made_of_several_columns_are_found(module: Module, tmp_path: Path) -> None:
    rows = pd.DataFrame({"page": [1, 1, 2, 2], "word": [0, 1, 0, 1], "text": [*"abcd"]})
    sample = pd.DataFrame({"id": ["1_0", "1_1", "2_0", "2_1"], "said": ""})
    path = tmp_path / "test.csv"
    found = module("keys").named_as_in_sample(sample, {path: rows}, tmp_path)
    assert found[path]["id"].tolist() == sample["id"].tolist()


def test_what_names_are_made_of_does_not_depend_on_their_order(module: Module) -> None:
    pages = [f"p{n:02}" for n in range(50)]
    words = [f"w{n:02}" for n in range(50)]
    rows = pd.DataFrame({"page": pages, "nearly": ["none", *words[1:]], "word": words})
    names = [f"{page}_{word}" for page, word in zip(pages, words, strict=True)]
    parts = module("keys")._parts
    assert parts(rows, names) == parts(rows, names[::-1]) == (["page", "word"], "_")
