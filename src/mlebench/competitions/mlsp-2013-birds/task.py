"""MLSP 2013 Bird Classification Challenge: which birds are heard in the recording?"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.archives import unpacked
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_positions
from mlebench.preparing.tables import read_csv, read_text, write_csv, write_text
from mlebench.submission import Number, Submission

SPECIES = 19
FOLDS, NAMES, LABELS = "CVfolds_2.txt", "rec_id2filename.txt", "rec_labels_test_hidden.txt"
LABELS_HEADER = "rec_id,[labels]"
SEGMENTS = ("histogram_of_segments.txt", "segment_features.txt", "segment_rectangles.txt")
SEGMENTS_HEADER = "rec_id,[histogram of segment features]"  # true of the first one only
PICTURES = ("spectrograms", "filtered_spectrograms", "supervised_segmentation")
EXAMPLES = "segmentation_examples"
OVERVIEWS = ("segment_clusters.bmp", "segment_mosaic.bmp")

SUBMISSION = Submission(key="Id", columns=(Number("Probability", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, segments_header=SEGMENTS_HEADER)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, segments_header=None)


def _prepare(raw: Path, public: Path, private: Path, segments_header: str | None) -> None:
    with unpacked(raw / "mlsp_contest_dataset.zip", beside=public) as folder:
        essential = folder / "mlsp_contest_dataset" / "essential_data"
        folds = read_csv(essential / FOLDS)
        numbers = {old: new for new, old in enumerate(folds.loc[folds["fold"] == 0, "rec_id"])}
        _, held_out = partition_positions(len(numbers), test_size=round(0.2 * len(numbers)))
        _, labels = _read_lines(essential / LABELS, numbers)
        answers = _answers([line for line in labels if line[0] in held_out])
        write_csv(answers, private / "answers.csv")
        sample = answers.sort_values("Id").assign(Probability=0)
        write_csv(sample, public / "sample_submission.csv")
        names = _publish_essentials(essential, public / essential.name, numbers, held_out)
        supplemental = essential.with_name("supplemental_data")
        published = public / supplemental.name
        for name in SEGMENTS:
            own_header, lines = _read_lines(supplemental / name, numbers)
            renumbered = (f"{number},{rest}" for number, rest in lines)
            _write_lines(published / name, segments_header or own_header, renumbered)
        pictures = [f"{name}.bmp" for name in names]
        examples = [name for name in pictures if (supplemental / EXAMPLES / name).is_file()]
        for kind, chosen in (*((kind, pictures) for kind in PICTURES), (EXAMPLES, examples)):
            place_all(chosen, supplemental / kind, published / kind)
        place_all(OVERVIEWS, supplemental, published)


def _publish_essentials(
    source: Path, target: Path, numbers: Mapping[int, int], held_out: list[int]
) -> list[str]:
    """Write tables and recordings under new numbers; returns the recordings' names."""
    folds = [int(number in held_out) for number in numbers.values()]
    write_csv(pd.DataFrame({"rec_id": numbers.values(), "fold": folds}), target / FOLDS)
    names = read_csv(source / NAMES)
    names = names[names["rec_id"].isin(numbers)]
    write_csv(names.assign(rec_id=names["rec_id"].map(numbers)), target / NAMES)
    _, labels = _read_lines(source / LABELS, numbers)
    shown = ((number, "?" if number in held_out else own) for number, own in labels)
    lines = (f"{number},{own}" if own else f"{number}" for number, own in shown)
    _write_lines(target / LABELS, LABELS_HEADER, lines)
    place_all(["species_list.txt"], source, target)
    place_all(names["filename"] + ".wav", source / "src_wavs", target / "src_wavs")
    return names["filename"].tolist()


def _answers(labels: Iterable[tuple[int, str]]) -> pd.DataFrame:
    """A row for each recording and species."""
    present = [(number, set(text.split(","))) for number, text in labels]
    rows = [
        (100 * number + species, int(str(species) in heard))
        for number, heard in present
        for species in range(SPECIES)
    ]
    return pd.DataFrame(rows, columns=["Id", "Probability"])


def _read_lines(path: Path, numbers: Mapping[int, int]) -> tuple[str, list[tuple[int, str]]]:
    """The header, and for known recordings the new number and what follows the old one."""
    header, *lines = read_text(path).split("\n")
    parts = (line.partition(",") for line in lines if line)
    return header, [(numbers[int(old)], rest) for old, _, rest in parts if int(old) in numbers]


def _write_lines(path: Path, header: str, lines: Iterable[str]) -> None:
    write_text("".join(f"{line}\n" for line in (header, *lines)), path)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["Probability"], predicted["Probability"])
