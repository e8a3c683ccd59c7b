"""The kinds of competitions that there are templates for; apart, so that naming them is cheap."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a new competition may start from: the names of the folders of templates."""

    TABLE = "table"
    IMAGE = "image"
    RANKING = "ranking"
    TEXT = "text"
