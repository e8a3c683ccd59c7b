"""The modules of a competition folder, wherever it lies and whatever it is called.

A folder is a small package of its own, so that its modules find each other relatively, at the
top or inside a function. Folders in the original's format name functions by the places of
its source tree, ``mlebench.competitions.my-comp.grade:grade``: that package is then given
the folder as its path. Where two folders claim the same such package, each gets its own
modules back whenever one of its functions is asked for.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from mlebench.errors import ConfigError, MlebenchError
from mlebench.registry.mistakes import describe_error, describe_mistake, place_in
from mlebench.settings import PACKAGE_DIR

OWN_PACKAGE = "mlebench.competitions"

_lock = threading.RLock()
_set_aside: dict[tuple[str, Path], dict[str, ModuleType]] = {}
"""Modules of a package that another folder is using at the moment."""


def import_function(import_string: str) -> Callable[..., Any]:
    """The function behind ``package.module:function``.

    Raises:
        ConfigError: There is no such function, or its module cannot be imported.
    """
    module_name, _, name = import_string.partition(":")
    if not module_name or not name:
        raise ConfigError(f"{import_string!r} is not of the form package.module:function.")
    try:
        function = getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:
        raise ConfigError(f"cannot import {import_string!r} ({describe_error(error)}).") from error
    if not callable(function):
        raise ConfigError(f"{import_string!r} is not a function.")
    return function  # type: ignore[no-any-return]


def load_module(folder: Path, stem: str) -> ModuleType:
    """The module in the file ``<stem>.py`` of a competition folder.

    Raises:
        ConfigError: There is no such file, or it cannot be imported.
    """
    path = folder / f"{stem}.py"
    if not path.is_file():
        raise ConfigError(f"{path} does not exist.")
    package = own_package(folder)
    with _lock:
        _claim(package, folder.resolve())
        try:
            return importlib.import_module(f"{package}.{stem}")
        except ConfigError as error:
            if place_in(folder, error) is None:
                raise
            raise ConfigError(f"{path}: {describe_mistake(folder, error)}") from error
        except MlebenchError:
            raise
        except (Exception, SystemExit) as error:
            raise ConfigError(
                f"{path} cannot be imported: {describe_mistake(folder, error)}."
            ) from error


def own_package(folder: Path) -> str:
    """The package that a competition folder is imported as: no two folders have the same.

    So an import inside a function finds the folder's own modules, whatever was loaded since.
    """
    place = folder.resolve()
    name = place.name.replace(".", "_")
    if place.parent == PACKAGE_DIR / "competitions":
        return f"{OWN_PACKAGE}.{name}"
    digest = hashlib.sha256(str(place).encode()).hexdigest()[:12]
    return f"{OWN_PACKAGE}.{name}-{digest}"


def import_from_folder(folder: Path, import_string: str) -> Callable[..., Any]:
    """Resolve ``package.module:function``, looking for the module in ``folder`` first.

    Raises:
        ConfigError: There is no such function, or its module cannot be imported.
    """
    module_name, _, function_name = import_string.partition(":")
    package, _, stem = module_name.rpartition(".")
    home = _home(folder.resolve(), package, stem)
    with _lock:
        if home is not None:
            package = package or own_package(folder)
            import_string = f"{package}.{stem}:{function_name}"
            _claim(package, home)
        try:
            return import_function(import_string)
        except ConfigError as error:
            lacks = home is None and _is_missing(module_name, error.__cause__)
            said = f"there is no {stem}.py ({import_string!r})." if lacks else str(error)
            raise ConfigError(f"{folder}: {said}") from error


def _is_missing(module: str, error: BaseException | None) -> bool:
    """Whether it is the module itself that was not found, rather than one that it imports."""
    return isinstance(error, ModuleNotFoundError) and _belongs(module, error.name or "")


def _home(folder: Path, package: str, stem: str) -> Path | None:
    """The folder that holds the module: this one, or the neighbour that the package names."""
    if f"{package}.".startswith("mlebench.") and not package.startswith(f"{OWN_PACKAGE}."):
        return None  # a module of ours, whatever lies in the folder
    neighbour = folder.parent / package.rpartition(".")[2]
    for candidate in (neighbour, folder) if package else (folder,):
        if (candidate / f"{stem}.py").is_file():
            return candidate
    return None


def _claim(package: str, folder: Path) -> None:
    """Make ``package`` mean this folder, keeping what it meant before for later."""
    known = sys.modules.get(package)
    paths = [Path(path) for path in getattr(known, "__path__", ())]
    if paths == [folder]:
        return
    if known is not None:
        mine = {name: module for name, module in sys.modules.items() if _belongs(name, package)}
        if paths:
            _set_aside[package, paths[0]] = mine
        for name in mine:
            del sys.modules[name]
    if waiting := _set_aside.pop((package, folder), None):
        sys.modules.update(waiting)
        return
    sys.path_importer_cache.pop(str(folder), None)  # files may have been added since
    parent = package.rpartition(".")[0]
    if parent:
        try:
            importlib.import_module(parent)
        except ImportError:
            _claim(parent, folder.parent)
    _make_package(package, folder)


def _belongs(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _make_package(name: str, folder: Path) -> None:
    """A package at this folder, with the content of its ``__init__.py`` if it has one."""
    init = folder / "__init__.py"
    spec: ModuleSpec | None
    if init.is_file():
        spec = importlib.util.spec_from_file_location(
            name, init, submodule_search_locations=[str(folder)]
        )
    else:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    if spec is None:
        raise ConfigError(f"{init} cannot be imported.")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    if spec.loader is not None and init.is_file():
        try:
            spec.loader.exec_module(package)
        except BaseException:
            del sys.modules[name]
            raise
