"""YAML texts of the package, parsed beforehand.

Parsing the facts of all competitions takes longer than anything else that a short command does,
so what they say also stands in a JSON file, by the digest of the text. A text that is not in
there, such as one just edited, is parsed as ever. ``make facts`` writes the file anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from mlebench.settings import PACKAGE_DIR

PARSED_FILE = PACKAGE_DIR / "resources" / "parsed_yaml.json"


def parsed_before(text: str) -> Any:
    """What a YAML text says, or nothing if it was not parsed beforehand."""
    return _parsed().get(_digest(text))


def write_parsed(texts: Iterable[str], path: Path = PARSED_FILE) -> None:
    """Parse texts for all later readers."""
    from yaml import safe_load

    known = {_digest(text): safe_load(text) for text in texts}
    path.write_text(json.dumps(known, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


@cache
def _parsed() -> dict[str, Any]:
    try:
        known = json.loads(PARSED_FILE.read_bytes())
    except (OSError, ValueError):
        return {}  # the texts themselves are there
    return known if isinstance(known, dict) else {}


def _digest(text: str) -> str:
    import hashlib  # with a large library behind it, which `--help` does not need

    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
