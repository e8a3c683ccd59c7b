"""Made-up raw data of H&M Personalized Fashion Recommendations."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids, sentence
from mlebench.preparing.tables import write_csv

from .task import PURCHASES

CUSTOMERS, ARTICLES, DAYS = 40, 12, 22
GROUPS = (
    "product_type_no", "product_type_name", "product_group_name", "graphical_appearance_no",
    "graphical_appearance_name", "colour_group_code", "colour_group_name",
    "perceived_colour_value_id", "perceived_colour_value_name", "perceived_colour_master_id",
    "perceived_colour_master_name", "department_no", "department_name", "index_code",
    "index_name", "index_group_no", "index_group_name", "section_no", "section_name",
    "garment_group_no", "garment_group_name",
)  # fmt: skip


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    articles = [f"0{number}" for number in 10**8 + 10**3 * rng.permutation(10**5)[:ARTICLES]]
    customers = hex_ids(rng, CUSTOMERS, 64)
    write_csv(_catalogue(rng, articles), raw / "articles.csv")
    people = {
        "customer_id": customers,
        "FN": np.where(rng.random(CUSTOMERS) < 0.4, 1.0, np.nan),
        "Active": np.where(rng.random(CUSTOMERS) < 0.3, 1.0, np.nan),
        "club_member_status": "ACTIVE",
        "fashion_news_frequency": rng.choice(["NONE", "Regularly"], CUSTOMERS),
        "age": rng.integers(16, 90, CUSTOMERS),
        "postal_code": hex_ids(rng, CUSTOMERS, 64),
    }
    write_csv(pd.DataFrame(people), raw / "customers.csv")
    write_csv(_purchases(rng, customers, articles), raw / PURCHASES)
    sample = pd.DataFrame({"customer_id": customers, "prediction": " ".join(articles[:5])})
    write_csv(sample, raw / "sample_submission.csv")
    for number, article in enumerate(articles[1:]):  # not every article has a picture
        write_image(raw / "images" / article[:3] / f"{article}.jpg", noise(rng, 20 * number))


def _catalogue(rng: np.random.Generator, articles: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "article_id": articles,
            "product_code": [article[:7] for article in articles],
            "prod_name": [f'Top, "no. {number}"' for number in range(ARTICLES)],
        }
    )
    for group in GROUPS:
        numbers = rng.integers(1, 5, ARTICLES)
        is_named = group.endswith("_name")
        table[group] = [f"{group[:-5]} {number}" if is_named else number for number in numbers]
    return table.assign(detail_desc=[sentence(rng) for _ in articles])


def _purchases(rng: np.random.Generator, customers: list[str], articles: list[str]) -> pd.DataFrame:
    """Each customer buys the same two to four articles again and again; the last one stops."""
    days = pd.date_range("2020-09-01", periods=DAYS).strftime("%Y-%m-%d")
    rows = []
    for number, customer in enumerate(customers):
        favourites = rng.choice(articles, rng.integers(2, 5), replace=False)
        last = DAYS if number < CUSTOMERS - 1 else DAYS - 8
        for day in rng.integers(0, last, 8):
            rows.append(
                (days[day], customer, rng.choice(favourites), rng.random() / 10, 1 + day % 2)
            )
    rows += [(days[-1], customers[0], article, 0.05, 2) for article in articles[:3]]
    columns = ["t_dat", "customer_id", "article_id", "price", "sales_channel_id"]
    return pd.DataFrame(rows, columns=columns).sort_values("t_dat", kind="stable")
