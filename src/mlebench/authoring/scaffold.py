"""The folder of a new competition, made from a template that works as it is.

There is a template for each usual kind of competition; what all kinds share is there once.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from mlebench.authoring.kinds import Kind
from mlebench.authoring.templates import SLUG, fill_folder
from mlebench.errors import ConfigError
from mlebench.registry.yaml_files import load_yaml
from mlebench.settings import PACKAGE_DIR

TEMPLATE_DIR = PACKAGE_DIR / "resources" / "new_competition"
COMMON = "common"


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is particular to a kind in the facts of a competition."""

    category: str
    metric: str
    lower_is_better: bool
    gold: float
    silver: float
    bronze: float
    median: float
    gold_submission: str | None = None


def create_competition(
    competition_id: str, directory: Path, title: str | None = None, kind: Kind | str = Kind.TABLE
) -> Path:
    """Create a competition folder that prepares, grades and passes its selfcheck.

    It is there completely or not at all.
    """
    if kind not in [*Kind]:
        raise ConfigError(f"There is no kind {kind!r}; choose one of {', '.join(Kind)}.")
    if not SLUG.fullmatch(competition_id):
        raise ConfigError(f"{competition_id!r} is no good id; use letters, digits and dashes.")
    if title and not _is_text(title):
        raise ConfigError(f"The title {title!r} is not UTF-8 text.")
    values = _names(competition_id, title or competition_id) | _values_of(kind)
    return fill_folder(
        directory / competition_id, [TEMPLATE_DIR / COMMON, TEMPLATE_DIR / kind], values
    )


def _is_text(title: str) -> bool:
    """Whether a title can be written to a file; bytes of another encoding cannot."""
    try:
        title.encode()
    except UnicodeEncodeError:
        return False
    return True


def _names(competition_id: str, title: str) -> dict[str, str]:
    return {
        "id": competition_id,
        "title": title,
        "quoted_title": _as_yaml(title),
        "plain_title": re.sub(r'["\\\s]+', " ", title),
    }


def _values_of(kind: str) -> dict[str, str]:
    facts = msgspec.convert(load_yaml(TEMPLATE_DIR / kind / "kind.yaml"), _Facts)
    stated = msgspec.structs.asdict(facts)
    gold = stated.pop("gold_submission")
    values = {
        name: fact if isinstance(fact, str) else _as_yaml(fact) for name, fact in stated.items()
    }
    return values | {"gold_line": f"gold_submission: {gold}\n" if gold else ""}


def _as_yaml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # JSON is YAML, too
