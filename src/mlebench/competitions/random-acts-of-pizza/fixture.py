"""Made-up raw data of Random Acts of Pizza."""

from pathlib import Path

import numpy as np

from mlebench.preparing.tables import write_json


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    requests = [_request(rng, f"t3_{number:x}") for number in range(0xABCDE, 0xABCDE + 56)]
    known_when_posting = (
        "giver_username_if_known",
        "request_id",
        "request_text_edit_aware",
        "request_title",
        *sorted(field for field in requests[0] if field.endswith("_at_request")),
        "requester_username",
        "unix_timestamp_of_request",
        "unix_timestamp_of_request_utc",
    )
    write_json(requests[:40], raw / "train.json")
    write_json(
        [{field: request[field] for field in known_when_posting} for request in requests[40:]],
        raw / "test.json",
    )


def _request(rng: np.random.Generator, request_id: str) -> dict[str, object]:
    given = bool(rng.random() < 0.4)
    story = rng.choice(["Payday is Friday.", 'Mom said "ask reddit"', "Naïve student w/ exams 😀"])
    text = f"{story} A pizza {'would make' if given else 'might save'} my week/month."
    posted = 1317852607.0 + float(rng.integers(0, 60_000_000))
    age = float(rng.uniform(0, 900))
    counts = {
        f"requester_{figure}_at_{moment}": int(rng.integers(0, 400))
        for figure in (
            "number_of_comments",
            "number_of_comments_in_raop",
            "number_of_posts",
            "number_of_posts_on_raop",
            "upvotes_minus_downvotes",
            "upvotes_plus_downvotes",
        )
        for moment in ("request", "retrieval")
    }
    return {
        "unix_timestamp_of_request_utc": posted,
        "unix_timestamp_of_request": posted + 3600,
        "requester_username": f"user_{request_id[3:]}",
        "requester_user_flair": str(rng.choice(["shroom", "PIF"])) if given else None,
        "requester_subreddits_at_request": ["Art", "RandomActsOfCookies"][: rng.integers(0, 3)],
        "requester_number_of_subreddits_at_request": int(rng.integers(0, 40)),
        "requester_received_pizza": given,
        **counts,
        "requester_days_since_first_post_on_raop_at_request": 0.0,
        "requester_days_since_first_post_on_raop_at_retrieval": age / 2,
        "requester_account_age_in_days_at_request": age,
        "requester_account_age_in_days_at_retrieval": age + 400,
        "request_title": f"[Request] Hungry in {rng.choice(['Köln', 'Ohio', 'the “Bronx”'])}",
        "request_text_edit_aware": text,
        "request_text": text,
        "request_number_of_comments_at_retrieval": int(rng.integers(0, 30)),
        "request_id": request_id,
        "post_was_edited": posted + 60 if rng.random() < 0.2 else False,
        "number_of_upvotes_of_request_at_retrieval": int(rng.integers(0, 20)),
        "number_of_downvotes_of_request_at_retrieval": int(rng.integers(0, 10)),
        "giver_username_if_known": "kind_stranger" if given and rng.random() < 0.3 else "N/A",
    }
