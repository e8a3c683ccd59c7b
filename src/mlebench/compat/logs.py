"""Loggers that are heard."""

from __future__ import annotations

import logging
from pathlib import Path

from mlebench.settings import DETAILED_LOG_FORMAT

__all__ = ["get_logger"]


def get_logger(
    name: str, level: int = logging.INFO, filename: Path | str | None = None
) -> logging.Logger:
    """A logger that is heard from ``level`` on: on stderr, and in a file if one is named.

    Unless logging is set up already, the root logger gets the handler and the format: programs
    take these over from ``logging.getLogger().handlers[0]``.
    """
    logging.basicConfig(level=level, format=DETAILED_LOG_FORMAT)
    logger = logging.getLogger(name)
    if not logger.isEnabledFor(level):
        logger.setLevel(level)
    if filename is not None:
        path = str(Path(filename).absolute())
        if path not in [getattr(handler, "baseFilename", None) for handler in logger.handlers]:
            handler = logging.FileHandler(path)
            handler.setFormatter(logging.Formatter(DETAILED_LOG_FORMAT))
            logger.addHandler(handler)
    return logger
