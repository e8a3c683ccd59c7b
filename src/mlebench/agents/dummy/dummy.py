"""An agent that looks at its room, says what is as it should be, and submits the sample.

It needs nothing but Python 3.8 and its standard library, and little time, so that hundreds of
runs can try everything around an agent.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

OUTSIDE = ("1.1.1.1", 443)
"""An address that answers everybody; a name would have to be looked up, which may take long."""
OUTSIDE_SECONDS = 1.0
HEALTH_SECONDS = 5.0
VALIDATION_SECONDS = 300.0
SUBMITTED = "sample submission is submitted"
DEEPEST = 6
"""How far down the sample submission is looked for."""


def place(variable: str, usual: str) -> Path:
    """Where something is in this room."""
    return Path(os.environ.get(variable) or f"/home/{usual}")


DATA = place("DATA_DIR", "data")
SUBMISSION = place("SUBMISSION_DIR", "submission")
LOGS = place("LOGS_DIR", "logs")
CODE = place("CODE_DIR", "code")
AGENT = place("AGENT_DIR", "agent")
INSTRUCTIONS = place("INSTRUCTIONS_FILE", "instructions.txt")
VALIDATE = place("VALIDATE_SCRIPT", "validate_submission.sh")
VALIDATION_URL = os.environ.get("MLEBENCH_VALIDATION_URL") or "http://localhost:5000"


def is_no_root() -> tuple[bool, str]:
    """Whether the agent has no more rights than it needs."""
    return os.geteuid() != 0, f"user {os.geteuid()}"


def private_data_are_out_of_reach() -> tuple[bool, str]:
    """Whether no file can be read in places where answers might be."""
    for folder in private_places():
        found = next(readable_files(folder), None)
        if found is not None:
            return False, f"{found} can be read"
    return True, "nothing can be read"


def private_places() -> Iterator[Path]:
    """Where answers could be: the original's place, and beside the public data on the host."""
    yield Path("/private")
    public = [DATA.resolve()]
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""  # not Linux
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) > 4 and fields[4] == str(DATA):
            public.append(Path(fields[3]))
    for folder in public:
        yield folder.parent / "private"
        yield folder.parent.parent / "raw"


def readable_files(folder: Path) -> Iterator[Path]:
    """Files below a folder that can be opened."""
    for parent, _, names in os.walk(str(folder)):  # goes past what may not be looked into
        for name in names:
            path = Path(parent, name)
            if os.access(str(path), os.R_OK):
                yield path


def data_are_read_only() -> tuple[bool, str]:
    """Whether nothing can be written into the data; asked, not tried, since others read them."""
    if os.access(str(DATA), os.W_OK):
        return False, f"{DATA} can be written"
    return DATA.is_dir(), str(DATA)


def writable(folder: Path) -> Callable[[], tuple[bool, str]]:
    """Whether files can be made in a folder."""

    def check() -> tuple[bool, str]:
        attempt = folder / ".written-by-the-dummy"
        try:
            attempt.write_text("x", encoding="utf-8")
            attempt.unlink()
        except OSError as error:
            return False, f"{folder}: {error.strerror}"
        return True, str(folder)

    return check


def instructions_are_there() -> tuple[bool, str]:
    """Whether the agent is told what to do, in general and about the competition."""
    for path in (INSTRUCTIONS, DATA / "description.md"):
        try:
            if not path.read_text(encoding="utf-8", errors="replace").strip():
                return False, f"{path} is empty"
        except OSError as error:
            return False, f"{path}: {error.strerror}"
    return True, f"{INSTRUCTIONS} and description.md"


