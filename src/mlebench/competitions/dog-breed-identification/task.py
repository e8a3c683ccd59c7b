"""Dog Breed Identification: which of 120 breeds is the dog in the photo?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import log_loss
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import one_hot, read_csv, with_each, write_csv
from mlebench.submission import Number, RowsSumToOne, Submission

BREEDS = (
    "affenpinscher", "afghan_hound", "african_hunting_dog", "airedale",
    "american_staffordshire_terrier", "appenzeller", "australian_terrier", "basenji", "basset",
    "beagle", "bedlington_terrier", "bernese_mountain_dog", "black-and-tan_coonhound",
    "blenheim_spaniel", "bloodhound", "bluetick", "border_collie", "border_terrier", "borzoi",
    "boston_bull", "bouvier_des_flandres", "boxer", "brabancon_griffon", "briard",
    "brittany_spaniel", "bull_mastiff", "cairn", "cardigan", "chesapeake_bay_retriever",
    "chihuahua", "chow", "clumber", "cocker_spaniel", "collie", "curly-coated_retriever",
    "dandie_dinmont", "dhole", "dingo", "doberman", "english_foxhound", "english_setter",
    "english_springer", "entlebucher", "eskimo_dog", "flat-coated_retriever", "french_bulldog",
    "german_shepherd", "german_short-haired_pointer", "giant_schnauzer", "golden_retriever",
    "gordon_setter", "great_dane", "great_pyrenees", "greater_swiss_mountain_dog",
    "groenendael", "ibizan_hound", "irish_setter", "irish_terrier", "irish_water_spaniel",
    "irish_wolfhound", "italian_greyhound", "japanese_spaniel", "keeshond", "kelpie",
    "kerry_blue_terrier", "komondor", "kuvasz", "labrador_retriever", "lakeland_terrier",
    "leonberg", "lhasa", "malamute", "malinois", "maltese_dog", "mexican_hairless",
    "miniature_pinscher", "miniature_poodle", "miniature_schnauzer", "newfoundland",
    "norfolk_terrier", "norwegian_elkhound", "norwich_terrier", "old_english_sheepdog",
    "otterhound", "papillon", "pekinese", "pembroke", "pomeranian", "pug", "redbone",
    "rhodesian_ridgeback", "rottweiler", "saint_bernard", "saluki", "samoyed", "schipperke",
    "scotch_terrier", "scottish_deerhound", "sealyham_terrier", "shetland_sheepdog", "shih-tzu",
    "siberian_husky", "silky_terrier", "soft-coated_wheaten_terrier",
    "staffordshire_bullterrier", "standard_poodle", "standard_schnauzer", "sussex_spaniel",
    "tibetan_mastiff", "tibetan_terrier", "toy_poodle", "toy_terrier", "vizsla", "walker_hound",
    "weimaraner", "welsh_springer_spaniel", "west_highland_white_terrier", "whippet",
    "wire-haired_fox_terrier", "yorkshire_terrier",
)  # fmt: skip

SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(breed, low=0, high=1) for breed in BREEDS),
    rules=(RowsSumToOne(BREEDS),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "labels.csv"), test_size=0.1)
    ids = test[["id"]]
    write_csv(train, public / "labels.csv")
    write_csv(ids.join(one_hot(test["breed"], BREEDS)), private / "test.csv")
    write_csv(with_each(ids, BREEDS, 1 / 120), public / "sample_submission.csv")
    place_all(train["id"] + ".jpg", raw / "train", public / "train")
    place_all(test["id"] + ".jpg", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return log_loss(truth[[*BREEDS]], predicted[[*BREEDS]])
