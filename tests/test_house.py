"""The plan of the house: dependencies point downwards, and only re-exports know ``compat``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.settings import PACKAGE_DIR

# Everybody may use what stands at the bottom; a room may use itself and the rooms named here.
BOTTOM = {"errors", "settings", "lazily", "versions", "writing"}
MAY_USE = {
    "errors": set(),
    "settings": set(),
    "lazily": set(),
    "versions": set(),
    "writing": set(),
    "metrics": set(),
    "submission": {"metrics"},
    "preparing": set(),
    "competitions": {"submission", "metrics", "preparing"},
    "registry": {"submission", "preparing"},
    "data": {"registry", "preparing"},
    "grading": {"registry", "data"},
    "authoring": {"registry", "data", "grading", "submission"},
    "doctor": {"registry", "data"},
    "cli": {"registry", "data", "grading", "authoring", "doctor"},
    "compat": {"registry", "data", "grading", "submission", "metrics", "preparing"},
}
# Old names that point into compat or to the real home, and nothing else.
RE_EXPORTS = {
    "__init__.py",
    "__main__.py",
    "competitions/utils.py",
    "data/__init__.py",
    "grade.py",
    "grade_helpers.py",
    "metrics/__init__.py",
    "utils.py",
}

FILES = {
    path.relative_to(PACKAGE_DIR).as_posix(): path
    for path in sorted(PACKAGE_DIR.rglob("*.py"))
    if "resources" not in path.parts
}


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms of the house that a file imports from, at its top or in a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module]
            if node.module == "mlebench":
                modules = [f"mlebench.{alias.name}" for alias in node.names]
        yield from (
            module.split(".")[1] for module in modules if module.split(".")[0] == "mlebench"
        )


def room_of(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


@pytest.mark.parametrize("name", [name for name in FILES if name not in RE_EXPORTS])
def test_dependencies_point_downwards(name: str) -> None:
    room = room_of(name)
    allowed = MAY_USE[room] | BOTTOM | {room}
    if room in BOTTOM:
        allowed = {room}
    if room == "competitions":
        allowed -= {"competitions"}  # a competition knows no other one
    unwanted = set(imported_rooms(FILES[name])) - allowed
    assert not unwanted, f"{name} must not import from {sorted(unwanted)}"


@pytest.mark.parametrize("name", sorted(RE_EXPORTS))
def test_re_exports_hold_no_logic(name: str) -> None:
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert set(functions) <= {"__getattr__", "__dir__"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_the_plan_has_no_circles() -> None:
    def below(room: str) -> set[str]:
        return MAY_USE[room].union(*(below(other) for other in MAY_USE[room]))

    assert all(room not in below(room) for room in MAY_USE)


def test_every_room_is_in_the_plan() -> None:
    assert {room_of(name) for name in FILES if name not in RE_EXPORTS} == set(MAY_USE)
