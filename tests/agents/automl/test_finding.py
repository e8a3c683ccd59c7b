"""What tables and lists hold is found, whatever they are called and however they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.arrays import read_arrays
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.listings import read_listing

MEMORY = 2**30
RNG = np.random.default_rng(0)


@pytest.fixture
def singing(tmp_path: Path) -> Path:
    """Recordings in which several birds sing: lists of them, and numbers of recording and bird."""
    lists = tmp_path / "lists"
    lists.mkdir()
    labels, names, heights, asked = ["rec,[labels]"], ["rec,filename"], ["rec,[labels]"], []
    for rec in range(60):
        sung = [str(bird) for bird in range(12) if bird != 3 and RNG.random() < 0.3]
        is_asked = rec % 4 == 0
        labels.append(",".join([str(rec), *(["?"] if is_asked else sung)]))
        names.append(f"{rec},site_{rec * 7}")
        heights += [f"{rec},{rec}.5,{k}" for k in range(rec % 3)]
        asked += [100 * rec + bird for bird in range(12)] if is_asked else []
    for name, lines in (("labels", labels), ("names", names), ("heights", heights)):
        (lists / f"{name}.txt").write_text("\n".join(lines))
    pd.DataFrame({"Id": asked, "Probability": 0}).to_csv(
        tmp_path / "sample_submission.csv", index=False
    )
    (tmp_path / "description.md").write_text("Scores are areas under the ROC curve of all pairs.")
    return tmp_path


def test_lists_of_labels_are_learned_from(singing: Path) -> None:
    problem = infer(singing, MEMORY)
    assert (problem.kind, problem.columns, problem.metric.name) == ("marks", 12, "auc of all")
    assert len(problem.train) == 45
    assert problem.target[:, 3].sum() == 0  # asked for, though nobody has it
    assert "filename" in problem.train.columns
    values = np.arange(15 * 12, dtype=float).reshape(15, 12) / 1000
    written = problem.write(values)
    sample = pd.read_csv(singing / "sample_submission.csv")
    assert written["Id"].tolist() == sample["Id"].astype(str).tolist()
    assert written["Probability"].tolist() == values.ravel().tolist()


def test_several_lines_of_a_row_are_summed_up(singing: Path) -> None:
    problem = infer(singing, MEMORY)
    lines = dict(zip(problem.test_ids, problem.test["heights lines"].fillna(0), strict=True))
    assert lines == {str(rec): rec % 3 for rec in range(0, 60, 4)}
    assert "heights heights 1 mean" in problem.train.columns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line",
        "a text,\nwith commas, and,\nmany, lines\nof it,\nbut\nno names",
        "\0\1,\2\n" * 9,
    ],
)
def test_texts_are_no_lists(text: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(text)
    assert read_listing(tmp_path / "notes.txt", MEMORY) is None


def _tables(folder: Path, **tables: pd.DataFrame) -> Path:
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def sales() -> dict[str, pd.DataFrame]:
    row = np.arange(100)
    table = pd.DataFrame({"id": row, "shop": row % 7, "price": RNG.normal(size=100)})
    return {
        "train": table[:60].assign(sold=RNG.normal(size=60)),
        "test": table[60:],
        "sample_submission": pd.DataFrame({"id": row[60:], "sold": 0.5}),
    }


def test_other_tables_are_joined_by_names_and_codes(
    sales: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    shops = pd.DataFrame({"shop": range(7), "area": np.arange(7) * 10})
    visits = pd.DataFrame({"id": np.repeat(np.arange(100), 3), "minutes": np.tile([1, 2, 6], 100)})
    problem = infer(_tables(tmp_path, **sales, shops=shops, visits=visits), MEMORY)
    assert (problem.train["area"] == problem.train["shop"] * 10).all()
    assert (problem.test["visits minutes mean"] == 3).all()
    assert (problem.test["visits lines"] == 3).all()


def test_what_is_only_known_of_rows_to_learn_from_is_not_joined(
    sales: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    later = pd.DataFrame({"id": range(100), "returned": [*range(60), *[None] * 40]})
    early = pd.DataFrame({"id": range(60), "bonus": range(60)})
    problem = infer(_tables(tmp_path, **sales, later=later, early=early), MEMORY)
    assert {"returned", "bonus"}.isdisjoint(problem.train.columns)


def test_arrays_are_learned_from(tmp_path: Path) -> None:
    values = RNG.normal(size=(50, 3, 4)).astype(np.float32)
    np.save(tmp_path / "X_train.npy", values[:30])
    np.save(tmp_path / "X_test.npy", values[30:])
    np.save(tmp_path / "labels_train.npy", np.array(["7", "9", "8"] * 10))
    sample = pd.DataFrame({"Id": range(20), "ClassId": 0})
    problem = infer(_tables(tmp_path, sampleSubmission=sample), MEMORY)
    assert (problem.kind, problem.names) == ("classes", ("7", "8", "9"))
    assert problem.train.to_numpy().tolist() == values[:30].reshape(30, 12).tolist()
    assert problem.test.to_numpy().tolist() == values[30:].reshape(20, 12).tolist()
    written = problem.write(np.eye(3)[np.arange(20) % 3])
    assert written["ClassId"].tolist() == [7, 8, 9] * 6 + [7, 8]


def test_arrays_that_are_damaged_or_too_large_are_none(tmp_path: Path) -> None:
    np.save(tmp_path / "X_train.npy", np.zeros((30, 4)))
    np.save(tmp_path / "y_train.npy", np.zeros(30))
    np.save(tmp_path / "X_test.npy", np.zeros((20, 4)))
    assert read_arrays(tmp_path, 20, MEMORY, []) is not None
    assert read_arrays(tmp_path, 20, 900, []) is None
    whole = (tmp_path / "X_test.npy").read_bytes()
    (tmp_path / "X_test.npy").write_bytes(whole[:-100])
    assert read_arrays(tmp_path, 20, MEMORY, []) is None


def test_arrays_that_nobody_can_read_cost_only_themselves(tmp_path: Path) -> None:
    np.save(tmp_path / "X_train.npy", np.zeros((30, 4)))
    np.save(tmp_path / "y_train.npy", np.zeros(30))
    np.save(tmp_path / "X_test.npy", np.zeros((20, 4)))
    (tmp_path / "a.npy").write_bytes(b"PK\x03\x04garbage")
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**30},), }}".ljust(117) + "\n"
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + head.encode())
    unread: list[str] = []
    assert read_arrays(tmp_path, 20, MEMORY, unread) is not None
    assert [reason.partition(" ")[0] for reason in unread] == ["a.npy", "b.npy"]


def test_files_called_like_labels_are_labels(tmp_path: Path) -> None:
    for name, values in (("X_train", np.zeros((30, 4))), ("X_test", np.zeros((20, 4)))):
        np.save(tmp_path / f"{name}.npy", values)
    np.save(tmp_path / "ids.npy", np.arange(1000, 1030))
    np.save(tmp_path / "y_train.npy", np.arange(30) % 3)
    arrays = read_arrays(tmp_path, 20, MEMORY, [])
    assert arrays is not None
    assert set(arrays.labels) == {0, 1, 2}


@pytest.mark.parametrize(
    "text",
    ["Note, hello\n\n\n\n\n\n", "id,[labels]\n" + "".join(f"{n},id,b\n" * 2 for n in range(6))],
)
def test_an_odd_list_costs_only_itself(
    text: str, sales: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    (tmp_path / "odd.txt").write_text(text)
    assert len(infer(_tables(tmp_path, **sales), MEMORY).train) == 60


def test_lists_that_do_not_fit_are_left_out(tmp_path: Path) -> None:
    lines = (f"{n}," + ",".join(str(k) for k in range(n % 50)) for n in range(2000))
    (tmp_path / "labels.txt").write_text("rec,[labels]\n" + "\n".join(lines))
    assert read_listing(tmp_path / "labels.txt", MEMORY) is not None
    assert read_listing(tmp_path / "labels.txt", 500_000) is None


def test_a_name_that_is_missing_changes_no_other(
    sales: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    sales["test"] = sales["test"].assign(id=sales["test"]["id"].astype(object))
    sales["test"].loc[len(sales["test"]) + 100] = [None, 0, 0.0]
    problem = infer(_tables(tmp_path, **sales), MEMORY)
    assert set(problem.test.columns) >= {"shop", "price"}
    assert problem.test["price"].notna().all()


def test_rows_that_are_counted_anew_are_not_joined(tmp_path: Path) -> None:
    train = pd.DataFrame({"id": range(60), "a": RNG.normal(size=60), "y": RNG.normal(size=60)})
    test = pd.DataFrame({"id": range(40), "a": RNG.normal(size=40), "z": range(40)})
    extra = pd.DataFrame({"id": range(60), "of whom": range(60)})
    sample = pd.DataFrame({"id": range(40), "y": 0.5})
    folder = _tables(tmp_path, train=train, test=test, sample_submission=sample, extra=extra)
    assert set(infer(folder, MEMORY).train.columns) == {"id", "a"}


def test_what_is_missing_is_joined_with_nothing(
    sales: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    for name in ("train", "test"):
        sales[name] = sales[name].assign(
            shop=sales[name]["shop"].map(lambda n: f"s{n}" if n else None)
        )
    shops = pd.DataFrame({"shop": [None, *(f"s{n}" for n in range(1, 7))], "area": [99, *range(6)]})
    problem = infer(_tables(tmp_path, **sales, shops=shops), MEMORY)
    assert problem.train.loc[problem.train["shop"].isna(), "area"].isna().all()


def test_a_table_that_is_cut_is_told(sales: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    folder = _tables(tmp_path, **sales, long=pd.DataFrame({"n": range(100_000), "m": "text"}))
    assert any("long.csv" in note for note in infer(folder, 2_000_000).notes)


def test_names_of_several_words_are_no_tags(tmp_path: Path) -> None:
    names = [f"{colour} {beast}" for colour in ("brown", "black") for beast in ("bear", "wolf")]
    train = pd.DataFrame({"id": range(60), "a": RNG.normal(size=60), "y": names * 15})
    test = pd.DataFrame({"id": range(60, 80), "a": RNG.normal(size=20)})
    sample = test[["id"]].assign(y=names[0])
    (tmp_path / "description.md").write_text("The score is the macro F1.")
    folder = _tables(tmp_path, train=train, test=test, sample_submission=sample)
    assert infer(folder, MEMORY).kind == "classes"
