"""The runner: an outcome for each job, nothing left, every wait bounded."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from mlebench.errors import CannotStartError
from mlebench.processes import Job, Limits, Loss, Runner
from mlebench.processes import runner as runner_module
from mlebench.processes.apart import LONGEST_ANSWER
from mlebench.processes.isolation import import_path, remove_folder
from mlebench.processes.keeper import MOST_LANES
from mlebench.processes.pipes import LineReader, write_line
from mlebench.processes.printed import MOST_LINES
from tests.leftovers import Watch, watched

EXECUTES = "tests.processes.handlers:Executes"


@pytest.fixture(autouse=True)
def checkout_is_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keepers do not look into the working directory, so the checkout must be named."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    monkeypatch.chdir(Path(__file__).parent)


@pytest.fixture(autouse=True)
def watch() -> Iterator[Watch]:
    """After each test, nothing is left."""
    with watched() as watch:
        yield watch
        assert watch.left() == []


def outcomes(jobs: list[Job], size: int = 1, **limits: Any) -> list[Any]:
    """What became of jobs, in their order."""
    with Runner(EXECUTES, {}, size=size, limits=Limits(**limits)) as runner:
        found = {id(job): outcome for job, outcome in runner.run(jobs)}
    return [found[id(job)] for job in jobs]


def code(text: str, lane: str | None = None, **task: Any) -> Job:
    return Job({"code": text, **task}, lane)


def test_jobs_have_processes_of_their_own_unless_they_share_a_lane() -> None:
    jobs = [code("", lane) for lane in (None, None, "a", "a", "b")]
    own, other, first, second, third = outcomes(jobs)
    assert len({outcome["pid"] for outcome in (own, other, first, third)}) == 4
    assert first["pid"] == second["pid"]
    assert [outcome["jobs"] for outcome in (own, other, first, second, third)] == [1, 1, 1, 2, 1]


def test_what_runs_apart_changes_nothing() -> None:
    change = code("self.jobs = 100; os.chdir('/'); value = os.getpid()", "a", apart=True)
    look = code("value = (self.jobs, os.getcwd())", "a")
    changed, seen = outcomes([change, look])
    assert seen["value"][0] == 2
    assert seen["value"][1] != "/"
    assert changed["value"] != seen["pid"]


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("lane", [None, "a"])
def test_a_lost_process_costs_its_own_job_only(lane: str | None, apart: bool) -> None:
    jobs = [code(text, lane, apart=apart) for text in ("value = 1", "os._exit(3)", "value = 2")]
    first, lost, second = outcomes(jobs)
    assert (first["value"], second["value"]) == (1, 2)
    assert lost == Loss("crashed", "Its process ended with exit code 3 before there was an answer.")


def test_a_job_cannot_invent_a_reason() -> None:
    invented = "from mlebench.errors import ProcessLostError; raise ProcessLostError('gone', 'hi')"
    (lost,) = outcomes([code(invented)])
    assert lost == Loss("crashed", "gone")


def test_prints_wait_even_if_a_job_has_changed_that() -> None:
    change = "os.set_blocking(1, False); os.set_blocking(2, False)"
    much = "print('y' * 300_000); value = os.get_blocking(2)"
    jobs = [code(change), code(much), code(change, "a", apart=True), code(much, "a")]
    changed, printed, apart, printed_in_lane = outcomes([*jobs])
    assert (printed["value"], printed_in_lane["value"]) == (True, True)
    assert isinstance(changed, dict)
    assert isinstance(apart, dict)


def test_a_runner_can_run_twice() -> None:
    with Runner(EXECUTES, {}, size=2, limits=Limits()) as runner:
        for number in (1, 2):
            ((_, answer),) = runner.run([code(f"value = {number}")])
            assert isinstance(answer, dict)
            assert answer["value"] == number


def test_jobs_may_come_one_by_one() -> None:
    with Runner(EXECUTES, {}, size=2, limits=Limits()) as runner:
        futures = [runner.submit(code(f"value = {number}", "a")) for number in range(6)]
        assert [future.result(60)["value"] for future in futures] == [*range(6)]
        lost = runner.submit(code("os._exit(3)", "a")).result(60)
        again = runner.submit(code("value = 7", "a")).result(60)
    assert isinstance(lost, Loss)
    assert again["value"] == 7


def test_a_job_that_was_called_off_is_not_done(tmp_path: Path) -> None:
    go, done = tmp_path / "go", tmp_path / "done"
    with Runner(EXECUTES, {}, size=1, limits=Limits()) as runner:
        waits = f"while not os.path.exists({str(go)!r}): time.sleep(0.01)"
        first = runner.submit(code(waits))
        second = runner.submit(code(f"open({str(done)!r}, 'w')"))
        assert second.cancel()
        go.touch()
        assert isinstance(first.result(60), dict)
        assert isinstance(runner.submit(code("")).result(60), dict)
    assert not done.exists()


def test_whoever_waits_is_told_when_the_runner_is_left() -> None:
    with Runner(EXECUTES, {}, size=1, limits=Limits()) as runner:
        futures = [runner.submit(code("time.sleep(1000)")) for _ in range(3)]
    lost, *never_begun = futures
    assert isinstance(lost.exception(0), CannotStartError)
    assert all(isinstance(future.exception(0), CannotStartError) for future in never_begun)
    with pytest.raises(CannotStartError):
        runner.submit(code(""))


def test_when_no_process_can_be_started_the_next_job_is_tried_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runner_module, "PAUSE_SECONDS", 0.01)
    make = runner_module._KeeperProcess

    def fail(*arguments: Any) -> Any:
        raise OSError("no more")

    with Runner(EXECUTES, {}, size=2, limits=Limits()) as runner:
        monkeypatch.setattr(runner_module, "_KeeperProcess", fail)
        futures = [runner.submit(code("value = 1")) for _ in range(5)]
        assert all(isinstance(future.exception(60), CannotStartError) for future in futures)
        monkeypatch.setattr(runner_module, "_KeeperProcess", make)
        outcome = runner.submit(code("value = 2")).result(60)
    assert isinstance(outcome, dict)
    assert outcome["value"] == 2


def test_the_lane_unused_longest_ends_where_there_are_many() -> None:
    lanes = [str(number) for number in range(MOST_LANES)]
    jobs = [code("", lane) for lane in (*lanes, "0", "one more", "0", "1")]
    found = [answer["jobs"] for answer in outcomes(jobs)]
    assert found == [1] * MOST_LANES + [2, 1, 3, 1]


def test_what_another_slot_could_not_start_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "PAUSE_SECONDS", 0.1)
    make = runner_module._KeeperProcess
    made = []

    def make_only_one(*arguments: Any) -> Any:
        if made:
            raise OSError("no more")
        made.append(make(*arguments))
        return made[0]

    monkeypatch.setattr(runner_module, "_KeeperProcess", make_only_one)
    answers = outcomes([code(f"value = {number}") for number in range(4)], size=2)
    assert [answer["value"] for answer in answers] == [0, 1, 2, 3]


def test_a_lost_job_is_tried_once_more(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    flaky = f"from pathlib import Path\nmark = Path({str(mark)!r})\n"
    flaky += "if not mark.exists():\n    mark.touch()\n    os._exit(1)\nvalue = 'at last'\n"
    (outcome,) = outcomes([code(flaky)])
    assert outcome["value"] == "at last"


def test_after_a_crash_a_copy_goes_on_that_knows_nothing_of_it() -> None:
    """And nothing is imported again: whoever made the first copy makes the next."""
    look = "import psutil; value = [parent.pid for parent in psutil.Process().parents()[:2]]"
    before, lost, after = outcomes([code(look), code("os._exit(3)"), code(look)])
    assert lost.reason == "crashed"
    assert before["value"][0] != after["value"][0]
    assert before["value"][1] == after["value"][1]


def test_lines_that_a_job_slipped_in_are_not_taken_for_a_keeper() -> None:
    forged = code("""
