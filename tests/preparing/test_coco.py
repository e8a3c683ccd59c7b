"""Metadata in the COCO layout: grouped, divided, renamed and published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.coco import (
    answers_in_order,
    as_table,
    hold_out_of_each,
    pictures_by_category,
    place_pictures,
    publish_renumbered,
    renamed,
    with_pictures,
)


def metadata(*categories: int) -> dict[str, Any]:
    return {
        "annotations": [
            {"id": 100 + number, "image_id": number, "category_id": category}
            for number, category in enumerate(categories)
        ],
        "images": [
            {"id": number, "file_name": f"{number}.jpg"} for number in range(len(categories))
        ],
        "categories": [{"id": category} for category in sorted(set(categories))],
        "info": {"year": 2020},
        "licenses": [],
    }


def ids(pictures: Any) -> list[Any]:
    return [picture.image["id"] for picture in pictures]


def test_pictures_are_grouped_in_order_of_appearance() -> None:
    groups = pictures_by_category(metadata(7, 3, 7, 5, 3))
    assert [(group[0].category, ids(group)) for group in groups] == [
        (7, [0, 2]),
        (3, [1, 4]),
        (5, [3]),
    ]


def test_lists_that_are_not_parallel_are_refused() -> None:
    crooked = metadata(1, 2)
    crooked["images"].reverse()
    with pytest.raises(DataSourceError, match="beside the annotation of another"):
        pictures_by_category(crooked)


def test_small_categories_give_their_last_picture_and_lone_ones_none() -> None:
    groups = pictures_by_category(metadata(*[1], *[2] * 2, *[3] * 4, *[4] * 10))
    train, test = hold_out_of_each(groups, test_size=0.2)
    assert [ids(group) for group in train[:3]] == [[0], [1], [3, 4, 5]]
    assert len(train[3]) == 8
    assert {2, 6} < set(ids(test))
    assert len(test) == 4


def test_from_how_many_pictures_on_a_share_is_held_out_can_be_told() -> None:
    groups = pictures_by_category(metadata(*[2] * 2, *[3] * 3))
    train, test = hold_out_of_each(groups, test_size=0.2, splits_from=2)
    assert [len(group) for group in train] == [1, 2]
    assert len(test) == 2


def test_renamed_pictures_have_new_ids_in_both_halves_and_leave_the_old_ones_alone() -> None:
    given = metadata(5)
    (pictures,) = pictures_by_category(given)
    (picture,) = renamed(pictures, [("a", "b/a.jpg")])
    assert picture.annotation == {"id": 100, "image_id": "a", "category_id": 5}
    assert picture.image == {"id": "a", "file_name": "b/a.jpg"}
    assert given == metadata(5)


def test_other_parts_of_the_metadata_are_kept() -> None:
    groups = pictures_by_category(metadata(1, 2))
    kept = with_pictures(metadata(1, 2), groups[0])
    assert [image["id"] for image in kept["images"]] == [0]
    assert len(kept["categories"]) == 2


def test_pictures_are_placed_under_their_new_names(tmp_path: Path) -> None:
    (tmp_path / "0.jpg").write_text("picture")
    (pictures,) = pictures_by_category(metadata(5))
    new = renamed(pictures, [("7", "x/7.jpg")])
    place_pictures(pictures, new, tmp_path, tmp_path / "out")
    assert (tmp_path / "out" / "x" / "7.jpg").read_text() == "picture"


def test_renumbered_test_pictures_tell_no_category(tmp_path: Path) -> None:
    given = metadata(*[4] * 5, 9)
    for image in given["images"]:
        (tmp_path / image["file_name"]).write_text(image["file_name"])
    train, test = hold_out_of_each(pictures_by_category(given), test_size=0.2)
    answers = publish_renumbered(given, train, test, tmp_path, tmp_path / "out")
    assert answers.to_dict("list") == {"Id": [0], "Predicted": [4]}
    shown = json.loads((tmp_path / "out" / "test" / "metadata.json").read_text())
    assert shown == {
        "images": [{"id": "0", "file_name": "images/000/0.jpg"}],
        "info": {"year": 2020},
        "licenses": [],
    }
    placed = tmp_path / "out" / "test" / "images" / "000" / "0.jpg"
    assert placed.read_text() == test[0].image["file_name"]
    assert len(list((tmp_path / "out" / "train").glob("*.jpg"))) == 5


def test_answers_are_numbered_from_zero() -> None:
    groups = pictures_by_category(metadata(8, 6))
    pictures = [picture for group in groups for picture in group]
    assert answers_in_order(pictures).to_dict("list") == {"Id": [0, 1], "Predicted": [8, 6]}


def test_records_that_lack_a_field_make_floats_and_leave_texts_alone() -> None:
    records = [{"n": 1, "a": "x"}, {"a": None, "b": [0.5]}, {"b": None, "n": 3, "a": "y"}]
    back = as_table(records).to_dict("records")
    assert json.dumps(back) == (
        '[{"n": 1.0, "a": "x", "b": NaN}, {"n": NaN, "a": null, "b": [0.5]}, '
        '{"n": 3.0, "a": "y", "b": null}]'
    )


def test_records_that_lack_nothing_come_back_as_they_were() -> None:
    records = [{"n": 1, "x": 0.5, "is": True}, {"n": 2, "x": 1.0, "is": False}]
    assert as_table(records).to_dict("records") == records
    assert json.dumps(as_table(records).to_dict("records")) == json.dumps(records)
