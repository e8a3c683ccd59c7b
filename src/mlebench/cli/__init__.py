"""The command line: one file a command, no logic of its own."""

import sys

TYPE_CHECKING = False  # nothing is imported that takes long enough to be interrupted

if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130


def main() -> None:
    """Run ``mlebench`` and turn our errors into messages and exit codes."""
    try:
        _run()
    except KeyboardInterrupt:  # before there was a command
        sys.exit(INTERRUPTED)


def _run() -> None:
    from io import TextIOWrapper

    from mlebench.errors import DataSourceError, MlebenchError

    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that lacks a sign is shown its code instead, as stderr does by itself.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from mlebench.cli.app import build_app

        build_app(sys.argv[1:])(prog_name="mlebench")
    except MlebenchError as error:
        _leave(str(error), error.exit_code)
    except ImportError as error:  # a library that is not there, or compiled for another one
        _leave(
            f"a library cannot be loaded ({error}). `mlebench doctor` tells what to do.",
            MlebenchError.exit_code,
        )
    except MemoryError:
        _leave("there is too little memory.", MlebenchError.exit_code)
    except OSError as error:  # a full disk, a folder that may not be written
        _leave(str(error), DataSourceError.exit_code)


def _leave(message: str, code: int) -> "NoReturn":
    from mlebench.cli.output import print_message

    print_message(f"error: {message}")
    sys.exit(code)
