"""What participants read, in the words of an edition.

Where editions differ, one text holds both passages, each on lines of its own::

    <!-- v1 -->
    Rows are compared in the order of the sample submission.
    <!-- v2 -->
    Rows may stand in any order.
    <!-- end -->

Either of the two may be missing. A text that differs as a whole stands in a file of its own,
such as ``description_v2.md``.
"""

from __future__ import annotations

import re
from pathlib import Path

from mlebench.registry.facts import Edition
from mlebench.registry.yaml_files import read_text

PASSAGE = re.compile(
    r"(?:<!-- v1 -->\n(?P<v1>(?:(?!<!-- ).*\n)*))?(?:<!-- v2 -->\n(?P<v2>(?:(?!<!-- ).*\n)*))?"
    r"<!-- end -->\n"
)


def read_description(folder: Path, edition: Edition) -> str:
    """The description of a competition; empty if there is none."""
    texts = (folder / f"description_{edition}.md", folder / "description.md")
    own = next((path for path in texts if path.is_file()), None)
    return of_edition(read_text(own), edition) if own else ""


def of_edition(text: str, edition: Edition) -> str:
    """The text without passages that are meant for another edition."""
    return PASSAGE.sub(lambda passage: passage[edition] or "", text)
