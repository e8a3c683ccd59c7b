"""The folder of a new competition, made from a template that works as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template

from mlebench.errors import ConfigError
from mlebench.settings import PACKAGE_DIR

TEMPLATE_DIR = PACKAGE_DIR / "resources" / "new_competition"
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


def create_competition(competition_id: str, directory: Path, title: str | None = None) -> Path:
    """Create a competition folder that prepares, grades and passes its selfcheck."""
    if not SLUG.fullmatch(competition_id):
        raise ConfigError(f"{competition_id!r} is no good id; use letters, digits and dashes.")
    folder = directory / competition_id
    if folder.exists():
        raise ConfigError(f"{folder} exists already.")
    folder.mkdir(parents=True)
    shown = title or competition_id
    values = {
        "id": competition_id,
        "title": shown,
        "quoted_title": json.dumps(shown, ensure_ascii=False),  # JSON is YAML, too
        "plain_title": re.sub(r'["\\\s]+', " ", shown),
    }
    for source in sorted(TEMPLATE_DIR.iterdir()):
        text = Template(source.read_text(encoding="utf-8")).substitute(values)
        (folder / source.name.removesuffix(".template")).write_text(text, encoding="utf-8")
    return folder
