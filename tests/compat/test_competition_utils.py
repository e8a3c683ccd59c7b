"""What the helpers of graders and preparers under the original's import line mean."""

import logging
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
    is_one_hot_encoded,
    one_hot_dfs_to_log_loss_inputs,
    prepare_for_accuracy_metric,
    prepare_for_auroc_metric,
    rle_decode,
    rle_encode,
    rles_to_masks,
)
from mlebench.errors import DataSourceError
from mlebench.grade_helpers import InvalidSubmissionError
from mlebench.preparing.tfrecords import (
    make_example,
    masked_crc,
    parse_example,
    read_records,
    write_records,
)

# -- one-hot tables and log loss ------------------------------------------------------------

ANSWERS = pd.DataFrame({"id": [2, 1, 3], "a": [0, 1, 0], "b": [1, 0, 1]})
GOOD = pd.DataFrame({"b": [0.9, 0.2, 0.5], "extra": "x", "id": [3, 1, 2], "a": [0.1, 0.8, 0.5]})


def test_one_hot_tables() -> None:
    table = pd.DataFrame({"label": ["b", "a"], "key": ["x", "y"]}, index=[7, 3])
    one_hot = df_to_one_hot(table, "key", "label", classes=["a", "b", "c"])
    assert one_hot.to_csv(index=False) == "key,a,b,c\nx,0,1,0\ny,1,0,0\n"
    with pytest.raises(ValueError, match="'b' in column 'label' is none of the classes"):
        df_to_one_hot(table, "key", "label", classes=["a"])
    with pytest.raises(ValueError, match="no column 'nope'"):
        df_to_one_hot(table, "nope", "label", classes=["a"])


def test_one_hot_tables_keep_the_index() -> None:
    table = pd.DataFrame({"key": ["x", "y"], "label": ["b", "a"]}, index=[7, 3])
    one_hot = df_to_one_hot(df=table, id_column="key", target_column="label", classes=["a", "b"])
    assert one_hot.index.tolist() == [7, 3]
    assert one_hot.loc[7].tolist() == ["x", 0, 1]


@pytest.mark.parametrize("apply_softmax", [False, True])
def test_log_loss_inputs_come_in_the_order_of_the_ids(apply_softmax: bool) -> None:
    logits = GOOD.assign(a=np.log(GOOD["a"]), b=np.log(GOOD["b"]))
    submission = logits if apply_softmax else GOOD
    inputs = one_hot_dfs_to_log_loss_inputs(submission, ANSWERS, "id", apply_softmax)
    assert list(inputs) == ["y_true", "y_pred"]
    assert inputs["y_true"].tolist() == [[1, 0], [0, 1], [0, 1]]
    assert inputs["y_pred"] == pytest.approx(np.array([[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]]))


def test_text_ids_are_sorted_as_text() -> None:
    """Either order pairs rows alike, but y_true and y_pred may meet other arrays later."""
    answers = pd.DataFrame({"id": ["10", "9"], "a": [1, 0], "b": [0, 1]})
    inputs = one_hot_dfs_to_log_loss_inputs(answers.iloc[::-1], answers.iloc[::-1])
    assert inputs["y_true"].tolist() == [[1, 0], [0, 1]]


def test_softmax_is_the_default() -> None:
    logits = GOOD.assign(a=[1000.0, 0.0, -1.0], b=[1000.0, 0.0, 1.0])
    predicted = one_hot_dfs_to_log_loss_inputs(logits, ANSWERS, id_column="id")["y_pred"]
    assert predicted[0].tolist() == predicted[2].tolist() == [0.5, 0.5]
    assert predicted[1] == pytest.approx([1 / (1 + np.e**2), 1 / (1 + np.e**-2)])


