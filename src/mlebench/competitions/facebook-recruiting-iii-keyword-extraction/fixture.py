"""Made-up raw data of Facebook Recruiting III."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.archives import pack

TAGS = ("javascript", "c#", "python", "php", "java", "regex", "home-theater", ".net-3.5")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    chosen = [rng.choice(TAGS, rng.integers(1, 5), replace=False) for _ in range(rows)]
    questions = pd.DataFrame(
        {
            "Id": np.arange(1, rows + 1),
            "Title": [f"{sentence(rng, 3)} with {', '.join(tags)}?" for tags in chosen],
            "Body": [_body(rng, tags) for tags in chosen],
            "Tags": [" ".join(tags) for tags in chosen],
        }
    )
    questions.loc[3, "Tags"] = "null"  # is read as missing, and so is the next one
    questions.loc[5, "Title"] = "NA"
    asked_again = ["Title", "Body", "Tags"]
    questions.loc[10:12, asked_again] = questions.loc[20:22, asked_again].to_numpy()
    pack(raw / "Train.zip", {"Train.csv": questions.to_csv(index=False)})


def _body(rng: np.random.Generator, tags: np.ndarray) -> str:
    """HTML with all that a csv has to quote."""
    code = f"<pre><code>print(&quot;{sentence(rng, 2)}&quot;, 1);\n</code></pre>"
    return f'<p>{sentence(rng)}, "{tags[0]}"</p>\n\n{code}\n'
