"""What the shell offers while somebody types."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig

import pytest

from mlebench.cli.completing import VARIABLE
from tests.agents.folders import own_agent
from tests.command import run

BASH = """
eval "$(mlebench completion bash)"
COMP_WORDS=(mlebench gr) COMP_CWORD=1
"$(complete -p mlebench | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" mlebench
printf '%s\\n' "${COMPREPLY[@]}"
"""


def test_bash_completes_a_command() -> None:
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", BASH],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PATH": path},
    )
    assert result.stderr == ""
    assert sorted(result.stdout.split()) == ["grade", "grade-sample"]


@pytest.fixture
def offered(monkeypatch, capfd):
    """What a shell is told about a line that somebody has typed so far."""

    def ask(typed: str, shell: str = "bash") -> set[str]:
        words = typed.split(" ")
        monkeypatch.setenv(VARIABLE, f"complete_{shell}")
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        result = run("mlebench", monkeypatch, capfd)
        assert (result.code, result.stderr) == (0, "")
        return set(re.findall(r"[\w-]+", result.stdout))

    return ask


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_the_same(shell: str, offered, monkeypatch, capfd) -> None:
    script = run(f"mlebench completion {shell}", monkeypatch, capfd).stdout
    assert f"{VARIABLE}=complete_{shell}" in script
    assert {"grade", "grade-sample"} <= offered("mlebench gr", shell)
    assert "validate" not in offered("mlebench gr", shell)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("mlebench grade", {"grade", "grade-sample"}),
        ("mlebench competitions spa", {"spaceship-titanic"}),
        ("mlebench competitions --split me", {"medium"}),
        ("mlebench prepare -c spoo", {"spooky-author-identification"}),
        ("mlebench prepare spaceship-titanic spoo", {"spooky-author-identification"}),
        ("mlebench validate submission.csv spa", {"spaceship-titanic"}),
        ("mlebench grade-sample submission.csv spa", {"spaceship-titanic"}),
        ("mlebench selfcheck --edition ", {"v1", "v2"}),
        ("mlebench explain row_", {"row_count", "row_order", "row_sum"}),
        ("mlebench dev download-leaderboard -c spa", {"spaceship-titanic"}),
        ("mlebench new-competition spa", set()),
        ("mlebench grade-sample sub", set()),
    ],
)
def test_arguments_are_completed(typed: str, expected: set[str], offered) -> None:
    assert offered(typed) == expected


def test_own_competitions_are_offered(offered, monkeypatch, capfd, tmp_path) -> None:
    own = tmp_path / "own"
    assert run(f"mlebench new-competition spare --dir {own}", monkeypatch, capfd).code == 0
    assert offered(f"mlebench selfcheck --competitions-dir {own} spa") == {
        "spaceship-titanic",
        "spare",
    }


@pytest.mark.parametrize("option", ["", "--competitions-dir /nowhere "])
def test_a_folder_that_is_none_offers_nothing_and_says_nothing(
    option: str, offered, monkeypatch
) -> None:
    if not option:
        monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", "/nowhere")
    assert offered(f"mlebench selfcheck {option}spa") == set()


def test_agents_are_offered(offered, tmp_path, monkeypatch) -> None:
    own_agent(tmp_path / "agents", "mine")
    assert "dummy" in offered("mlebench agents show du")
    monkeypatch.chdir(tmp_path)
    assert "mine" in offered("mlebench agents show --agents-dir agents mi")
    assert "mine" not in offered("mlebench agents show --agents-dir nowhere mi")
