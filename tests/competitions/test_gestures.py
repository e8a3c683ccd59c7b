"""Held-out recordings of Multi-modal Gesture Recognition: v2 does not tell what they show."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from scipy.io import loadmat

from tests.conftest import Prepared


def recordings(path: Path) -> dict[str, dict[str, bytes]]:
    """The files of each recording in a tar."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            assert content is not None
            with zipfile.ZipFile(io.BytesIO(content.read())) as sample:
                found[member.name] = {name: sample.read(name) for name in sample.namelist()}
    return found


def video(files: dict[str, bytes]) -> Any:
    (data,) = (content for name, content in files.items() if name.endswith("_data.mat"))
    return loadmat(io.BytesIO(data))["Video"][0, 0]


@pytest.mark.parametrize("edition", ["v1", "v2"])
def test_only_v1_tells_the_gestures_of_held_out_recordings(
    edition: str, prepared: Prepared
) -> None:
    public = prepared("multi-modal-gesture-recognition", edition).public_dir
    for files in recordings(public / "test.tar.gz").values():
        assert bool(video(files)["Labels"].size) == (edition == "v1")
    for files in recordings(public / "validation1.tar.gz").values():
        assert video(files)["Labels"].size == 0


def test_v2_leaves_everything_else_as_it_was(prepared: Prepared) -> None:
    before, after = (
        recordings(prepared("multi-modal-gesture-recognition", edition).public_dir / "test.tar.gz")
        for edition in ("v1", "v2")
    )
    assert set(before) == set(after)
    for sample, files in before.items():
        others = [name for name in files if not name.endswith(".mat")]
        assert [after[sample][name] for name in others] == [files[name] for name in others]
        old, new = video(files), video(after[sample])
        assert old.dtype == new.dtype
        assert old["NumFrames"] == new["NumFrames"]
        assert old["Frames"].shape == new["Frames"].shape
        first, same = (one["Frames"][0, 0]["Skeleton"][0, 0]["WorldPosition"] for one in (old, new))
        assert (first == same).all()
