"""Which kind of room a user gets."""

from __future__ import annotations

from importlib import import_module

from mlebench.errors import ConfigError
from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox
from mlebench.sandbox.room import Sandbox

KINDS = ("bwrap", "container", "process")


def make_sandbox(kind: str | None = None) -> Sandbox:
    """The kind of rooms with this name, or the one with walls that this machine can have.

    Rooms without walls are for those who ask for them by name.

    Raises:
        ConfigError: There is no such kind, or this machine cannot have it.
    """
    sandbox = _sandbox(kind or BwrapSandbox.kind)
    if reason := sandbox.why_unusable():
        advice = "" if kind else (
            " Other kinds have to be named: container, which needs Docker or Podman; process, "
            "which has no walls at all."
        )  # fmt: skip
        raise ConfigError(f"No rooms of the kind {sandbox.kind} for agents here. {reason}{advice}")
    return sandbox


def _sandbox(kind: str) -> Sandbox:
    if kind == "bwrap":
        return BwrapSandbox()
    if kind == "process":
        return ProcessSandbox()
    if kind == "container":
        # Its library is an extra that not everybody has.
        sandbox: Sandbox = import_module("mlebench.sandbox.container").ContainerSandbox()
        return sandbox
    raise ConfigError(f"There are no rooms of the kind {kind!r}; choose from {', '.join(KINDS)}.")