def validation_answers() -> tuple[bool, str]:
    """Whether the service that validates is there; asked by hand, as http modules load slowly."""
    address = VALIDATION_URL.split("://")[-1].split("/")[0]
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port or 80)), HEALTH_SECONDS) as connection:
            connection.settimeout(HEALTH_SECONDS)
            ask = f"GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
            connection.sendall(ask.encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    except (OSError, ValueError) as error:
        return False, f"{address}: {error}"
    status = answer.split(b"\r\n", 1)[0].decode(errors="replace")
    return b" 200" in answer[:20] and b"running" in answer, status or "no answer"


def network_is_closed() -> tuple[bool, str]:
    """Whether the world outside cannot be reached."""
    try:
        with socket.create_connection(OUTSIDE, OUTSIDE_SECONDS):
            return False, f"connected to {OUTSIDE[0]}"
    except OSError as error:
        return True, str(error)


def interpreter() -> tuple[bool, str]:
    """Which Python this is."""
    version = ".".join(str(number) for number in sys.version_info[:3])
    return sys.version_info >= (3, 8), f"{sys.executable} {version}"


def sample_is_submitted() -> tuple[bool, str]:
    """Whether there is a sample submission, which then is what is submitted."""
    target = SUBMISSION / "submission.csv"
    for path in sorted(samples(DATA), key=lambda path: (len(path.parts), str(path))):
        try:
            if path.suffix.lower() == ".csv":
                shutil.copyfile(str(path), str(target))
                return True, str(path)
            if path.suffix.lower() == ".zip" and unpack_csv(path, target):
                return True, f"{path}, unpacked"
        except OSError as error:
            return False, f"{path} cannot be copied to {target}: {error.strerror}"
    return False, f"there is no csv file called *sample*submission* in {DATA}, nor in a zip"


def samples(folder: Path, deepest: int = DEEPEST) -> Iterator[Path]:
    """Files that may be sample submissions, by their names; folders of images are gone past."""
    below = []
    with os.scandir(str(folder)) as entries:
        for entry in entries:
            name = entry.name.lower()
            if entry.is_dir(follow_symlinks=False):
                below.append(Path(entry.path))
            elif is_sample(name) or name.endswith(".zip"):
                yield Path(entry.path)
    for path in below if deepest else ():
        yield from samples(path, deepest - 1)


def is_sample(name: str) -> bool:
    """Whether a name is one that sample submissions have."""
    name = name.lower()
    start = name.find("sample")
    return (
        start >= 0 and "submission" in name[start:] and name.endswith((".csv", ".csv.zip", ".zip"))
    )


def unpack_csv(archive: Path, target: Path) -> bool:
    """Write the sample submission of a zip to a file; False if there is none in it."""
    import zipfile

    try:
        with zipfile.ZipFile(str(archive)) as packed:
            for name in packed.namelist():
                plain = name.rsplit("/", 1)[-1]
                if plain.lower().endswith(".csv") and (is_sample(plain) or is_sample(archive.name)):
                    with packed.open(name) as source, target.open("wb") as copy:
                        shutil.copyfileobj(source, copy)
                    return True
    except zipfile.BadZipFile:
        return False
    return False


def submission_is_valid() -> tuple[bool, str]:
    """Whether the validation takes what was submitted, asked as agents are told to ask."""
    submitted = SUBMISSION / "submission.csv"
    if not submitted.is_file():
        return False, "nothing was submitted"
    try:
        asked = subprocess.run(
            ["bash", str(VALIDATE), str(submitted)],
            capture_output=True,
            timeout=VALIDATION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = asked.stdout.decode(errors="replace").strip()
    if asked.returncode or not said:
        return False, said or asked.stderr.decode(errors="replace").strip()
    return "Submission is valid" in said, said


def checks() -> list[tuple[str, Callable[[], tuple[bool, str]]]]:
    """All that is looked at, in the order in which it is told."""
    folders = (("submission", SUBMISSION), ("logs", LOGS), ("code", CODE), ("agent", AGENT))
    return [
        ("runs without root's rights", is_no_root),
        ("private data are out of reach", private_data_are_out_of_reach),
        ("data are read-only", data_are_read_only),
        *((f"{name} folder can be written", writable(path)) for name, path in folders),
        ("instructions are there", instructions_are_there),
        ("Python", interpreter),
        ("validation answers", validation_answers),
        (SUBMITTED, sample_is_submitted),
        ("submission is valid", submission_is_valid),
    ]


def report(name: str, finding: tuple[bool, str], findings: list[dict[str, object]]) -> None:
    """Tell what a check found, and keep it."""
    ok, detail = finding
    detail = " ".join(detail.split())
    print(f"{'ok' if ok else 'failed':7}{name}: {detail}", flush=True)
    findings.append({"check": name, "ok": ok, "detail": detail})


def main() -> int:
    """Check everything; 0 if the sample was submitted."""
    began = time.monotonic()
    findings: list[dict[str, object]] = []
    network: list[tuple[bool, str]] = []
    # Beside the rest, since it may take its whole second.
    outside = threading.Thread(target=lambda: network.append(network_is_closed()), daemon=True)
    outside.start()
    for name, check in checks():
        try:
            found = check()
        except Exception as error:  # whatever is wrong with a room, the others are told
            found = (False, f"{type(error).__name__}: {error}")
        report(name, found, findings)
    outside.join()
    report("network is closed", network[0], findings)
    failed = [finding["check"] for finding in findings if not finding["ok"]]
    submitted = SUBMITTED not in failed
    summary = {
        "competition_id": os.environ.get("COMPETITION_ID"),
        "submitted": submitted,
        "failed": failed,
        "seconds": round(time.monotonic() - began, 3),
        "findings": findings,
    }
    try:
        (LOGS / "dummy.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        shutil.copyfile(__file__, str(CODE / "dummy.py"))
    except OSError as error:
        print(f"failed what was found cannot be kept: {error}", flush=True)
    return 0 if submitted else 1


if __name__ == "__main__":
    sys.exit(main())
