"""What a valid submission looks like: declared once, used for everything.

A competition declares a `Submission` made of a row matching and columns; reading with the
right types, validation, pairing with the answers, random valid examples and documentation
follow. Nothing in here ever sees a label: checks get the submitted table and the columns of
the answers that are declared public.
"""

from mlebench.submission.boxes import Boxes, Points, flattened, refuse_boxes
from mlebench.submission.casts import CastNumber, CutLabel, FirstLabel, NumberWhere
from mlebench.submission.columns import Column, Ignored, Label, Number, Trial, parse_answers
from mlebench.submission.declaration import Checked, Expected, Submission
from mlebench.submission.lists import LabelSet, Permutation, TokenList, WholeNumbers
from mlebench.submission.masks import RunLengths
from mlebench.submission.matching import (
    MATCHINGS,
    AsFarAsBothGo,
    AtLeastAsked,
    AtMostAsked,
    AtMostOnce,
    ExactKey,
    Join,
    Matching,
    Pooled,
    Position,
    PositionAndKey,
    PositionInGroup,
    SortedKeys,
    SortedKeySet,
    SortedKnownKeys,
    SortedOnly,
)
from mlebench.submission.reading import parse_table, read_table
from mlebench.submission.refusals import refuse
from mlebench.submission.rules import NotAllBelow, NotConstant, RowsSumToOne, Rule
from mlebench.submission.texts import CastText, Text, TextLabel, parse_each

__all__ = [
    "MATCHINGS",
    "AsFarAsBothGo",
    "AtLeastAsked",
    "AtMostAsked",
    "AtMostOnce",
    "Boxes",
    "CastNumber",
    "CastText",
    "Checked",
    "Column",
    "CutLabel",
    "ExactKey",
    "Expected",
    "FirstLabel",
    "Ignored",
    "Join",
    "Label",
    "LabelSet",
    "Matching",
    "NotAllBelow",
    "NotConstant",
    "Number",
    "NumberWhere",
    "Permutation",
    "Points",
    "Pooled",
    "Position",
    "PositionAndKey",
    "PositionInGroup",
    "RowsSumToOne",
    "Rule",
    "RunLengths",
    "SortedKeySet",
    "SortedKeys",
    "SortedKnownKeys",
    "SortedOnly",
    "Submission",
    "Text",
    "TextLabel",
    "TokenList",
    "Trial",
    "WholeNumbers",
    "flattened",
    "parse_answers",
    "parse_each",
    "parse_table",
    "read_table",
    "refuse",
    "refuse_boxes",
]
