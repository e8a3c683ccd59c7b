"""Random Acts of Pizza: which requests for a free pizza were granted?"""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.archives import pack
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_json, write_csv, write_json
from mlebench.submission import Number, Submission

SUBMISSION = Submission(
    key="request_id",
    columns=(Number("requester_received_pizza", low=0, high=1),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, hidden=())


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # Who gave the pizza is known only where one was given.
    _prepare(raw, public, private, hidden=("giver_username_if_known",))


def _prepare(raw: Path, public: Path, private: Path, hidden: Collection[str]) -> None:
    old_train, old_test = read_json(raw / "train.json"), read_json(raw / "test.json")
    share = len(old_test) / (len(old_train) + len(old_test))
    train, test = partition_list(old_train, test_size=share)
    asked = [{field: request[field] for field in old_test[0]} for request in test]
    for name, requests in (("train", train), ("test", asked)):
        shown = [
            {field: value for field, value in request.items() if field not in hidden}
            for request in requests
        ]
        write_json(shown, public / f"{name}.json", indent=4)
        pack(public / f"{name}.zip", {f"{name}.json": public / f"{name}.json"})
    answers = pd.DataFrame(test)[["request_id", "requester_received_pizza"]].astype(
        {"requester_received_pizza": int}
    )
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(requester_received_pizza=0), public / "sampleSubmission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["requester_received_pizza"], predicted["requester_received_pizza"])
