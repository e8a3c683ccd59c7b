"""Names of members: which of them stay in their folder, and where a link leads."""

from __future__ import annotations

import re

# Of folders inside each other; many a program that goes through them would give up at a thousand.
DEEPEST_NAME = 100
DRIVE = re.compile(r"[A-Za-z]:/")


def fault_of(name: str, longest_part: int, longest: int) -> str | None:
    """What is wrong with the name of a member, if anything is.

    Args:
        name: The name as it stands in the archive.
        longest_part: How many bytes the disk has for each part of it.
        longest: How many it has for all of them.
    """
    if not name:
        return "has no name"
    if "\0" in name:
        return "has a NUL in its name"
    if (encoded := _encoded(name)) is None:
        return "has a name that is not UTF-8"
    if "\\" in name:
        return "has backslashes in its name, which may lead outside its folder"
    if name.startswith("/") or DRIVE.match(name):
        return "has an absolute name, which leads outside its folder"
    parts = encoded.split(b"/")
    if b".." in parts:
        return "has .. in its name, which may lead outside its folder"
    if len(parts) > DEEPEST_NAME:
        return f"lies more than {DEEPEST_NAME} folders deep"
    if len(encoded) > longest or max(map(len, parts)) > longest_part:
        return "has a name that is too long for the disk"
    return None


def _encoded(name: str) -> bytes | None:
    try:
        return name.encode()
    except UnicodeEncodeError:
        return None


def normal(name: str) -> str:
    """A name without what does nothing: ``./a//b/`` is ``a/b``, and ``.`` is the empty name."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def destination(target: str, folder: str) -> str | None:
    """Where a link in this folder leads, as a normal name; None if that is outside.

    Args:
        target: What stands in the link.
        folder: The normal name of the folder that it is relative to.
    """
    if not target or "\0" in target or "\\" in target or target.startswith("/"):
        return None
    if _encoded(target) is None or DRIVE.match(target):
        return None
    parts = folder.split("/") if folder else []
    for part in normal(target).split("/"):
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            return None
    return "/".join(parts)


def parent(name: str) -> str:
    """The folder of a normal name; that of all members is the empty name."""
    return name.rpartition("/")[0]
