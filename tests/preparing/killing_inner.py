"""Kills the unpacking of inner archives before each single change that it makes to the disk.

Run as a program, because it forks: ``python -m tests.preparing.killing_inner FOLDER``. Prints one
JSON object: how many kills there were, and after which of them it came out otherwise.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

from mlebench.preparing.archives import pack, pack_tar
from mlebench.preparing.extraction import extract_inner
from tests.data.killing import Changes, in_child, kill
from tests.helpers import file_digests


def set_up(folder: Path) -> None:
    """Archives that become a file, a folder, a folder not doubled, and one with another inside."""
    shutil.rmtree(folder, ignore_errors=True)
    pack(folder / "table.csv.zip", {"table.csv": "a,b\n"})
    pack(folder / "deep" / "train.zip", {"train/1.txt": "1", "train/2.txt": "2"})
    pack_tar(folder / "more.tgz", {"x.txt": b"x", "y.txt": b"y"}, "w:gz")
    pack(folder / "inner.zip", {"in.txt": "in", "z/in.txt": "in, too"})
    pack(folder / "outer.zip", {"inner.zip": folder / "inner.zip", "rest.txt": "rest"})
    (folder / "inner.zip").unlink()


def seen(folder: Path) -> dict[str, str | None]:
    folders = {str(path.relative_to(folder)): None for path in folder.rglob("*") if path.is_dir()}
    return folders | file_digests(folder)


def main() -> None:
    folder = Path(sys.argv[1])
    set_up(folder)
    extract_inner(folder)
    expected = seen(folder)
    wrong: dict[int, str] = {}
    number = 0
    while True:
        number += 1
        set_up(folder)
        status = in_child(lambda: extract_inner(folder), Changes(number, kill).watch)
        if status == 0:
            break
        if status != -signal.SIGKILL or in_child(lambda: extract_inner(folder)) != 0:
            wrong[number] = "failed"
        elif seen(folder) != expected:
            wrong[number] = f"came out as {sorted(seen(folder))}"
    print(json.dumps({"kills": number - 1, "wrong": wrong}))


if __name__ == "__main__":
    main()
