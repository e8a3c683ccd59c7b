"""Ids out of TFRecord files."""

from __future__ import annotations

from pathlib import Path

from mlebench.errors import DataSourceError
from mlebench.preparing.tfrecords import read_examples

__all__ = ["get_ids_from_tf_records"]


def get_ids_from_tf_records(
    tf_record_path: Path | str, id_feature: str = "image_name"
) -> list[str]:
    """The feature that holds the id, of every record in a TFRecord file."""
    path = Path(tf_record_path)
    ids = []
    for features in read_examples(path):
        values = features.get(id_feature)
        if not values or not isinstance(values[0], bytes):
            raise DataSourceError(f"{path} has a record without a text {id_feature!r}.")
        ids.append(values[0].decode())
    return ids
