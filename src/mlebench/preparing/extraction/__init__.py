"""Unpacking strangers' archives: all of what is good in them, nothing outside the folder.

Every extraction of the project goes through here, so that there is one place that refuses.
"""

from mlebench.preparing.extraction.inner import extract_inner
from mlebench.preparing.extraction.limits import LIMITS, Limits
from mlebench.preparing.extraction.unpacking import extract

__all__ = ["LIMITS", "Limits", "extract", "extract_inner"]
