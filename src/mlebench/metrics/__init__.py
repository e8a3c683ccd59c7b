"""Scoring functions, one family a file; plain arrays in, a float out.

The names below are those that programs written for the original import from here.
"""

from mlebench.lazily import TYPE_CHECKING, names_from

if TYPE_CHECKING:
    from mlebench.compat.metrics import (
        average_precision_at_k,
        dice_coefficient,
        mean_average_precision_at_k,
    )

__all__ = ["average_precision_at_k", "dice_coefficient", "mean_average_precision_at_k"]

__getattr__, __dir__ = names_from(__name__, dict.fromkeys(__all__, "mlebench.compat.metrics"))
