"""TensorFlow Speech Recognition Challenge: which word is spoken?"""

import math
import wave
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.archives import unpacked
from mlebench.preparing.files import copy_each, place_each
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import write_csv
from mlebench.submission import Submission, TextLabel

COMMANDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
OTHER_WORDS = (
    "bed", "bird", "cat", "dog", "eight", "five", "four", "happy", "house", "marvin", "nine", "one",
    "seven", "sheila", "six", "three", "tree", "two", "wow", "zero",
)  # fmt: skip
NOISE = "_background_noise_"
SILENCE, UNKNOWN = "silence", "unknown"

FOLDERS = TextLabel(
    "label", choices=(*COMMANDS, *OTHER_WORDS, NOISE), missing=None, numbers_are_wrong=True
)
CLASSES = TextLabel("label", choices=(*COMMANDS, SILENCE, UNKNOWN), missing=None)

SUBMISSION = Submission(key="fname", columns=(FOLDERS,))
SUBMISSION_V2 = Submission(key="fname", columns=(CLASSES,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train.7z", beside=public) as folder:
        train, test = partition_list(_clips(folder), test_size=0.1)
        labels = [clip.parent.name for clip in test]
        _publish(train, test, labels, public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train.7z", beside=public) as folder:
        clips = _clips(folder)
        noises = [clip for clip in clips if clip.parent.name == NOISE]
        spoken = [clip for clip in clips if clip.parent.name != NOISE]
        speakers, held_out = partition_list(sorted(set(map(_speaker, spoken))), test_size=0.1)
        train = _clips_of(speakers, spoken)
        test = _clips_of(held_out, spoken)
        for noise in noises:
            beginning, seconds = _cut(noise, folder)
            train.append(beginning)
            test += seconds
        _, test = partition_list(test, test_size=len(test))  # a sorted list would tell the words
        labels = [_class(clip.parent.name) for clip in test]
        _publish(train, test, labels, public, private)


def _clips(folder: Path) -> list[Path]:
    paths = (folder / "train" / "audio").rglob("*.wav")
    return sorted(paths, key=lambda path: f"{path.parent.name}_{path.name}")


def _speaker(clip: Path) -> str:
    return clip.stem.partition("_nohash_")[0]


def _clips_of(speakers: Iterable[str], clips: Iterable[Path]) -> list[Path]:
    known = set(speakers)
    return [clip for clip in clips if _speaker(clip) in known]


def _class(folder: str) -> str:
    """What the contest called the recordings of a folder."""
    if folder == NOISE:
        return SILENCE
    return folder if folder in COMMANDS else UNKNOWN


def _cut(noise: Path, folder: Path) -> tuple[Path, list[Path]]:
    """The beginning of a recording, and its last tenth as clips of a second."""
    with wave.open(str(noise)) as sound:
        shape, second = sound.getparams(), sound.getframerate()
        seconds = shape.nframes // second
        held_out = math.ceil(seconds / 10)
        lengths = [shape.nframes - held_out * second, *[second] * held_out]
        contents = [sound.readframes(length) for length in lengths]
    paths = [folder / str(number) / NOISE / noise.name for number in range(len(contents))]
    for path, content in zip(paths, contents):
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as part:
            part.setparams(shape)
            part.writeframes(content)
    return paths[0], paths[1:]


def _publish(
    train: Sequence[Path], test: Sequence[Path], labels: Sequence[str], public: Path, private: Path
) -> None:
    audio = public / "train" / "audio"
    place_each((clip, audio / clip.parent.name / clip.name) for clip in train)
    names = [f"clip_{number:08d}.wav" for number in range(len(test))]
    copy_each((clip, public / "test" / "audio" / name) for clip, name in zip(test, names))
    answers = pd.DataFrame({"fname": names, "label": labels})
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(label=SILENCE), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["label"], predicted["label"])
