"""Made-up raw data of Phishing Websites."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv

SIGNS = (
    "empty_server_form_handler",
    "popup_window",
    "https",
    "request_from_other_domain",
    "anchor_from_other_domain",
    "is_popular",
    "long_url",
)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    is_phishing = np.arange(rows) % 2
    signs = {name: rng.choice([0.0, 0.5, 1.0], rows) for name in SIGNS}
    websites = pd.DataFrame(signs).assign(
        https=np.where(rng.random(rows) < 0.8, 1.0 - is_phishing, 0.5),
        age_of_domain=rng.integers(0, 2, rows),
        ip_in_url=rng.integers(0, 2, rows),
        is_phishing=is_phishing,
    )
    write_zipped_csv(websites, raw / "phishing.csv.zip")
