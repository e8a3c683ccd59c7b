"""A service for each test file that needs one, over made-up data."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mlebench.registry import Registry
from mlebench.services.validation import Door, ServiceLimits, ValidationCall, ValidationService
from tests.conftest import Prepared
from tests.grading.original import add_original

# Answers that are a table, records, or derived from others; several keys.
BUILT_IN = (
    "spaceship-titanic",
    "random-acts-of-pizza",
    "chaii-hindi-and-tamil-question-answering",
    "nfl-player-contact-detection",
)
# Graders of users, by what they do.
GRADERS = {
    "mine": "return float((submission['label'] == answers['label']).mean())",
    "dies": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "leaves": "import os; os._exit(0)",
    "hangs": "import time; time.sleep(1000)",
    "devours": "bytearray(10**13)",
    "betrays": "raise ValueError(str(list(answers['label'])) + 'secret-label')",
    "names-places": "raise AssertionError('wrong in ' + __file__)",
}
ENDLESS = ServiceLimits(calls_per_minute=1e9, connections=200)


@pytest.fixture(scope="session")
def registry(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """Built-in competitions and a user's ones, with data."""
    folder = tmp_path_factory.mktemp("services")
    data, own = folder / "data", folder / "own"
    data.mkdir()
    for competition_id in BUILT_IN:
        (data / competition_id).symlink_to(prepared(competition_id).data_dir)
    for name, body in GRADERS.items():
        add_original(own, data, name, f"def grade(submission, answers):\n    {body}\n")
    return Registry(data, [own])


@dataclass
class Host:
    """A service, and the calls that it told of."""

    service: ValidationService
    registry: Registry
    calls: list[ValidationCall] = field(default_factory=list)

    @contextmanager
    def door(self, competition_id: str = "spaceship-titanic") -> Iterator[Door]:
        """A door that is closed at the end; the record begins anew with it."""
        self.calls.clear()
        door = self.service.open_door(competition_id, self.calls.append)
        try:
            yield door
        finally:
            door.close()

    def sample(self, competition_id: str = "spaceship-titanic") -> bytes:
        """A valid submission."""
        return self.registry.get_competition(competition_id).sample_submission.read_bytes()


def uploads_left(door: Door) -> list[Path]:
    """The uploads that lie in the folder of a service, after a moment of patience."""
    folder = door.path.parent.parent / "u"
    return wait_until(lambda: [*folder.iterdir()], lambda left: not left)


def wait_until(look: Callable[[], Any], is_good: Callable[[Any], bool], seconds: float = 60) -> Any:
    """What is seen at last."""
    deadline = time.monotonic() + seconds
    while not is_good(seen := look()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return seen


@contextmanager
def hosting(registry: Registry, limits: ServiceLimits = ENDLESS) -> Iterator[Host]:
    """A service of which nothing is left."""
    with ValidationService(registry, limits=limits) as service:
        with Host(service, registry).door() as door:
            folder = door.path.parent.parent
        yield Host(service, registry)
    assert not folder.exists()
    assert folder.parent in (Path(tempfile.gettempdir()), Path("/tmp"))


@pytest.fixture(scope="module")
def host(registry: Registry) -> Iterator[Host]:
    with hosting(registry) as made:
        yield made
