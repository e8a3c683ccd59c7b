"""Scoring functions, one family a file; plain arrays in, a float out.

The names below are those that programs written for the original import from here.
"""

from mlebench.metrics.masks import dice_coefficient
from mlebench.metrics.ranking import average_precision_at_k, mean_average_precision_at_k

__all__ = ["average_precision_at_k", "dice_coefficient", "mean_average_precision_at_k"]