for name in os.listdir(f"/proc/{os.getppid()}/fd"):
    try:
        pipe = os.open(f"/proc/{os.getppid()}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK)
        os.write(pipe, b"R\\nA{}\\n.\\n" * 1000)
    except OSError:
        pass
os._exit(3)
""")
    jobs = [code("value = 1"), forged, *[code(f"value = {number}") for number in range(2, 6)]]
    first, lost, *others = outcomes(jobs)
    assert first["value"] == 1
    assert lost.reason == "crashed"
    assert [other["value"] for other in others] == [2, 3, 4, 5]


@pytest.mark.parametrize("apart", [False, True])
def test_time_is_limited(apart: bool) -> None:
    slow, quick = outcomes(
        [code("time.sleep(600)", "a", apart=apart), code("value = 1", "a")], seconds=3
    )
    assert slow == Loss("timeout", "It took longer than 3 seconds.")
    assert quick["value"] == 1


@pytest.mark.parametrize("seconds", [float("inf"), 1e18])
def test_time_can_be_without_limit(seconds: float) -> None:
    assert outcomes([code("value = 1")], seconds=seconds)[0]["value"] == 1


def test_memory_is_limited() -> None:
    tried = "try:\n    bytearray(25 * 10**8)\nexcept MemoryError:\n    value = 'refused'\n"
    assert outcomes([code(tried)], memory=2 * 10**9)[0]["value"] == "refused"


def test_file_size_is_limited() -> None:
    tried = "try:\n    with open('x', 'wb') as file:\n        file.write(bytes(20000))\n"
    tried += "except OSError:\n    value = 'refused'\n"
    assert outcomes([code(tried)], file_size=1000)[0]["value"] == "refused"


def test_processes_are_limited() -> None:
    many = "for _ in range(30):\n    if os.fork() == 0:\n        time.sleep(600)\ntime.sleep(600)"
    (outcome,) = outcomes([code(many)], processes=20, seconds=60)
    assert outcome.reason == "too_many_processes"


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_a_keeper_that_is_killed_or_stopped_is_replaced(
    blow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "LONGEST_SILENCE_SECONDS", 3.0)
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 1.0)
    jobs = [code(f"os.kill(os.getppid(), {blow:d}); time.sleep(600)"), code("value = 1")]
    lost, after = outcomes(jobs)
    assert lost.reason == "crashed"
    assert ("SIGKILL" in lost.message) == (blow == signal.SIGKILL)
    assert after["value"] == 1


def test_signs_of_life_do_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "LONGEST_SILENCE_SECONDS", 2.0)
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 1.0)
    hold = code("""
import glob, signal
pipes = []
for name in os.listdir(f"/proc/{os.getppid()}/fd"):
    try:
        pipes.append(os.open(f"/proc/{os.getppid()}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        pass
os.kill(os.getppid(), signal.SIGSTOP)
while True:
    for pipe in pipes:
        try:
            os.write(pipe, b".\\n")
        except OSError:
            pass
    time.sleep(0.2)
""")
    lost, after = outcomes([hold, code("value = 1")], seconds=1)
    assert lost.reason == "crashed"
    assert after["value"] == 1


def test_an_answer_without_end_is_not_waited_for() -> None:
    (outcome,) = outcomes([code(f"value = 'x' * {LONGEST_ANSWER + 1}")], seconds=300)
    assert outcome == Loss("crashed", "Its answer has no end.")


def test_a_job_that_cannot_be_handed_over_costs_itself_only() -> None:
    unsendable, after = outcomes([Job({"code": object()}), code("value = 1")])
    assert unsendable.reason == "crashed"
    assert after["value"] == 1


@pytest.mark.parametrize("apart", [False, True])
def test_a_child_that_holds_the_pipe_open_is_not_waited_for(apart: bool) -> None:
    dies_first = "if os.fork() == 0:\n    time.sleep(600)\nos._exit(7)"
    (outcome,) = outcomes([code(dies_first, "a", apart=apart)])
    assert "exit code 7" in outcome.message


def test_an_answer_for_another_job_is_no_answer() -> None:
    forge = "for h in range(3, 20):\n    try:\n        os.write(h, b'A0123456789abcdef{}\\n')\n"
    forge += "    except OSError:\n        pass\n"
    forged, after = outcomes([code(forge, "a"), code("value = 1", "a")])
    assert forged.reason == "crashed"
    assert after["value"] == 1


def test_a_handler_that_cannot_be_made_ends_the_run() -> None:
    runner = Runner("tests.processes.handlers:CannotStart", {}, size=2, limits=Limits())
    with runner, pytest.raises(CannotStartError, match="exit code 1"):
        list(runner.run([code("")] * 5))


def test_a_python_that_cannot_be_started_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    runner = Runner(EXECUTES, {}, size=2, limits=Limits())
    with runner, pytest.raises(CannotStartError, match="No such file"):
        list(runner.run([code("")] * 5))


def test_leaving_early_ends_what_is_running() -> None:
    started = time.monotonic()
    with Runner(EXECUTES, {}, size=2, limits=Limits()) as runner:
        for _ in runner.run([code("value = 1"), *[code("time.sleep(600)")] * 3]):
            break
    # Before, a slot was waited for that nobody had told to go.
    assert time.monotonic() - started < 2 * runner_module.CLOSE_SECONDS


KILLED = f"""
import sys
from mlebench.processes import Job, Limits, Runner

sleeps = Job({{"code": "os.fork(); os.fork() or os.setsid(); " + sys.argv[1]}})
with Runner({EXECUTES!r}, {{}}, size=2, limits=Limits()) as runner:
    for _ in runner.run([Job({{"code": ""}}), sleeps, sleeps]):
        print("running", flush=True)
"""


FLOODS = "exec('while True:\\n try: os.write(2, bytes(10**5))\\n except OSError: time.sleep(1)')"


@pytest.mark.parametrize(
    ("blow", "ending"),
    [
        (signal.SIGKILL, "time.sleep(600)"),
        (signal.SIGKILL, FLOODS),
        (signal.SIGTERM, "time.sleep(600)"),
        (signal.SIGINT, FLOODS),
    ],
    ids=["killed", "killed-in-a-flood", "ended", "interrupted-in-a-flood"],
)
def test_whoever_kills_the_runner_ends_all(blow: signal.Signals, ending: str, watch: Watch) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, ending],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(import_path())},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    while len(watch.left()) < 8:  # the runner, its keepers, and the sleepers of both
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(blow)
    process.communicate(timeout=60)
    assert watch.left_after(seconds=60) == []


def test_files_of_the_working_directory_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert outcomes([code("import numpy; value = numpy.__file__")])[0]["value"] != str(
        tmp_path / "numpy.py"
    )


def test_keys_and_python_settings_stay_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KAGGLE_KEY", "OPENAI_API_KEY", "PYTHONSTARTUP", "LD_PRELOAD", "MLEBENCH_OWN"):
        monkeypatch.setenv(name, "")
    (outcome,) = outcomes([code("value = sorted(os.environ)")])
    passed_on = outcome["value"]
    assert "MLEBENCH_OWN" in passed_on
    assert not {"KAGGLE_KEY", "OPENAI_API_KEY", "PYTHONSTARTUP", "LD_PRELOAD"} & set(passed_on)


def test_a_job_works_in_an_empty_folder_that_is_removed() -> None:
    leave = "value = (os.getcwd(), os.listdir()); os.mkdir('x'); open('x/y', 'w').close()"
    leave += "; os.chmod('x', 0)"
    first, second = outcomes([code(leave), code(leave)])
    assert first["value"][0] != second["value"][0]
    assert first["value"][1] == second["value"][1] == []
    assert not Path(first["value"][0]).exists()
    assert not Path(first["value"][0]).parent.exists()


def test_removing_a_folder_touches_nothing_around_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    folder, kept = tmp_path / "folder", tmp_path / "kept"
    (folder / "locked").mkdir(parents=True)
    (folder / "locked" / "file").touch()
    (folder / "link").symlink_to(kept)
    (folder / "locked").chmod(0)
    kept.mkdir(mode=0o500)
    for _ in range(2):  # the second time it is not there any more
        remove_folder(folder)
    assert not folder.exists()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert stat.S_IMODE(kept.stat().st_mode) == 0o500


def test_handles_beyond_a_thousand() -> None:
    reading, writing = os.pipe()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2000:
        pytest.skip("this system does not allow so many open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    try:
        high = fcntl.fcntl(reading, fcntl.F_DUPFD, 1500)
        write_line(writing, b"hello")
        assert LineReader(high).read(seconds=10) == b"hello"
    finally:
        for handle in (reading, writing, high):
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def printed(jobs: list[Job], size: int = 1, **limits: Any) -> list[str]:
    """The lines that jobs print."""
    lines: list[str] = []
    with Runner(
        EXECUTES,
        {},
        size=size,
        limits=Limits(**limits),
        log_format="%(message)s",
        sink=lines.append,
    ) as runner:
        list(runner.run(jobs))
    return lines


def labelled(text: str, label: str, lane: str | None = None, **task: Any) -> Job:
    return Job({"code": text, **task}, lane, label)


@pytest.mark.parametrize("lane", [None, "a"])
def test_lines_say_which_job_they_are_from(lane: str | None) -> None:
    say = "import logging, sys; logging.getLogger().error('logged'); print('printed'); "
    say += "sys.stderr.write('half'); sys.stderr.flush(); os.system('echo from a child')"
    lines = printed([labelled(say, f"job {number}", lane, apart=True) for number in range(3)])
    for number in range(3):
        assert f"job {number}: logged" in lines
        assert f"job {number}: halffrom a child" in lines
    assert all(line.startswith("job ") for line in lines)


def test_what_is_printed_cannot_harm_the_terminal() -> None:
    (line,) = printed([labelled(r"os.write(2, b'\x1b[2J\xff\x00\x9b\r\r\n')", "a job")])
    assert line == r"a job: \x1b[2J\xff\x00\x9b"


def test_lines_without_number_or_end_are_cut() -> None:
    many = "for _ in range(3000): os.write(1, b'x' * 1000 + b'\\n' * 1000)\n"
    endless = "for _ in range(3000): os.write(1, b'y' * 10000)\n"
    lines = printed([labelled(many, "many"), labelled(endless, "endless")])
    assert len(lines) == 202
    assert max(map(len, lines)) < 2100
    assert "many: 2,999,800 more lines were printed." in lines
    assert lines[-1].startswith("endless: yyy")


def test_printing_without_end_ends_with_the_time_limit() -> None:
    """How much is printed until then is the machine's business, and that of `MOST_LINES`."""
    lines: list[str] = []
    jobs = [labelled("while True: print('on and on')", "a"), labelled("value = 1", "b")]
    limits = Limits(seconds=1)
    with Runner(EXECUTES, {}, size=1, limits=limits, sink=lines.append) as runner:
        found = {job.label: outcome for job, outcome in runner.run(jobs)}
    assert found["a"].reason == "timeout"
    assert "b" in found
    assert all("a: on and on".startswith(line) for line in lines[:MOST_LINES])
    assert all(line.endswith("more lines were printed.") for line in lines[MOST_LINES:])
    assert len(lines) <= MOST_LINES + 1


def test_whoever_holds_the_pipe_open_is_not_waited_for() -> None:
    leaves = "import subprocess; subprocess.Popen(['sh', '-c', 'echo left; touch said; sleep 600'],"
    leaves += " start_new_session=True)\nwhile not os.path.exists('said'): time.sleep(0.01)"
    started = time.monotonic()
    assert printed([labelled(leaves, "a", "lane")]) == ["a: left"]
    assert time.monotonic() - started < 300


def test_a_sink_that_fails_costs_no_job() -> None:
    def fail(line: str) -> None:
        raise RuntimeError(line)

    with Runner(EXECUTES, {}, size=1, limits=Limits(), sink=fail) as runner:
        ((_, outcome),) = runner.run([code("print('x'); value = 1")])
    assert outcome["value"] == 1


def test_no_thread_or_handle_is_left() -> None:
    before = psutil.Process().num_fds(), threading.active_count()
    printed([code("print('x')")] * 3, size=2)
    assert (psutil.Process().num_fds(), threading.active_count()) == before
