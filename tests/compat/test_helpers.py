"""What the helpers under the original's import lines mean."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mlebench.competitions.utils import (
    df_to_one_hot,
    get_ids_from_tf_records,
    one_hot_dfs_to_log_loss_inputs,
    prepare_for_accuracy_metric,
    prepare_for_auroc_metric,
    rle_decode,
    rle_encode,
    rles_to_masks,
)
from mlebench.errors import DataSourceError
from mlebench.grade_helpers import InvalidSubmissionError
from mlebench.metrics import average_precision_at_k, dice_coefficient, mean_average_precision_at_k
from mlebench.preparing.tfrecords import (
    make_example,
    masked_crc,
    parse_example,
    read_records,
    write_records,
)

# -- one-hot tables and log loss ------------------------------------------------------------

ANSWERS = pd.DataFrame({"id": [1, 2, 3], "a": [1, 0, 0], "b": [0, 1, 1]})
GOOD = pd.DataFrame({"b": [0.9, 0.2, 0.5], "extra": "x", "id": [3, 1, 2], "a": [0.1, 0.8, 0.5]})


def test_one_hot() -> None:
    table = pd.DataFrame({"key": ["x", "y"], "label": ["b", "a"]}, index=[7, 3])
    one_hot = df_to_one_hot(table, "key", "label", classes=["a", "b", "c"])
    assert one_hot.to_csv(index=False) == "key,a,b,c\nx,0,1,0\ny,1,0,0\n"
    with pytest.raises(ValueError, match="'b' in column 'label' is none of the classes"):
        df_to_one_hot(table, "key", "label", classes=["a"])
    with pytest.raises(ValueError, match="no column 'nope'"):
        df_to_one_hot(table, "nope", "label", classes=["a"])


def test_log_loss_inputs_follow_the_answers() -> None:
    inputs = one_hot_dfs_to_log_loss_inputs(GOOD, ANSWERS, apply_softmax=False)
    assert list(inputs) == ["y_true", "y_pred"]
    assert inputs["y_true"].tolist() == [[1, 0], [0, 1], [0, 1]]
    assert inputs["y_pred"].tolist() == [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]]


def test_softmax_is_the_default() -> None:
    logits = GOOD.assign(a=[1000.0, 0.0, -1.0], b=[1000.0, 0.0, 1.0])
    predicted = one_hot_dfs_to_log_loss_inputs(logits, ANSWERS, id_column="id")["y_pred"]
    assert predicted[0].tolist() == predicted[2].tolist() == [0.5, 0.5]
    assert predicted[1] == pytest.approx([1 / (1 + np.e**2), 1 / (1 + np.e**-2)])


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (GOOD.drop(columns="a"), "missing_column"),
        (GOOD.drop(columns="id"), "missing_column"),
        (GOOD.iloc[:2], "row_count"),
        (GOOD.assign(id=[1, 2, 9]), "wrong_ids"),
        (GOOD.assign(id=[1, 2, 2]), "duplicate_ids"),
        (GOOD.assign(a=[0.5, None, 0.5]), "missing_value"),
        (GOOD.assign(a=["x", "0", "1"]), "not_a_number"),
        (GOOD.assign(a=[0.5, 1.5, 0.5]), "out_of_range"),
        (GOOD.assign(a=[0.5, -0.1, 0.5]), "out_of_range"),
    ],
)
def test_log_loss_inputs_refuse(broken: pd.DataFrame, code: str) -> None:
    with pytest.raises(InvalidSubmissionError) as caught:
        one_hot_dfs_to_log_loss_inputs(broken, ANSWERS, apply_softmax=False)
    assert caught.value.code == code


def test_softmax_refuses_infinities_only() -> None:
    one_hot_dfs_to_log_loss_inputs(GOOD.assign(a=[5.0, -5.0, 0.0]), ANSWERS)
    with pytest.raises(InvalidSubmissionError, match="must be finite"):
        one_hot_dfs_to_log_loss_inputs(GOOD.assign(a=[np.inf, 0.0, 0.0]), ANSWERS)


# -- accuracy and AUC -----------------------------------------------------------------------

TRUTH = pd.DataFrame({"id": ["x", "y", "z"], "t": [1, 0, 1]})


def test_accuracy_inputs() -> None:
    submission = pd.DataFrame({"t": [5, 6, 7], "id": ["z", "x", "y"], "more": 0})
    inputs = prepare_for_accuracy_metric(submission, TRUTH, target_column="t", id_column="id")
    assert {name: values.tolist() for name, values in inputs.items()} == {
        "y_true": [1, 0, 1],
        "y_pred": [6, 7, 5],
    }


def test_auroc_inputs() -> None:
    submission = pd.DataFrame({"t": [0.5, 0.6, None], "id": ["z", "x", "y"]})
    inputs = prepare_for_auroc_metric(submission, TRUTH, id_col="id", target_col="t")
    assert inputs["y_true"].tolist() == [1, 0, 1]
    assert inputs["y_score"][[0, 2]].tolist() == [0.6, 0.5]
    assert np.isnan(inputs["y_score"][1])
    flags = submission.assign(t=[True, False, True])
    assert prepare_for_auroc_metric(flags, TRUTH, "id", "t")["y_score"].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (TRUTH.drop(columns="t"), "missing_column"),
        (TRUTH.drop(columns="id"), "missing_column"),
        (TRUTH.iloc[:2], "row_count"),
        (TRUTH.assign(id=["x", "y", "q"]), "wrong_ids"),
        (TRUTH.assign(id=["x", "y", "y"]), "duplicate_ids"),
        (TRUTH.assign(id=[1, 2, 3]), "wrong_ids"),
    ],
)
def test_both_refuse(broken: pd.DataFrame, code: str) -> None:
    for call in (
        lambda: prepare_for_accuracy_metric(broken, TRUTH, "t", "id"),
        lambda: prepare_for_auroc_metric(broken, TRUTH, "id", "t"),
    ):
        with pytest.raises(InvalidSubmissionError) as caught:
            call()
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["0.5", "True", "0.1"], "not_a_number"),
        (["0.5", "word", "0.1"], "not_a_number"),
        ([0.5, 1.01, 0.1], "out_of_range"),
        ([0.5, -np.inf, 0.1], "out_of_range"),
    ],
)
def test_auroc_refuses_values(cells: list[object], code: str) -> None:
    with pytest.raises(InvalidSubmissionError) as caught:
        prepare_for_auroc_metric(TRUTH.assign(t=cells), TRUTH, "id", "t")
    assert caught.value.code == code


def test_answers_without_the_column_are_not_the_submissions_fault() -> None:
    with pytest.raises(ValueError, match="The answers have no column 'q'"):
        prepare_for_accuracy_metric(TRUTH, TRUTH, "q", "id")


# -- masks ----------------------------------------------------------------------------------


def test_runs_go_down_the_columns() -> None:
    mask = rle_decode("1 2 5 1", height=3, width=2)
    assert mask.dtype == bool
    assert mask.astype(int).tolist() == [[1, 0], [1, 1], [0, 0]]
    assert rle_encode(mask) == "1 2 5 1"
    assert rle_encode(np.zeros((3, 2))) == ""
    assert rles_to_masks(["", "1 6"], 3, 2).sum(axis=(1, 2)).tolist() == [0, 6]
    assert rles_to_masks([], 3, 2).shape == (0, 3, 2)


@given(arrays.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_encoding_and_decoding_undo_each_other(mask: np.ndarray) -> None:
    assert (rle_decode(rle_encode(mask), *mask.shape) == mask).all()


@pytest.mark.parametrize(
    ("text", "pixels"),
    [("", 0), (" \n", 0), ("7", 0), ("5 9", 2), ("9 9", 0), ("+1 1_0", 6), ("1 2 4", 4)],
)
def test_odd_texts_that_pass(text: str, pixels: int) -> None:
    assert rle_decode(text, 3, 2).sum() == pixels


@pytest.mark.parametrize(
    "text", ["x", "1.0 1", "0 1", "1 0", "3 1 1 1", "1 2 2 1", "1 1 3 1 5", float("nan"), 7]
)
def test_texts_that_are_no_masks(text: str) -> None:
    with pytest.raises(InvalidSubmissionError) as caught:
        rle_decode(text, 3, 2)
    assert caught.value.code == "bad_mask"


def test_dice() -> None:
    assert dice_coefficient(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])) == 2 / 3
    assert np.isnan(dice_coefficient(np.zeros(4), np.zeros(4)))
    with pytest.raises(ValueError, match="shapes"):
        dice_coefficient(np.zeros(4), np.zeros(5))


# -- ranked lists ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "predicted", "k", "score"),
    [
        (["a"], ["a"], 5, 1.0),
        (["a"], ["b", "c", "a"], 5, 1 / 3),
        (["a"], ["b", "c", "a"], 2, 0.0),
        (["a"], ["a", "a"], 5, 1.0),
        (["a", "b"], ["a", "a", "b"], 5, (1 + 2 / 3) / 2),
        (["a", "b", "c"], ["c", "a"], 2, 1.0),
        (["a", "a"], ["a"], 5, 1.0),
        ({"a"}, ["", "a"], 5, 0.5),
        ([], ["a"], 5, 0.0),
        (["a"], [], 5, 0.0),
    ],
)
def test_average_precision(actual: list[str], predicted: list[str], k: int, score: float) -> None:
    assert average_precision_at_k(actual, predicted, k) == pytest.approx(score)


def test_mean_average_precision() -> None:
    assert mean_average_precision_at_k([["a"], ["b"]], [["a"], ["a", "b"]], 5) == 0.75
    assert np.isnan(mean_average_precision_at_k([], [], 5))
    with pytest.raises(ValueError, match="2 true lists, but 1"):
        mean_average_precision_at_k([["a"], ["b"]], [["a"]], 5)


# -- TFRecords ------------------------------------------------------------------------------


def test_the_checksum_of_the_published_example() -> None:
    """CRC-32C of "123456789" is 0xE3069283 in every catalogue of checksums."""
    crc = 0xE3069283
    assert masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def test_ids_from_tf_records(tmp_path: Path) -> None:
    path = tmp_path / "shard.tfrec"
    names = ["1.jpg", "ü.jpg"]
    write_records(
        path,
        (
            make_example({"image": b"\xff" * 300, "image_name": name.encode(), "target": 3})
            for name in names
        ),
    )
    assert get_ids_from_tf_records(path) == names
    assert get_ids_from_tf_records(str(path)) == names
    assert len(list(read_records(path, verify=True))) == 2


@given(
    st.dictionaries(
        st.text(min_size=1),
        st.binary() | st.integers(-(2**63), 2**63 - 1) | st.floats(width=32, allow_nan=False),
    )
)
def test_examples_survive_the_round_trip(features: dict[str, bytes | int | float]) -> None:
    assert parse_example(make_example(features)) == {k: [v] for k, v in features.items()}


def test_packed_and_separate_numbers_are_read_alike() -> None:
    """Example{features{feature{"n": int64_list{1, 2}}}} as two writers may put it."""
    packed = b"\x0a\x0d\x0a\x0b\x0a\x01n\x12\x06\x1a\x04\x0a\x02\x01\x02"
    separate = b"\x0a\x0d\x0a\x0b\x0a\x01n\x12\x06\x1a\x04\x08\x01\x08\x02"
    assert parse_example(packed) == parse_example(separate) == {"n": [1, 2]}


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "shard.tfrec"
    write_records(path, [make_example({"image_name": b"1.jpg"})])
    good = path.read_bytes()
    path.write_bytes(b"id,label\n1,2\n3,4\n")
    with pytest.raises(DataSourceError, match="is not a TFRecord file"):
        get_ids_from_tf_records(path)
    path.write_bytes(good[:-6])
    with pytest.raises(DataSourceError, match="ends in the middle"):
        get_ids_from_tf_records(path)
    path.write_bytes(good.replace(b"1.jpg", b"2.jpg"))
    with pytest.raises(DataSourceError, match="damaged record"):
        list(read_records(path, verify=True))
    write_records(path, [make_example({"other": b"1.jpg"})])
    with pytest.raises(DataSourceError, match="without an image_name"):
        get_ids_from_tf_records(path)
    write_records(path, [b"\x0a\xff"])
    with pytest.raises(DataSourceError, match=r"no tf\.train\.Example"):
        get_ids_from_tf_records(path)
