"""The import lines on the page for programs written for the original."""

import re

import pytest

from tests.conftest import CHECKOUT

PAGE = (CHECKOUT / "docs" / "compatibility.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_import_lines_work(block: str) -> None:
    names: dict[str, object] = {}
    exec(block, names)
    assert len(names) > 1


def test_every_name_is_on_the_page() -> None:
    from mlebench import data, metrics
    from mlebench.competitions import utils

    names = {*data.__all__, *metrics.__all__, *utils.__all__} - {"get_logger"}
    assert not [name for name in names if name not in PAGE]
