"""Preparing one competition: whether there is anything to do, and by whom."""

from __future__ import annotations

import logging
import os
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from mlebench.data.concluding import Keep, conclude
from mlebench.data.layout import PUBLISHING_FILE
from mlebench.data.manifest import has_real_data, is_prepared, read_manifest
from mlebench.data.pipeline import Options, Pipeline
from mlebench.data.publishing import abandon, finish, has_leftovers
from mlebench.data.remedies import describe_making
from mlebench.data.sources import choose_source, name_of
from mlebench.data.staging import Staging, sole_use
from mlebench.data.watching import Nobody, Watcher
from mlebench.errors import BusyError, ConfigError, TaskNotWrittenError, UnwritableFolderError
from mlebench.registry.competition import Competition

LAYOUTS = ("archived", "extracted")

logger = logging.getLogger(__name__)


def prepare(
    competition: Competition,
    source: Path | str | None = None,
    *,
    fixture: bool = False,
    keep_raw: bool = False,
    keep_zip: bool = False,
    layout: str | None = None,
    overwrite_checksums: bool = False,
    skip_verification: bool = False,
    must_be_complete: bool = True,
    force: bool = False,
    timeout: float | None = None,
    watcher: Watcher | None = None,
    turn: AbstractContextManager[object] | None = None,
) -> bool:
    """Prepare a competition's data in its edition; True if there was anything to do.

    Args:
        competition: The competition.
        source: A folder of raw files, an archive of them, or the address of a mirror. By
            default the competition's own ``raw`` folder, else the one zip in its data folder,
            else a download from Kaggle.
        fixture: Make tiny raw data up instead of using real ones.
        keep_raw: Keep the unpacked archive.
        keep_zip: Keep what was downloaded; archives that were there are never removed.
        layout: ``archived``, as published, or ``extracted``, with public archives unpacked. By
            default that of the data which are there, else as published.
        overwrite_checksums: Record the sums of these data as the published ones.
        skip_verification: Compare nothing with the published sums.
        must_be_complete: Refuse a result that lacks a file which the facts name.
        force: Prepare again, whatever is there.
        timeout: How many seconds to wait for another process that prepares the same
            competition; by default as the environment says.
        watcher: Is told how far it is.
        turn: Held in all stages but the download.

    Raises:
        BusyError: Another process did not finish in time.
        ConfigError: The options do not fit each other or what is there.
        DataSourceError: Raw data cannot be had, or are not what they should be.
        TaskNotWrittenError: The competition has no functions yet.
    """
    require_fitting(fixture=fixture, overwrite_checksums=overwrite_checksums, layout=layout)
    if competition.task:
        competition.task.require_written()
    elif fixture:
        raise TaskNotWrittenError(
            f"{competition.id} is in the original's format, which has no made-up data: give raw "
            "ones with --from."
        )
    if keep_raw:
        _require_place_for_raw(competition)
    staging = Staging(competition.data_dir, competition.edition, lasting=not fixture)
    keep = Keep(keep_raw, keep_zip)

    def is_done() -> bool:
        if fixture and not force:
            _protect_real_data(competition)
        if force or overwrite_checksums:
            return False
        return is_prepared(competition, fixture=fixture, layout=layout)

    if is_done():
        if staging.folder.exists() or has_leftovers(competition.prepared_dir):
            _clear_up_after_others(competition, staging, keep)
        _tell_it_is_done(competition, source)
        return False
    with sole_use(competition.data_dir, timeout):
        if (competition.prepared_dir / PUBLISHING_FILE).exists():
            finish(competition.prepared_dir)  # for whoever was killed
        if is_done():  # by whoever was waited for, or was killed a moment later
            _clear_up(competition, staging, keep)
            _tell_it_is_done(competition, source)
            return False
        known = read_manifest(competition)
        wanted_layout = layout or (known.layout if known else LAYOUTS[0])
        Pipeline(
            competition,
            None if fixture else choose_source(competition, source),
            Options(wanted_layout, overwrite_checksums, skip_verification, must_be_complete),
            keep,
            staging,
            watcher or Nobody(),
            turn or nullcontext(),
        ).run()
    return True


def require_fitting(*, fixture: bool, overwrite_checksums: bool, layout: str | None) -> None:
    """Refuse options that are wrong for whatever competition, before anything is asked or done.

    Raises:
        ConfigError: They exclude each other, or there is no such layout.
    """
    if fixture and overwrite_checksums:
        raise ConfigError(
            "The sums of made-up data cannot be the published ones: pass either --fixture or "
            "--overwrite-checksums."
        )
    if layout not in (None, *LAYOUTS):
        raise ConfigError(f"There is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}.")


def _require_place_for_raw(competition: Competition) -> None:
    """Refuse before hours of work to keep raw files where none can be put."""
    raw = competition.raw_dir
    if os.path.lexists(raw) and not raw.is_dir():
        what = "a link that leads nowhere" if raw.is_symlink() else "a file"
        raise UnwritableFolderError(
            f"{raw} is {what}, so that nothing can be kept there. Remove it, or leave out "
            "--keep-raw."
        )


def _clear_up_after_others(competition: Competition, staging: Staging, keep: Keep) -> None:
    """Do what is left of a preparation whose process is gone; one that is at work does it."""
    with suppress(BusyError), sole_use(competition.data_dir, timeout=0):
        _clear_up(competition, staging, keep)


def clear_up_after_kill(competition: Competition) -> None:
    """Remove what a process that is gone has left, but for work that others can go on with."""
    if not competition.data_dir.is_dir():
        return
    staging = Staging(competition.data_dir, competition.edition)
    with suppress(BusyError, OSError), sole_use(competition.data_dir, timeout=0):
        if not staging.is_on_record:
            staging.remove()
            abandon(competition.prepared_dir)


def _clear_up(competition: Competition, staging: Staging, keep: Keep) -> None:
    conclude(competition, staging, keep)
    if has_leftovers(competition.prepared_dir):  # half brought in, and seen by agents
        staging.remove()
        abandon(competition.prepared_dir)


def _protect_real_data(competition: Competition) -> None:
    """Refuse to put made-up data in the place of what may be real ones."""
    if has_real_data(competition):
        raise ConfigError(
            f"{competition.prepared_dir} holds real data, or data that do not say what they are; "
            "pass --force to replace them by made-up ones."
        )


def _tell_it_is_done(competition: Competition, named: Path | str | None) -> None:
    """Say that there is nothing to do, and how to have a source used that was named in vain."""
    making = describe_making(competition)
    if named is None:
        logger.info("%s is prepared already%s.", competition.id, making)
    else:
        logger.warning(
            "%s is prepared already%s: nothing was done now, and %s was not read. To prepare from "
            "it all the same, add --force.",
            competition.id,
            making and f",{making}",
            name_of(named),
        )
