"""What a valid submission looks like: declared once, used for everything.

A competition declares a `Submission` made of columns; reading with the right types,
validation, alignment with the answers, random valid examples and documentation follow.
"""

from mlebench.submission.columns import Column, Label, Number, Text, refuse
from mlebench.submission.declaration import Aligned, Submission
from mlebench.submission.reading import read_table
from mlebench.submission.rules import RowsSumToOne, Rule

__all__ = [
    "Aligned",
    "Column",
    "Label",
    "Number",
    "RowsSumToOne",
    "Rule",
    "Submission",
    "Text",
    "read_table",
    "refuse",
]
