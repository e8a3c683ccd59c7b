"""Files of text that belong to rows: what they say in numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mlebench.agents.automl.automl.features.lines import parse, statistics
from mlebench.agents.automl.automl.features.points import (
    common_labels,
    geometry,
    points_of,
)

BOX = """# made by nobody
edge 4.0 0.0 0.0
edge 0.0 4.0 0.0
edge 0.0 0.0 4.0
place 0.0 0.0 0.0 Aa
place 3.5 0.0 0.0 Bb
place 2.0 2.0 2.0 Aa
"""


def test_lines_are_told_apart_by_keyword_and_numbers() -> None:
    edges, places = parse(BOX)
    assert (edges.keyword, edges.values.shape, edges.has_labels) == ("edge", (3, 3), False)
    assert (places.keyword, places.labels) == ("place", ("Aa", "Bb", "Aa"))
    told = statistics([edges, places])
    assert told["place Aa count"] == 2
    assert told["place Bb share"] == pytest.approx(1 / 3)
    assert told["edge value 0"] == 4.0
    assert told["place column 0 most"] == 3.5


def test_plain_numbers_and_tables_are_lines_too() -> None:
    (table,) = parse("time,height\n0,1.5\n1,-2e1\n\n# end\n")
    assert table.values.tolist() == [[0.0, 1.5], [1.0, -20.0]]
    assert statistics([table])["lines of 2 count"] == 2


def test_a_short_word_before_three_numbers_is_a_label() -> None:
    points = points_of(parse("2\nwater or so\nO 0 0 0\nH 0 0 1\n"))
    assert points is not None
    assert points.labels == ("O", "H")
    assert points.box is None


def test_points_are_neighbours_across_the_edges_of_their_box() -> None:
    points = points_of(parse(BOX))
    assert points is not None
    assert points.room == pytest.approx(64 / 3)
    told = geometry(points, common_labels([points]), points.room ** (1 / 3))
    assert told["Aa to Bb least"] == pytest.approx(0.5)  # not 3.5
    assert told["box volume"] == pytest.approx(64)
    assert all(np.isfinite(list(told.values())))


def test_geometry_is_the_same_wherever_the_box_begins() -> None:
    points = points_of(parse(BOX))
    moved = points_of(parse(BOX.replace("0.0 0.0 0.0 Aa", "4.0 0.0 -4.0 Aa")))
    assert points is not None
    assert moved is not None
    one, other = (geometry(each, ("Aa", "Bb"), 2.0) for each in (points, moved))
    assert one == pytest.approx(other)


def test_files_of_words_only_say_nothing() -> None:
    assert parse("nothing here\nthat counts\n") == []
    assert statistics([]) == {}
