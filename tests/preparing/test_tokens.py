"""Sentences of tokens: divided as a whole, counted anew, none of them twice."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mlebench.preparing.archives import open_member
from mlebench.preparing.tables import read_csv, write_zipped_csv
from mlebench.preparing.tokens import QUOTED, TRAIN, publish_tokens, read_distinct_sentences

WORDS = {3: ["a", "null"], 5: ["b", 'c "d", e'], 8: ["a", "null"], 9: ["a"], 12: ["anull"]}


def some_tokens() -> pd.DataFrame:
    rows = [
        (number, place, "PLAIN", word, word.upper())
        for number, words in WORDS.items()
        for place, word in enumerate(words)
    ]
    return pd.DataFrame(rows, columns=[*TRAIN])


def test_repeated_sentences_are_left_out_and_words_for_missing_values_kept(tmp_path: Path) -> None:
    path = tmp_path / "xx_train.csv.zip"
    write_zipped_csv(some_tokens(), path, **QUOTED)
    tokens = read_distinct_sentences(path)
    assert tokens["sentence_id"].tolist() == [3, 3, 5, 5, 9, 12]
    assert tokens["before"].tolist() == ["a", "null", "b", 'c "d", e', "a", "anull"]
    assert tokens["after"].tolist()[1] == "NULL"


def test_sentences_are_counted_anew_on_both_sides(tmp_path: Path) -> None:
    public, private = tmp_path / "public", tmp_path / "private"
    publish_tokens(some_tokens(), "xx", public, private, plain_sample=True)
    train = read_csv(public / "xx_train.csv.zip", keep_default_na=False)
    test = read_csv(public / "xx_test_2.csv.zip", keep_default_na=False)
    answers = read_csv(private / "answers.csv", keep_default_na=False)
    assert train["sentence_id"].unique().tolist() == [0, 1, 2, 3]
    assert test["sentence_id"].unique().tolist() == [0]
    assert len(train) + len(test) == sum(map(len, WORDS.values()))
    assert answers["id"].tolist() == [f"0_{place}" for place in test["token_id"]]
    assert answers["after"].tolist() == test["before"].str.upper().tolist()
    sample = pd.read_csv(public / "sample_submission.csv", keep_default_na=False)
    assert sample["after"].tolist() == test["before"].tolist()
    with open_member(public / "xx_sample_submission_2.csv.zip", "xx_sample_submission_2.csv") as f:
        assert f.read() == (private / "sample_submission.csv").read_bytes()
