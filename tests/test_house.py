"""The plan of the house: dependencies point downwards, and only re-exports know ``compat``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.settings import PACKAGE_DIR

# Everybody may use what stands at the bottom; a room may use itself and the rooms named here.
BOTTOM = {
    "disks", "errors", "extras", "holes", "lazily", "printable", "quantities", "regular",
    "settings", "side_by_side", "stamps", "versions", "writing",
}  # fmt: skip
MAY_USE = {
    "disks": set(),
    "errors": set(),
    "extras": set(),
    "holes": set(),
    "regular": set(),
    "settings": {"errors"},
    "lazily": set(),
    "printable": set(),
    "quantities": {"errors"},
    "side_by_side": set(),
    "stamps": set(),
    "versions": set(),
    "writing": set(),
    "processes": set(),
    "metrics": set(),
    "submission": {"metrics"},
    "preparing": set(),
    "fixtures": set(),
    "competitions": {"submission", "metrics", "preparing", "fixtures"},
    "registry": {"submission", "preparing"},
    "data": {"registry", "preparing", "processes"},
    "grading": {"registry", "data", "processes", "submission"},
    "authoring": {
        "registry",
        "data",
        "grading",
        "submission",
        "metrics",
        "preparing",
        "fixtures",
        "processes",
        "agents",
    },
    "sandbox": {"processes"},
    "agents": {"registry", "data", "sandbox"},
    "services": {"registry", "data", "grading", "processes", "sandbox"},
    "runs": {"registry", "data", "grading", "processes", "sandbox", "agents", "services"},
    "doctor": {"registry", "data", "sandbox"},
    "cli": {
        "registry",
        "processes",
        "data",
        "grading",
        "authoring",
        "doctor",
        "sandbox",
        "agents",
        "services",
        "runs",
    },
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


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """The full name of the module that names are imported from."""
    if not node.level:
        return node.module or ""
    package = ["mlebench", *path.relative_to(PACKAGE_DIR).parent.parts]
    parts = package[: len(package) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms of the house that a file imports from, at its top or in a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, path)
            modules = [module]
            if module == "mlebench":
                modules = [f"mlebench.{alias.name}" for alias in node.names]
        for module in modules:
            package, _, inside = module.partition(".")
            if package == "mlebench" and inside:
                yield own_room(inside, path)


def own_room(inside: str, path: Path) -> str:
    """The room of an imported module; the modules of one competition are a room by themselves."""
    room, _, rest = inside.partition(".")
    own = path.relative_to(PACKAGE_DIR).parent.parts if path.is_relative_to(PACKAGE_DIR) else ()
    is_own_competition = len(own) > 1 and [*own] == inside.split(".")[: len(own)]
    return "itself" if room == "competitions" and rest and is_own_competition else room


def room_of(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


@pytest.mark.parametrize("name", [name for name in FILES if name not in RE_EXPORTS])
def test_dependencies_point_downwards(name: str) -> None:
    room = room_of(name)
    allowed = MAY_USE[room] | BOTTOM | {room}
    if room in BOTTOM:
        allowed = MAY_USE[room] | {room}
    if room == "competitions":
        allowed = allowed - {"competitions"} | {"itself"}  # a competition knows no other one
    unwanted = set(imported_rooms(FILES[name])) - allowed
    assert not unwanted, f"{name} must not import from {sorted(unwanted)}"


def test_relative_imports_are_looked_at() -> None:
    folder = PACKAGE_DIR / "competitions" / "some-competition"
    names = {"from ..utils import x": "competitions", "from .task import y": "itself"}
    for line, room in names.items():
        (node,) = ast.parse(line).body
        assert isinstance(node, ast.ImportFrom)
        module = absolute(node, folder / "fixture.py")
        assert own_room(module.removeprefix("mlebench."), folder / "fixture.py") == room


def test_the_package_of_another_name_knows_public_modules_only() -> None:
    modules = [*(PACKAGE_DIR.parent / "mle_bench").glob("*.py")]
    assert modules
    for path in modules:
        assert set(imported_rooms(path)) <= {"grade", "registry"}


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


@pytest.mark.parametrize("unwanted", ["typer.echo(", "from typer._", "import typer._"])
def test_the_command_line_prints_by_its_own_echo_and_knows_no_private_parts(unwanted: str) -> None:
    inside = [name for name in FILES if name.startswith("cli/")]
    assert inside
    assert [name for name in inside if unwanted in FILES[name].read_text(encoding="utf-8")] == []
