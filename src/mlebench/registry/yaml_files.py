"""Reading the text and YAML files of competition folders, which anybody may have written.

Kept cheap, because listing all competitions reads all of their facts.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from mlebench.errors import ConfigError
from mlebench.registry.parsed import parsed_before

DEEPEST_YAML = 1000
LONGEST_TEXT = 10_000_000
MERGE_KEY = re.compile(r"(?:^[\s\-?]*|[{,]\s*)[\"']?<<[\"']?\s*:", re.MULTILINE)


def load_yaml(path: Path, *, strict: bool = False, merges: bool = False) -> Any:
    """What a YAML file says; parsed with the compiled loader where the platform has it.

    Args:
        path: The file.
        strict: Refuse a field that is given twice; by default the last one counts.
        merges: Take fields over from elsewhere with ``<<``; by default that is refused.
    """
    text = read_text(path)
    if (known := parsed_before(text)) is not None:
        return known
    import yaml

    if _may_be_deep(text):
        raise ConfigError(f"{path} is nested too deeply.")
    if not merges and MERGE_KEY.search(text):  # by which a few lines can become billions
        raise ConfigError(f"{path} uses merge keys (<<); write the fields out.")
    try:
        return yaml.load(text, Loader=_loader(strict, merges))  # noqa: S506 (a safe one)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid YAML: {_reason(error, text)}") from error


@cache
def _loader(strict: bool, merges: bool) -> Any:
    import yaml

    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    own: dict[str, Any] = {"construct_mapping": _distinct} if strict else {}
    if merges:
        own["flatten_mapping"] = _flatten
    return type("OwnLoader", (safe,), own) if own else safe


def _flatten(loader: Any, node: Any) -> None:
    """Take over what a mapping merges in, each field once, so that nothing can grow."""
    from yaml.constructor import SafeConstructor

    SafeConstructor.flatten_mapping(loader, node)
    last = {
        key.value if isinstance(key.value, str) else id(key): (key, value)
        for key, value in node.value
    }
    node.value = [*last.values()]


def _distinct(loader: Any, node: Any, deep: bool = False) -> Any:
    """A mapping, once no key of it is there twice."""
    from yaml.constructor import ConstructorError, SafeConstructor

    seen: set[str] = set()
    for key, _ in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            continue  # several others may be taken over
        if str(key.value) in seen:
            problem = f"the field {key.value!r} is given twice"
            raise ConstructorError(None, None, problem, key.start_mark)
        seen.add(str(key.value))
    return SafeConstructor.construct_mapping(loader, node, deep)


def _reason(error: Exception, text: str) -> str:
    """What is wrong in a line, and what usually helps."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or not problem:
        return str(error)
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    hint = ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        hint = "; indent with blanks, not with tabs"
    elif "mapping values" in problem:
        hint = "; put quotes around a text that holds a colon"
    return f"line {mark.line + 1}: {problem}{hint}."


def _may_be_deep(text: str) -> bool:
    """Whether a YAML text might be nested so deeply that the compiled loader would crash."""
    if text.count("[") + text.count("{") > DEEPEST_YAML:
        steps = ({"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0) for sign in text)
        if max(accumulate(steps)) > DEEPEST_YAML:
            return True
    nested = ("- - ", "- ? ", "? - ", "? ? ", " " * DEEPEST_YAML)
    return any(mark in text for mark in nested) and bool(
        re.search(rf"[ \-?:]{{{DEEPEST_YAML}}}", text)
    )


def read_text(path: Path) -> str:
    """The text of a file that belongs to a competition.

    Raises:
        ConfigError: It is not UTF-8, or much longer than anybody writes.
    """
    with path.open("rb") as file:
        content = file.read(LONGEST_TEXT + 1)
    if len(content) > LONGEST_TEXT:
        raise ConfigError(f"{path} is too long: more than {LONGEST_TEXT:,} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
