"""What this machine does not have is told before anything starts, and never recorded."""

from __future__ import annotations

import pytest

from mlebench.errors import ConfigError
from mlebench.processes.limits import machine_memory
from mlebench.runs import campaign
from mlebench.runs.checking import tell_of_crowding
from mlebench.runs.conditions import processors_here
from mlebench.sandbox import images
from mlebench.sandbox.process import ProcessSandbox
from tests.runs.conftest import Runs

DOES_NOTHING = "pass"


def test_no_more_memory_is_recorded_than_there_is(runs: Runs) -> None:
    runs.agent("a", DOES_NOTHING)
    asked = 10**14
    hardware = runs.campaign("a", limits={"memory": asked}).conditions.hardware
    assert hardware.memory_bytes == machine_memory() < asked
    elsewhere = runs.campaign("a", limits={"memory": asked}, is_elsewhere=True)
    assert elsewhere.conditions.hardware.memory_bytes == asked


def test_all_cards_are_recorded_as_many_as_there_are(runs: Runs) -> None:
    runs.agent("a", DOES_NOTHING)
    assert runs.campaign("a", limits={"gpus": -1}, gpus=(3, 5)).conditions.hardware.gpus == 2


def test_more_processors_than_there_are_are_refused_here_only(runs: Runs) -> None:
    runs.agent("a", DOES_NOTHING)
    wanted = {"cpus": processors_here() + 0.5}
    with pytest.raises(ConfigError, match="Ask for fewer with --cpus"):
        runs.campaign("a", limits=wanted)
    assert runs.campaign("a", limits=wanted, is_elsewhere=True)
    assert runs.campaign("a", limits={"cpus": processors_here()})


def test_more_runs_at_a_time_than_processors_are_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tell_of_crowding(processors_here())
    assert caplog.messages == []
    tell_of_crowding(processors_here() + 1)
    (told,) = caplog.messages
    assert "each has less than one" in told


class Containers(ProcessSandbox):
    """Stands for an engine that answers."""

    kind = "container"


@pytest.mark.parametrize(
    ("facts", "has_dockerfile", "told"),
    [
        ("", False, r"no container image mine for agent mine\. .*no Dockerfile.*`image: \.\.\.`"),
        ("image: other\n", False, r"no container image other .*pull or build the image"),
        ("", True, r"no container image mine .*mlebench agents build mine --image --agents-dir"),
    ],
)
def test_containers_without_an_image_are_refused(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, facts: str, has_dockerfile: bool, told: str
) -> None:
    runs.agent("mine", DOES_NOTHING, facts)
    if has_dockerfile:
        (runs.agents / "mine" / "Dockerfile").write_text("FROM mlebench-env\n")
    monkeypatch.setattr(campaign, "make_sandbox", lambda kind: Containers())
    monkeypatch.setattr(images, "has_image", lambda tag: False)
    with pytest.raises(ConfigError, match=told):
        runs.campaign("mine", sandbox="container")
    assert runs.campaign("mine", sandbox="container", is_elsewhere=True)
    monkeypatch.setattr(images, "has_image", lambda tag: True)
    assert runs.campaign("mine", sandbox="container")
