"""H&M Personalized Fashion Recommendations: what will a customer buy next week?"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.metrics.ranking import mean_average_precision_at_k
from mlebench.preparing.files import place, place_tree
from mlebench.preparing.tables import read_csv, read_csv_in_parts, write_csv
from mlebench.submission import AtLeastAsked, ExactKey, Submission, TokenList, parse_answers

MOST = 12
PURCHASES = "transactions_train.csv"
SHARED_TABLES = ("articles.csv", "customers.csv", "sample_submission.csv")
ROWS_AT_A_TIME = 1_000_000  # of thirty

GUESSES = TokenList("prediction", most=MOST)
BOUGHT = replace(GUESSES, most=None)
SUBMISSION = Submission(
    key="customer_id", columns=(GUESSES,), matching=AtLeastAsked(), only_these_columns=True
)

GUESSES_V2 = replace(GUESSES, missing="", single_blanks=False, stays_whole=True)
BOUGHT_V2 = replace(GUESSES_V2, most=None)
SUBMISSION_V2 = replace(SUBMISSION, columns=(GUESSES_V2,), matching=ExactKey())


def prepare(raw: Path, public: Path, private: Path) -> None:
    # Articles are read as numbers, which costs them the zero in front.
    bought = _publish(raw, public, test_days=8)
    write_csv(by_customer(bought), private / "answers.csv")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    bought = _publish(raw, public, test_days=7, dtype={"article_id": str})
    bought = bought.drop_duplicates(["customer_id", "article_id"])
    customers = read_csv(raw / "sample_submission.csv")[["customer_id"]]
    answers = customers.merge(by_customer(bought), how="left")
    write_csv(answers, private / "answers.csv")


def _publish(raw: Path, public: Path, test_days: int, **options: Any) -> pd.DataFrame:
    """Write what everybody may know; returns the purchases of the last days."""
    source = raw / PURCHASES
    days = read_csv_in_parts(source, ROWS_AT_A_TIME, usecols=["t_dat"])
    last_day = pd.Timestamp(max(part["t_dat"].max() for part in days))
    first_day = (last_day - pd.Timedelta(days=test_days - 1)).strftime("%Y-%m-%d")
    held_out = []
    for number, part in enumerate(read_csv_in_parts(source, ROWS_AT_A_TIME, **options)):
        is_held_out = part["t_dat"] >= first_day
        write_csv(part[~is_held_out], public / PURCHASES, mode="a", header=number == 0)
        held_out.append(part[is_held_out])
    for name in SHARED_TABLES:
        place(raw / name, public / name)
    place_tree(raw / "images", public / "images")
    return pd.concat(held_out)


def by_customer(purchases: pd.DataFrame) -> pd.DataFrame:
    """A row for each customer, with the articles in the order of purchase."""
    articles = purchases["article_id"].astype(str).groupby(purchases["customer_id"]).agg(" ".join)
    return articles.rename("prediction").reset_index()


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_average_precision_at_k(
        parse_answers(BOUGHT, truth), predicted["prediction"], k=MOST
    )


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    is_scored = truth["prediction"].notna()  # who bought something
    bought = parse_answers(BOUGHT_V2, truth[is_scored])
    guesses = predicted["prediction"][is_scored]
    return mean_average_precision_at_k(without_zeros(bought), without_zeros(guesses), k=MOST)


def without_zeros(lists: Iterable[list[str]]) -> list[list[str]]:
    """The articles without zeros in front, which a column of single articles loses."""
    return [[article.lstrip("0") for article in articles] for articles in lists]
