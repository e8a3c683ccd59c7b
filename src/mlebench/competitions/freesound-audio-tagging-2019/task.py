"""Freesound Audio Tagging 2019: which everyday sounds are in the clip?"""

from pathlib import Path

import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.metrics.ranking import label_ranking_precision
from mlebench.preparing.archives import open_member
from mlebench.preparing.files import place_tree
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CastNumber, Submission

SOUNDS = (
    "Accelerating_and_revving_and_vroom", "Accordion", "Acoustic_guitar", "Applause", "Bark",
    "Bass_drum", "Bass_guitar", "Bathtub_(filling_or_washing)", "Bicycle_bell",
    "Burping_and_eructation", "Bus", "Buzz", "Car_passing_by", "Cheering",
    "Chewing_and_mastication", "Child_speech_and_kid_speaking", "Chink_and_clink",
    "Chirp_and_tweet", "Church_bell", "Clapping", "Computer_keyboard", "Crackle", "Cricket",
    "Crowd", "Cupboard_open_or_close", "Cutlery_and_silverware", "Dishes_and_pots_and_pans",
    "Drawer_open_or_close", "Drip", "Electric_guitar", "Fart", "Female_singing",
    "Female_speech_and_woman_speaking", "Fill_(with_liquid)", "Finger_snapping", "Frying_(food)",
    "Gasp", "Glockenspiel", "Gong", "Gurgling", "Harmonica", "Hi-hat", "Hiss", "Keys_jangling",
    "Knock", "Male_singing", "Male_speech_and_man_speaking", "Marimba_and_xylophone",
    "Mechanical_fan", "Meow", "Microwave_oven", "Motorcycle", "Printer", "Purr",
    "Race_car_and_auto_racing", "Raindrop", "Run", "Scissors", "Screaming", "Shatter", "Sigh",
    "Sink_(filling_or_washing)", "Skateboard", "Slam", "Sneeze", "Squeak", "Stream", "Strum",
    "Tap", "Tick-tock", "Toilet_flush", "Traffic_noise_and_roadway_noise", "Trickle_and_dribble",
    "Walk_and_footsteps", "Water_tap_and_faucet", "Waves_and_surf", "Whispering", "Writing",
    "Yell", "Zipper_(clothing)",
)  # fmt: skip

# The contest kept the labels of its test clips back; they were published afterwards.
METADATA = "FSDKaggle2019.meta"
RECORD = "https://zenodo.org/records/3612637"

SUBMISSION = Submission(
    key="fname",
    columns=tuple(CastNumber(sound) for sound in SOUNDS),
    only_these_columns=True,
    in_order=True,
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    clips = _read_metadata(raw)
    hidden = [entry.name for entry in raw.iterdir() if METADATA in entry.name]
    place_tree(raw, public, leave_out=hidden)
    test = clips[clips["usage"] == "Private"]
    heard = test["labels"].str.get_dummies(",").reindex(columns=SOUNDS, fill_value=0)
    write_csv(test[["fname"]].join(heard), private / "test.csv")


def _read_metadata(raw: Path) -> pd.DataFrame:
    archive = raw / f"{METADATA}.zip"
    if not archive.is_file():
        raise DataSourceError(
            f"The raw data lack {archive.name}, which tells what the test clips are. It is not "
            f"among the contest's files: get it from the Zenodo record {RECORD} and put it into "
            f"{raw}."
        )
    with open_member(archive, f"{METADATA}/test_post_competition.csv") as file:
        return read_csv(file)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return label_ranking_precision(truth[[*SOUNDS]], predicted[[*SOUNDS]])
