"""What messages and manifests show of addresses."""

from __future__ import annotations

import pytest

from mlebench.data.web import public


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://me:secret@host.org/a.zip", "https://host.org/a.zip"),
        ("https://me:s@cr@t@host.org/a.zip", "https://host.org/a.zip"),
        ("https://me:s'cr\"t@host.org:8080/a.zip", "https://host.org:8080/a.zip"),
        ("https://me:s@cret@host.org/a@b.zip", "https://host.org/a@b.zip"),
        ("https://host.org/a@b.zip", "https://host.org/a@b.zip"),
        ("https://host.org?key=a@b", "https://host.org?…"),
        ("https://host.org#a@b", "https://host.org#a@b"),
        ("'https://host.org' of me@host.org", "'https://host.org' of me@host.org"),
        ("from https://a:s@b to https://c:s@d/e?s", "from https://b to https://d/e?…"),
    ],
)
def test_nothing_secret_is_shown_and_nothing_else_is_left_out(text: str, shown: str) -> None:
    assert public(text) == shown
