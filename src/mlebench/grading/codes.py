"""What the codes of refusals and the statuses of reports mean."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache

from mlebench.errors import ConfigError
from mlebench.settings import PACKAGE_DIR

CODES_FILE = PACKAGE_DIR / "resources" / "codes.yaml"


@dataclass(frozen=True)
class Explanation:
    """What a code means and how to mend what it names."""

    code: str
    means: str
    mend: str


@cache
def all_explanations() -> dict[str, Explanation]:
    """Every code there is, in the order of the file."""
    import yaml

    content = yaml.safe_load(CODES_FILE.read_text(encoding="utf-8"))
    return {code: Explanation(code, **told) for code, told in content.items()}


def command_to_explain(code: str) -> str | None:
    """What tells more about a code; nothing does where a competition has made it up."""
    return f"mlebench explain {code}" if code in all_explanations() else None


def explain(code: str) -> Explanation:
    """What a code means.

    Raises:
        ConfigError: There is no such code.
    """
    known = all_explanations()
    if code not in known:
        alike = difflib.get_close_matches(code, known, n=1)
        hint = f" Did you mean {alike[0]!r}?" if alike else " `mlebench explain` lists them all."
        raise ConfigError(f"There is no code {code!r}.{hint}")
    return known[code]
