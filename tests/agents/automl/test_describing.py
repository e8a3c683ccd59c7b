"""Pictures, sounds and signals in numbers: the same each time, telling apart what differs."""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from PIL import Image

from mlebench.agents.automl.automl.features import images, signals, sounds
from mlebench.agents.automl.automl.features.describing import described, prepared
from mlebench.agents.automl.automl.features.medical import pixels_of
from mlebench.agents.automl.automl.features.unread import Unread

RATE = 2000
Array = NDArray[np.float64]


def _picture(pixels: NDArray[np.generic], suffix: str = "png") -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, suffix)
    return file.getvalue()


def _stripes(*, are_upright: bool) -> NDArray[np.uint8]:
    waves = np.tile(127 + 120 * np.sin(np.arange(120) / 4), (90, 1))
    stripes = waves if are_upright else np.tile(127 + 120 * np.sin(np.arange(90) / 4), (120, 1)).T
    return np.repeat(stripes[:, :, None], 3, axis=2).astype(np.uint8)


def _are_finite(told: Mapping[str, float]) -> bool:
    return bool(np.isfinite(list(told.values())).all())


@pytest.mark.parametrize("suffix", ["png", "jpeg", "bmp", "tiff"])
def test_pictures_tell_their_size_colours_and_directions(suffix: str) -> None:
    upright = images.describe(_picture(_stripes(are_upright=True), suffix))
    lying = images.describe(_picture(_stripes(are_upright=False), suffix))
    assert list(upright) == list(lying)
    assert _are_finite(upright)
    assert (upright["width"], upright["height"]) == (120, 90)
    assert upright["direction 0"] > 0.4 > 0.2 > lying["direction 0"]
    assert upright == images.describe(_picture(_stripes(are_upright=True), suffix))


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((1, 1), np.uint8),
        np.arange(64, dtype=np.uint16).reshape(8, 8) * 900,
        np.full((300, 5), 7, np.uint8),
        np.zeros((4, 4, 4), np.uint8),
    ],
)
def test_pictures_of_all_sorts_have_the_same_numbers(pixels: NDArray[np.generic]) -> None:
    told = images.describe(_picture(pixels))
    assert list(told) == list(images.describe(_picture(_stripes(are_upright=True))))
    assert _are_finite(told)


def _element(group: int, element: int, kind: bytes, value: bytes) -> bytes:
    if kind == b"OW":
        return struct.pack("<HH2sHI", group, element, kind, 0, len(value)) + value
    return struct.pack("<HH2sH", group, element, kind, len(value)) + value


def _dicom(pixels: NDArray[np.uint16], light: bytes = b"MONOCHROME2 ") -> bytes:
    rows, columns = pixels.shape
    shorts = ((0x02, 1), (0x10, rows), (0x11, columns), (0x100, 16), (0x103, 0))
    parts = [_element(0x28, 0x04, b"CS", light)]
    parts += [_element(0x28, name, b"US", struct.pack("<H", value)) for name, value in shorts]
    syntax = _element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
    pixel_data = _element(0x7FE0, 0x10, b"OW", pixels.tobytes())
    return bytes(128) + b"DICM" + syntax + b"".join(parts) + pixel_data


def test_pixels_of_medical_files_are_read() -> None:
    pixels = np.arange(12, dtype=np.uint16).reshape(3, 4)
    assert np.array_equal(pixels_of(_dicom(pixels)), pixels)
    assert np.array_equal(pixels_of(_dicom(pixels, b"MONOCHROME1 ")), 11 - pixels)
    assert images.describe(_dicom(pixels))["width"] == 4
    with pytest.raises(ValueError, match="no pixels"):
        pixels_of(_dicom(pixels)[:160])


def _tone(pitch: float, seconds: float = 1.0) -> Array:
    return 0.5 * np.sin(2 * np.pi * pitch * np.arange(int(seconds * RATE)) / RATE)


def _wav(values: Array, width: int = 2) -> bytes:
    file = io.BytesIO()
    whole = np.round(values * (2 ** (8 * width - 1) - 1)).astype("<i4")
    raw = whole.view(np.uint8).reshape(-1, 4)[:, :width].tobytes()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(width)
        written.setframerate(RATE)
        written.writeframes(raw)
    return file.getvalue()


def _aiff(values: Array) -> bytes:
    sound = np.round(values * 32767).astype(">i2").tobytes()
    rate = struct.pack(">HQ", 16383 + 10, RATE << 53)
    common = struct.pack(">hIh", 1, len(values), 16) + rate
    chunks = struct.pack(">4sI", b"COMM", len(common)) + common
    chunks += struct.pack(">4sIII", b"SSND", len(sound) + 8, 0, 0) + sound
    return struct.pack(">4sI4s", b"FORM", len(chunks) + 4, b"AIFF") + chunks


def test_sounds_are_read_whatever_they_are_stored_in() -> None:
    tone = _tone(100)
    for content in (_wav(tone), _wav(tone, 3), _aiff(tone)):
        values, rate = sounds.wave_of(content)
        assert rate == RATE
        assert values == pytest.approx(tone, abs=1e-4)


def test_sounds_tell_their_pitch() -> None:
    low, high = (sounds.describe(_wav(_tone(pitch))) for pitch in (100, 400))
    assert list(low) == list(high)
    assert _are_finite(low)
    assert low["pitch centre mean"] == pytest.approx(100, abs=15)
    assert high["pitch centre mean"] == pytest.approx(400, abs=15)
    assert high["zero crossings"] > 3 * low["zero crossings"]


def test_short_sounds_are_described_as_well() -> None:
    assert _are_finite(sounds.describe(_wav(_tone(100, 0.02))))
    assert _are_finite(sounds.describe(_wav(np.zeros(RATE))))


def test_signals_tell_how_columns_run() -> None:
    table = pd.DataFrame({"wave": _tone(10), "flat": 1.0, "name": "x"})
    table.loc[5, "flat"] = np.nan
    told = signals.describe_csv(table.to_csv(index=False).encode())
    assert told["wave spread"] == pytest.approx(0.5 / np.sqrt(2), rel=1e-3)
    assert told["wave strongest wave"] == pytest.approx(0.01, abs=1e-3)
    assert told["rows count"] == RATE
    assert told["missing share"] > 0
    assert _are_finite(told)


@pytest.mark.parametrize("shape", [(300,), (3, 500), (500, 3), (6, 40, 50), (64, 64), (30, 40, 8)])
def test_arrays_of_signals_and_of_pictures_are_described(shape: tuple[int, ...]) -> None:
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).normal(size=shape).astype(np.float16))
    told = signals.describe_array(file.getvalue())
    assert told["side 0"] == shape[0]
    assert _are_finite(told)
    assert told == signals.describe_array(file.getvalue())


def test_damaged_files_tell_nothing() -> None:
    unread = Unread()
    assert described(images.describe, "a/b.png", b"no picture", unread) == {}
    assert prepared(".png", {"c.png": b"", "d.png": b"no picture"}, unread) is None
    assert prepared(".mp4", {"e.mp4": b"film"}, unread) is None
    (found,) = unread.found
    assert (found["files"], found["example"]) == (3, "a/b.png")
    assert "cannot identify" in found["reason"]
