"""Public names of a package that are loaded when first used, so that importing it costs nothing."""

TYPE_CHECKING = False  # not from typing, whose import would cost more than all the rest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def names_from(
    package: str, homes: "Mapping[str, str]"
) -> "tuple[Callable[[str], object], Callable[[], list[str]]]":
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: The package's name.
        homes: For each public name the module it lives in.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(homes[name]), name)

    def names() -> list[str]:
        return sorted(homes)

    return get, names