def test_no_softmax_where_predictions_are_one_hot(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        predicted = one_hot_dfs_to_log_loss_inputs(ANSWERS, ANSWERS)["y_pred"]
    assert predicted.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert "one-hot" in caplog.text
    caplog.clear()
    one_hot_dfs_to_log_loss_inputs(GOOD, ANSWERS)
    one_hot_dfs_to_log_loss_inputs(ANSWERS, ANSWERS, apply_softmax=False)
    assert not caplog.text


@pytest.mark.parametrize("cells", [[0.5, 1.5, -0.5], [np.inf, 0.5, 0.5], [np.nan, 0.5, 0.5]])
@pytest.mark.parametrize("apply_softmax", [False, True])
def test_values_are_not_checked(cells: list[float], apply_softmax: bool) -> None:
    submission = GOOD.assign(a=cells)
    inputs = one_hot_dfs_to_log_loss_inputs(submission, ANSWERS, apply_softmax=apply_softmax)
    assert inputs["y_pred"].shape == (3, 2)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (GOOD.drop(columns="a"), "missing_column"),
        (GOOD.drop(columns="id"), "missing_column"),
        (GOOD.iloc[:2], "row_count"),
        (GOOD.assign(id=[1, 2, 9]), "wrong_ids"),
        (GOOD.assign(id=["1", "2", "3"]), "wrong_ids"),
        (GOOD.assign(id=pd.Series([1, "2", None], dtype=object)), "wrong_ids"),
        (GOOD.assign(id=[1, 2, 2]), "duplicate_ids"),
        (GOOD.assign(a=["x", "0", "1"]), "not_a_number"),
    ],
)
@pytest.mark.parametrize("apply_softmax", [False, True])
def test_log_loss_inputs_refuse(broken: pd.DataFrame, code: str, apply_softmax: bool) -> None:
    with pytest.raises(InvalidSubmissionError) as caught:
        one_hot_dfs_to_log_loss_inputs(broken, ANSWERS, apply_softmax=apply_softmax)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1, 0], [0, 1]], True),
        ([[1.0, 0.0]], True),
        ([[True, False]], True),
        ([[1, 1], [0, 1]], False),
        ([[0, 0]], False),
        ([[0.5, 0.5]], False),
        ([[2, -1]], False),
        ([[np.nan, 1]], False),
        ([1, 0], False),
    ],
)
def test_is_one_hot_encoded(values: list[object], expected: bool) -> None:
    assert is_one_hot_encoded(np.array(values)) is expected
    assert is_one_hot_encoded(xs=values) is expected


# -- accuracy and AUC -----------------------------------------------------------------------

TRUTH = pd.DataFrame({"id": ["y", "x", "z"], "t": [0, 1, 1]})


def test_accuracy_inputs_come_in_the_order_of_the_ids() -> None:
    submission = pd.DataFrame({"t": [5, 6, 7], "id": ["z", "x", "y"], "more": 0})
    inputs = prepare_for_accuracy_metric(submission, TRUTH, target_column="t", id_column="id")
    assert {name: values.tolist() for name, values in inputs.items()} == {
        "y_true": [1, 0, 1],
        "y_pred": [6, 7, 5],
    }


def test_auroc_inputs_come_in_the_order_of_the_ids() -> None:
    submission = pd.DataFrame({"t": [0.5, 0.6, None], "id": ["z", "x", "y"]})
    inputs = prepare_for_auroc_metric(submission, TRUTH, id_col="id", target_col="t")
    assert inputs["y_true"].tolist() == [1, 0, 1]
    assert inputs["y_score"][[0, 2]].tolist() == [0.6, 0.5]
    assert np.isnan(inputs["y_score"][1])
    flags = submission.assign(t=[True, False, True])
    assert prepare_for_auroc_metric(flags, TRUTH, "id", "t")["y_score"].tolist() == [0, 1, 1]


def test_repeated_ids_pair_as_pandas_sorts_them() -> None:
    answers = pd.DataFrame({"id": [2, 1, 2, 1], "t": [20, 10, 21, 11]})
    inputs = prepare_for_accuracy_metric(answers, answers, "t", "id")
    expected = answers.sort_values(by="id")["t"].tolist()
    assert inputs["y_true"].tolist() == inputs["y_pred"].tolist() == expected


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (TRUTH.drop(columns="t"), "missing_column"),
        (TRUTH.drop(columns="id"), "missing_column"),
        (TRUTH.iloc[:2], "row_count"),
        (TRUTH.assign(id=["x", "y", "q"]), "wrong_ids"),
        (TRUTH.assign(id=["x", "y", "y"]), "duplicate_ids"),
        (TRUTH.assign(id=[1, 2, 3]), "wrong_ids"),
        (TRUTH.assign(id=pd.Series(["x", 2, "z"], dtype=object)), "wrong_ids"),
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


