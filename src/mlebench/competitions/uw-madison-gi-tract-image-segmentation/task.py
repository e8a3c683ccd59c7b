"""UW-Madison GI Tract Image Segmentation: where on an MRI slice are stomach and bowels?"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.masks import Masks, dices, stack, unions
from mlebench.metrics.volumes import Body, bodies_of, hausdorff, voxel_count
from mlebench.preparing.files import place_tree
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.side_by_side import side_by_side
from mlebench.submission import AsFarAsBothGo, RunLengths, Submission, parse_answers, refuse

ID_PARTS = "(?P<folder>(?P<case>[^_]*)_day(?P<day>[0-9]*))_slice_(?P<slice>[0-9]*)"
EARLY_DAYS = 4  # of a training case; its later ones are for testing
SIZE = ("image_width", "image_height")
MASK = RunLengths("predicted", size=SIZE, odd_counts=True)
DICE_SHARE, DISTANCE_SHARE = 0.4, 0.6
TOO_MUCH = 10  # times the true volume
DIAGONAL = 3**0.5


@dataclass(frozen=True)
class SlicesFit:
    """The slices of a day have one size, or else they cannot be stacked."""

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse days whose rows stand where the answers have pictures of several sizes."""
        ids, sizes = predicted["id"], public[[*SIZE]].reset_index(drop=True)
        if pd.api.types.is_numeric_dtype(ids):
            refuse("wrong_ids", "expected text", "id", ids, np.ones(len(ids), bool))
        kinds = sizes.groupby(days_of(ids).to_numpy()).transform("nunique").max(axis=1)
        if (kinds > 1).any():
            message = "rows of one day stand where the sample has pictures of several sizes"
            refuse("row_order", message, "id", ids, kinds > 1)

    def describe(self) -> str:
        """The rule in a sentence."""
        return "The rows of a day must stand where the sample has pictures of one size."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Examples stand in the order of the sample."""
        return example


def days_of(ids: pd.Series) -> pd.Series:
    return ids.astype(object).map(lambda name: name.partition("_slice_")[0])


SUBMISSION = Submission(
    key=("id", "class"),
    columns=(MASK,),
    rules=(SlicesFit(),),
    matching=AsFarAsBothGo(),
    public=SIZE,
)
SUBMISSION_V2 = Submission(
    key=SUBMISSION.key,
    columns=(replace(MASK, odd_counts=False, must_fit=True),),
    public=SIZE,
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    rows, scans = read_csv(raw / "train.csv"), raw / "train"
    rows = rows.join(rows["id"].str.extract(ID_PARTS).astype({"day": int}))
    early, _ = partition_by_value(rows, by="case", test_size=0.1, seed=42)
    late = _late_days(early)
    is_test = ~rows["case"].isin(early["case"]) | rows["folder"].isin(late)
    for case in rows["case"].unique():
        part = "train" if case in early["case"].values else "test"
        place_tree(scans / case, public / part / case, leave_out=late)
    for folder in late:
        day = Path(folder.partition("_")[0], folder)
        place_tree(scans / day, public / "test" / day)
    train, test = rows[~is_test], rows[is_test]
    answers = test.rename(columns={"segmentation": "predicted"}).join(_sizes(scans, test))
    write_csv(train[["id", "class", "segmentation"]], public / "train.csv")
    write_csv(test[["id", "class"]], public / "test.csv")
    write_csv(answers[["id", "class", "predicted", *SIZE]], private / "test.csv")
    sample = test[["id", "class"]].assign(predicted="1 1 5 2")
    write_csv(sample, public / "sample_submission.csv")


def _late_days(rows: pd.DataFrame) -> list[str]:
    """The folders of all days of a case but its first few."""
    days = rows.drop_duplicates("folder")
    rank = days.groupby("case")["day"].rank(method="first")
    return days.loc[rank > EARLY_DAYS, "folder"].tolist()


def _sizes(scans: Path, rows: pd.DataFrame) -> pd.DataFrame:
    """Width and height of each row's picture, which stand in the name of its file."""
    sizes = {}
    for case, folder in rows[["case", "folder"]].drop_duplicates().itertuples(index=False):
        for path in (scans / case / folder / "scans").glob("slice_*.png"):
            _, number, width, height, *_ = path.stem.split("_")
            sizes[folder, number] = float(width), float(height)
    found = [sizes[place] for place in zip(rows["folder"], rows["slice"])]
    return pd.DataFrame(found, index=rows.index, columns=[*SIZE])


def score(truth: pd.DataFrame, predicted: pd.DataFrame, answers: pd.DataFrame) -> float:
    # All answers make up the true volumes, however few rows were submitted.
    true, guess = parse_answers(MASK, answers), stack(predicted[MASK.name])
    pairs = zip(
        _volumes(stack(true), answers["id"], answers), _volumes(guess, predicted["id"], truth)
    )
    found = dices(stack(true[: len(truth)]), guess)
    return _combined(found, _distances([*pairs]), dice_of_nothing=np.nan)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    true, guess = stack(parse_answers(MASK, truth)), stack(predicted[MASK.name])
    # Every organ of a day is a volume of its own.
    slices = truth["class"].astype(object) + " " + truth["id"].astype(object)
    pairs = zip(_volumes(true, slices, truth), _volumes(guess, slices, truth))
    return _combined(dices(true, guess), _distances([*pairs]), dice_of_nothing=1.0)


def _volumes(masks: Masks, ids: pd.Series, sizes: pd.DataFrame) -> list[Body]:
    """The masks of each day, those with the same id united, in the order of the ids."""
    slices, names = pd.factorize(ids.astype(object), sort=True)
    days, _ = pd.factorize(days_of(pd.Series(names)))
    place = np.argsort(np.argsort(days, kind="stable"))  # of a slice, day after day
    sizes_of_days = sizes[[*SIZE]].astype(int).groupby(days[slices]).first().to_numpy()
    united = unions(masks, place[slices], len(names))
    return bodies_of(united, np.bincount(days), *sizes_of_days.T)


def _distances(pairs: list[tuple[Body, Body]]) -> np.ndarray:
    halves = side_by_side(
        lambda: [_distance(*pair) for pair in pairs[::2]],
        lambda: [_distance(*pair) for pair in pairs[1::2]],
        pays=len(pairs) > 1,
    )
    return np.concatenate(halves)


def _distance(true: Body, guess: Body) -> float:
    """The Hausdorff distance as a share of the diagonal; NaN if there is nothing."""
    right, marked = voxel_count(true), voxel_count(guess)
    if not right and not marked:
        return np.nan
    if not right or not marked or marked > TOO_MUCH * right:
        return 1.0
    slices, columns, rows = true.shape
    return hausdorff(true, guess, scale=(1 / slices, 1 / columns, 1 / rows)) / DIAGONAL


def _combined(found: np.ndarray, distances: np.ndarray, dice_of_nothing: float) -> float:
    """The weighted mean of overlap and closeness, where there is something to compare."""
    dice, distance = found[~np.isnan(found)], distances[~np.isnan(distances)]
    overlap = dice.mean() if len(dice) else dice_of_nothing
    closeness = 1 - distance.mean() if len(distance) else dice_of_nothing
    return float(DICE_SHARE * overlap + DISTANCE_SHARE * closeness)
