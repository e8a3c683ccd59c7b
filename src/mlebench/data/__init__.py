"""Competition data: where they come from, how they are prepared, what is there.

The names below are those that programs written for the original import from here.
"""

from mlebench.lazily import TYPE_CHECKING, names_from

if TYPE_CHECKING:
    from mlebench.compat.data import (
        create_prepared_dir,
        download_and_prepare_dataset,
        download_dataset,
        ensure_leaderboard_exists,
        generate_checksums,
        get_checksum,
        get_last_modified,
        get_leaderboard,
        is_dataset_prepared,
        is_valid_prepare_fn,
    )

__all__ = [
    "create_prepared_dir",
    "download_and_prepare_dataset",
    "download_dataset",
    "ensure_leaderboard_exists",
    "generate_checksums",
    "get_checksum",
    "get_last_modified",
    "get_leaderboard",
    "is_dataset_prepared",
    "is_valid_prepare_fn",
]

__getattr__, __dir__ = names_from(__name__, dict.fromkeys(__all__, "mlebench.compat.data"))
