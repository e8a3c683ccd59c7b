"""The command line: one file a command, no logic of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``mlebench`` and turn our errors into messages and exit codes."""
    from mlebench.cli.app import build_app
    from mlebench.errors import DataSourceError, MlebenchError

    try:
        build_app(sys.argv[1:])(prog_name="mlebench")
    except MlebenchError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except ImportError as error:  # a library that is not there, or compiled for another one
        print(  # noqa: T201
            f"error: a library cannot be loaded ({error}). `mlebench doctor` tells what to do.",
            file=sys.stderr,
        )
        sys.exit(MlebenchError.exit_code)
    except KeyboardInterrupt:  # before there was a command
        sys.exit(130)
    except MemoryError:
        print("error: there is too little memory.", file=sys.stderr)  # noqa: T201
        sys.exit(MlebenchError.exit_code)
    except OSError as error:  # a full disk, a folder that may not be written
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(DataSourceError.exit_code)
