"""Sounds in numbers: how loud which pitches are, and how that changes."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

SECONDS_OF_WINDOW, LEAST_WINDOW = 0.032, 128
LONGEST_SECONDS = 60.0
BANDS, COARSE_BANDS, COARSE_TIMES, SHAPES = 40, 10, 12, 13
MOST_WINDOWS = 6000
SMALL = 1e-10


def describe(content: bytes) -> Mapping[str, float]:
    """What can be told of a sound.

    Raises:
        ValueError: It is stored in a way that cannot be read.
    """
    values, rate = wave_of(content)
    told = {"seconds": len(values) / rate, "rate": float(rate), "bytes": float(len(content))}
    values = values[: int(LONGEST_SECONDS * rate)]
    if len(values) < 2:
        return told
    told |= _of_wave(values)
    power, pitches = _spectra(values, rate)
    bands = np.log(power @ _bands(len(pitches), rate) + SMALL)
    return told | _of_bands(bands) | _of_spectra(power, pitches) | _coarse(bands)


def wave_of(content: bytes) -> tuple[Values, int]:
    """A sound as values from -1 to 1, the mean of its channels, and how many there are a second."""
    if content[:4] == b"FORM":
        return _aiff(content)
    if content[:4] == b"RIFF":
        return _wav(content)
    raise ValueError("sounds of this kind cannot be read")


def _chunks(content: bytes, order: str) -> Iterator[tuple[bytes, bytes]]:
    place = 12
    while place + 8 <= len(content):
        name, length = struct.unpack_from(f"{order}4sI", content, place)
        yield name, content[place + 8 : place + 8 + length]
        place += 8 + length + length % 2


def _wav(content: bytes) -> tuple[Values, int]:
    kind, channels, rate, bits = 1, 1, 16000, 16
    for name, chunk in _chunks(content, "<"):
        if name == b"fmt ":
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
            if kind == 0xFFFE and len(chunk) >= 26:
                (kind,) = struct.unpack_from("<H", chunk, 24)
        elif name == b"data":
            if kind == 3:
                values = np.frombuffer(
                    chunk[: len(chunk) // (bits // 8) * (bits // 8)], f"<f{bits // 8}"
                )
                return _mono(values.astype(float), channels), rate
            if kind != 1:
                break
            return _mono(_whole(chunk, bits, "<", is_signed=bits > 8), channels), rate
    raise ValueError("the sound is packed")


def _aiff(content: bytes) -> tuple[Values, int]:
    channels, bits, rate, order = 1, 16, 2000, ">"
    sound = b""
    for name, chunk in _chunks(content, ">"):
        if name == b"COMM":
            channels, _, bits = struct.unpack_from(">hIh", chunk)
            power, mantissa = struct.unpack_from(">HQ", chunk, 8)
            rate = int(mantissa * 2.0 ** ((power & 0x7FFF) - 16383 - 63))
            packed = chunk[18:22] if content[8:12] == b"AIFC" else b"NONE"
            if packed not in (b"NONE", b"sowt"):
                raise ValueError("the sound is packed")
            order = "<" if packed == b"sowt" else ">"
        elif name == b"SSND":
            sound = chunk[8:]
    return _mono(_whole(sound, bits, order, is_signed=True), channels), max(rate, 1)


def _whole(sound: bytes, bits: int, order: str, *, is_signed: bool) -> Values:
    width = bits // 8
    sound = sound[: len(sound) // width * width]
    if width == 3:
        raw = np.frombuffer(sound, np.uint8).reshape(-1, 3)
        low, middle, high = raw.T if order == "<" else raw.T[::-1]
        values = low.astype(np.int64) | middle.astype(np.int64) << 8
        values |= high.view(np.int8).astype(np.int64) << 16
        return np.asarray(values / 2.0**23)
    values = np.frombuffer(sound, f"{order}{'i' if is_signed else 'u'}{width}").astype(float)
    return np.asarray((values if is_signed else values - 2.0 ** (bits - 1)) / 2.0 ** (bits - 1))


def _mono(values: Values, channels: int) -> Values:
    channels = max(channels, 1)
    whole = values[: len(values) // channels * channels]
    return np.asarray(whole.reshape(-1, channels).mean(axis=1))


def _of_wave(values: Values) -> dict[str, float]:
    spread = float(values.std())
    parts = [part for part in np.array_split(values, COARSE_TIMES) if len(part)]
    loudness = np.array([np.sqrt((part**2).mean()) for part in parts])
    crossings = np.diff(np.signbit(values)).mean()
    told = {
        "loudness": spread,
        "loudest": float(np.abs(values).max()),
        "peaks": float(((values - values.mean()) ** 4).mean() / (spread**4 + SMALL)),
        "zero crossings": float(crossings),
        "loudness of parts, spread": float(loudness.std() / (loudness.mean() + SMALL)),
        "loudest part": float(loudness.argmax() / len(loudness)),
    }
    return told | {
        f"loudness {place}": float(np.log(value + 1e-6)) for place, value in enumerate(loudness)
    }


def _spectra(values: Values, rate: int) -> tuple[Values, Values]:
    """How much power there is at each pitch, window by window."""
    size = 2 ** int(np.ceil(np.log2(max(SECONDS_OF_WINDOW * rate, LEAST_WINDOW))))
    step = max(size // 2, (len(values) - size) // MOST_WINDOWS)
    if len(values) < size:
        values = np.pad(values, (0, size - len(values)))
    windows = np.lib.stride_tricks.sliding_window_view(values, size)[::step]
    power = np.abs(np.fft.rfft(windows * np.hanning(size), axis=1)) ** 2 / size
    return np.asarray(power), np.asarray(np.fft.rfftfreq(size, 1 / rate))


@lru_cache(maxsize=16)
def _bands(size: int, rate: int) -> Values:
    """Triangles over pitches, narrow for low ones and wide for high ones, as ears have them."""
    pitches = np.linspace(0, rate / 2, size)
    top = 2595 * np.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, BANDS + 2) / 2595) - 1)
    rising = (pitches[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - pitches[:, None]) / (edges[2:] - edges[1:-1])
    weights = np.clip(np.minimum(rising, falling), 0, 1)
    # Bands that are narrower than what pitches are apart take the nearest one.
    for band in np.flatnonzero(weights.sum(axis=0) == 0):
        weights[np.abs(pitches - edges[band + 1]).argmin(), band] = 1.0
    return np.asarray(weights)


def _of_bands(bands: Values) -> dict[str, float]:
    from scipy.fft import dct

    told: dict[str, float] = {}
    changes = np.diff(bands, axis=0) if len(bands) > 1 else np.zeros_like(bands)
    for what, values in (
        ("mean", bands.mean(axis=0)), ("spread", bands.std(axis=0)),
        ("low", np.quantile(bands, 0.1, axis=0)), ("high", np.quantile(bands, 0.95, axis=0)),
        ("change", changes.std(axis=0)),
        ("above neighbours", (bands - bands.mean(axis=1, keepdims=True)).max(axis=0)),
    ):  # fmt: skip
        told |= {f"band {place} {what}": float(value) for place, value in enumerate(values)}
    shapes = dct(bands, axis=1, norm="ortho")[:, :SHAPES]
    for what, values in (("mean", shapes.mean(axis=0)), ("spread", shapes.std(axis=0))):
        told |= {f"shape {place} {what}": float(value) for place, value in enumerate(values)}
    return told


def _of_spectra(power: Values, pitches: Values) -> dict[str, float]:
    total = power.sum(axis=1) + SMALL
    centre = power @ pitches / total
    width = np.sqrt(np.maximum(power @ pitches**2 / total - centre**2, 0))
    flat = np.exp(np.log(power + SMALL).mean(axis=1)) / (total / len(pitches))
    told = {}
    for name, values in (("centre", centre), ("width", width), ("flatness", flat)):
        told[f"pitch {name} mean"] = float(values.mean())
        told[f"pitch {name} spread"] = float(values.std())
    loudest = power[:, 1:].argmax(axis=1)
    told["loudest pitch, change"] = (
        float(np.abs(np.diff(loudest)).mean()) if len(power) > 1 else 0.0
    )
    told["loudest pitch, trend"] = float(loudest[len(loudest) // 2 :].mean() - loudest.mean())
    return told


def _coarse(bands: Values) -> dict[str, float]:
    """Which pitches are when, each against its own mean."""
    relative = bands - np.median(bands, axis=0)
    times = [part for part in np.array_split(relative, COARSE_TIMES) if len(part)]
    table = np.array([part.mean(axis=0) for part in times])
    pitches = table.reshape(len(table), COARSE_BANDS, -1).mean(axis=2)
    return {f"at {time} {band}": float(v) for (time, band), v in np.ndenumerate(pitches)}