def test_refused_ids_are_named() -> None:
    with pytest.raises(InvalidSubmissionError, match="1 missing, such as 'z'; 1 unknown, such as"):
        prepare_for_accuracy_metric(TRUTH.assign(id=["x", "y", "q"]), TRUTH, "t", "id")


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["0.5", "True", "0.1"], "not_a_number"),
        (["0.5", "word", "0.1"], "not_a_number"),
        (["0.5", "0.2", "0.1"], "not_a_number"),
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


def test_encoding_gives_a_flat_list_of_numbers() -> None:
    image = np.array([[1, 7], [1, 1], [7, 0]])
    assert rle_encode(image) == [1, 2, 5, 1]
    assert rle_encode(x=image, fg_val=7) == [3, 2]
    assert rle_encode(np.zeros((3, 2))) == []
    assert all(type(number) is int for number in rle_encode(image))


def test_several_masks_have_sizes_of_their_own() -> None:
    masks = rles_to_masks(["", "1 6", "2 1"], [3, 3, 1], [2, 2, 4])
    assert isinstance(masks, list)
    assert [mask.shape for mask in masks] == [(3, 2), (3, 2), (1, 4)]
    assert [int(mask.sum()) for mask in masks] == [0, 6, 1]
    assert rles_to_masks(rl_encodings=[], image_heights=[], image_widths=[]) == []
    with pytest.raises(ValueError, match="shorter"):
        rles_to_masks(["", ""], [3], [2])


@given(arrays.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_encoding_and_decoding_undo_each_other(mask: np.ndarray) -> None:
    text = " ".join(str(number) for number in rle_encode(mask))
    assert (rle_decode(text, *mask.shape) == mask).all()


HUGE = 10**30


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("", 0),
        (" \n", 0),
        ("7", 0),
        ("5 9", 2),
        ("9 9", 0),
        ("9 1 9 1", 0),
        ("+1 1_0", 6),
        ("1\t2\n05 1", 3),
        ("1 2 4", 4),
        (f"5 {HUGE}", 2),
        (f"{HUGE} 1", 0),
        (f"1 1 {HUGE} {HUGE}", 1),
        (f"{2**63} {2**63}", 0),
    ],
)
def test_odd_texts_that_pass(text: str, pixels: int) -> None:
    assert rle_decode(text, 3, 2).sum() == pixels


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "1.0 1",
        "0",
        "0 1",
        "1 0",
        "-1 2",
        "3 1 1 1",
        "1 2 2 1",
        "1 1 1 1",
        f"1 {HUGE} 3 1",
        "1 2 2",
        "1 1 3 1 5",
        float("nan"),
        7,
    ],
)
def test_texts_that_are_no_masks(text: str) -> None:
    with pytest.raises(InvalidSubmissionError) as caught:
        rle_decode(text, 3, 2)
    assert caught.value.code == "bad_mask"


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
            make_example(
                {
                    "image": b"\xff" * 300,
                    "image_name": name.encode(),
                    "StudyInstanceUID": b"study of " + name.encode(),
                    "target": 3,
                }
            )
            for name in names
        ),
    )
    assert get_ids_from_tf_records(path) == names
    assert get_ids_from_tf_records(str(path)) == names
    studies = get_ids_from_tf_records(tf_record_path=path, id_feature="StudyInstanceUID")
    assert studies == ["study of 1.jpg", "study of ü.jpg"]
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
    with pytest.raises(DataSourceError, match="without a text 'image_name'"):
        get_ids_from_tf_records(path)
    with pytest.raises(DataSourceError, match="without a text 'target'"):
        get_ids_from_tf_records(path, "target")
    write_records(path, [b"\x0a\xff"])
    with pytest.raises(DataSourceError, match=r"no tf\.train\.Example"):
        get_ids_from_tf_records(path)
