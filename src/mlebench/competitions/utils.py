"""Helpers of competitions, under the import line of the original."""

from mlebench.compat.logs import get_logger
from mlebench.compat.one_hot import (
    df_to_one_hot,
    is_one_hot_encoded,
    one_hot_dfs_to_log_loss_inputs,
)
from mlebench.compat.pairing import prepare_for_accuracy_metric, prepare_for_auroc_metric
from mlebench.compat.run_lengths import rle_decode, rle_encode, rles_to_masks
from mlebench.compat.tf_records import get_ids_from_tf_records
from mlebench.errors import InvalidSubmissionError

__all__ = [
    "InvalidSubmissionError",
    "df_to_one_hot",
    "get_ids_from_tf_records",
    "get_logger",
    "is_one_hot_encoded",
    "one_hot_dfs_to_log_loss_inputs",
    "prepare_for_accuracy_metric",
    "prepare_for_auroc_metric",
    "rle_decode",
    "rle_encode",
    "rles_to_masks",
]
