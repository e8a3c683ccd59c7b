"""What asking the validation service costs: alone and among many, first and afterwards.

Submissions of about a megabyte go through unix sockets, as from rooms. Beside them stands what
reading the file with pandas takes in a process that is already running.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pandas as pd
import psutil

from mlebench.data.layout import MANIFEST_FILE
from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.services.validation import Door, ServiceLimits, ValidationService

COMPETITION = "spaceship-titanic"
TARGET_SECONDS = 0.030
LIMITS = replace(ServiceLimits(), calls_per_minute=1e9)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--calls", type=int, default=10, help="of each client")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        registry = Registry(Path(folder))
        content = enlarged(registry.get_competition(COMPETITION), options.megabytes)
        pandas = min(seconds_of_pandas(content) for _ in range(20))
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {len(content):,} bytes")
        print(f"{'reading with pandas':36}{pandas * 1000:8.1f} ms")
        with ValidationService(registry, workers=options.workers, limits=LIMITS) as service:
            doors = [service.open_door(COMPETITION, lambda _: None) for _ in range(options.clients)]
            show("first call", [ask(doors[0], content, 1)[0]], pandas)
            show("following calls, alone", ask(doors[0], content, 50), pandas)
            calls = options.clients * options.calls
            began, busy, checking = time.perf_counter(), time.process_time(), below_busy()
            with ThreadPoolExecutor(options.clients) as rooms:
                latencies = list(rooms.map(lambda door: ask(door, content, options.calls), doors))
            a_call = (time.perf_counter() - began) / calls
            busy, checking = (time.process_time() - busy) / calls, (below_busy() - checking) / calls
            name = f"{options.clients} clients, waiting times"
            show(name, [one for several in latencies for one in several], pandas)
            print(f"{'time a call, all clients together':36}{a_call * 1000:8.1f} ms", end="")
            print(f"{a_call / pandas:8.1f} x pandas")
            # What other work on the machine changes less.
            print(f"{'  of a core: service and clients':36}{busy * 1000:8.1f} ms")
            print(f"{'  of a core: checking':36}{checking * 1000:8.1f} ms")
    return int(a_call > TARGET_SECONDS)


def enlarged(competition: Competition, megabytes: float) -> bytes:
    """A valid submission of this size, to answers that are as long."""
    prepare(competition, fixture=True)
    (competition.prepared_dir / MANIFEST_FILE).unlink()  # nobody shall miss the small ones
    table = pd.read_csv(competition.answers)
    rows = int(megabytes * 1e6 / len("012345_01,False\n"))
    ids = [f"{number:06}_01" for number in range(rows)]
    labels = table["Transported"].sample(rows, replace=True, random_state=0).to_numpy()
    pd.DataFrame({"PassengerId": ids, "Transported": labels}).to_csv(
        competition.answers, index=False
    )
    return competition.answers.read_bytes()


def below_busy() -> float:
    """The seconds of a core that the processes below this one have taken."""
    seconds = 0.0
    for process in psutil.Process().children(recursive=True):
        times = process.cpu_times()
        seconds += times.user + times.system
    return seconds


def seconds_of_pandas(content: bytes) -> float:
    began = time.perf_counter()
    pd.read_csv(io.BytesIO(content))
    return time.perf_counter() - began


def ask(door: Door, content: bytes, calls: int) -> list[float]:
    """How long each of some calls took."""
    seconds = []
    transport = httpx.HTTPTransport(uds=str(door.path))
    with httpx.Client(transport=transport, base_url=door.address, timeout=600) as room:
        for _ in range(calls):
            began = time.perf_counter()
            answer = room.post("/validate", files={"file": content})
            seconds.append(time.perf_counter() - began)
            if not answer.json()["is_valid"]:
                raise SystemExit(answer.text)
    return seconds


def show(name: str, seconds: list[float], pandas: float) -> None:
    middle = statistics.median(seconds)
    print(f"{name:36}{middle * 1000:8.1f} ms{middle / pandas:8.1f} x pandas", end="")
    if len(seconds) > 1:
        parts = statistics.quantiles(seconds, n=100)
        shown = ", ".join(f"{p}%: {parts[p - 1] * 1000:.1f}" for p in (10, 50, 90, 99))
        print(f"  ({shown} ms)", end="")
    print(flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
