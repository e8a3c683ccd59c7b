"""Which kind of room a user gets."""

from __future__ import annotations

from importlib import import_module

from mlebench.errors import ConfigError, SandboxError
from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox
from mlebench.sandbox.room import Sandbox

KINDS = ("bwrap", "container", "process")


def make_sandbox(kind: str | None = None, *, retain: bool = False) -> Sandbox:
    """The kind of rooms with this name, or the one with walls that this machine can have.

    Rooms without walls are for those who ask for them by name.

    Args:
        kind: The kind.
        retain: Whether containers are only stopped after their end, for a look inside.

    Raises:
        ConfigError: There is no such kind.
        SandboxError: This machine lacks what it takes.
    """
    sandbox = _sandbox(kind or BwrapSandbox.kind, retain)
    if reason := sandbox.why_unusable():
        advice = "" if kind else (
            " Other kinds have to be named: container, which needs Docker or Podman; process, "
            "which has no walls at all."
        )  # fmt: skip
        raise SandboxError(f"No rooms of the kind {sandbox.kind} for agents here. {reason}{advice}")
    return sandbox


def _sandbox(kind: str, retain: bool) -> Sandbox:
    if kind == "bwrap":
        return BwrapSandbox()
    if kind == "process":
        return ProcessSandbox()
    if kind == "container":
        # Its library is an extra that not everybody has.
        module = import_module("mlebench.sandbox.container")
        sandbox: Sandbox = module.ContainerSandbox(retain=retain)
        return sandbox
    raise ConfigError(f"There are no rooms of the kind {kind!r}; choose from {', '.join(KINDS)}.")
