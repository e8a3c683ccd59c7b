"""New folders made from templates: there completely or not at all."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from mlebench.errors import ConfigError

SUFFIX = ".template"
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
"""What a new folder may be called: it becomes an id, and a part of paths and names."""


def fill_folder(folder: Path, templates: Iterable[Path], values: Mapping[str, str]) -> Path:
    """Create a folder with the files of templates, whose placeholders get these values.

    Args:
        folder: What is created; the folders above it are made if need be.
        templates: Folders of templates.
        values: What stands for ``$name`` in them.

    Raises:
        ConfigError: There is something of this name already.
    """
    if folder.exists():
        raise ConfigError(f"{folder} exists already.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as stage:
        made = Path(stage) / folder.name
        made.mkdir()
        for source in sorted(path for place in templates for path in place.glob(f"*{SUFFIX}")):
            text = Template(source.read_text(encoding="utf-8")).substitute(values)
            target = made / source.name.removesuffix(SUFFIX)
            target.write_text(text, encoding="utf-8")
            if target.suffix == ".sh":
                target.chmod(target.stat().st_mode | 0o111)
        return made.rename(folder)
