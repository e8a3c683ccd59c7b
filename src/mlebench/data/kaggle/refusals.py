"""What Kaggle means when it says no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlebench.data.kaggle.login import SETTINGS_PAGE, Login
from mlebench.data.web import words_of
from mlebench.errors import DataSourceError, KaggleAuthError, RulesNotAcceptedError

if TYPE_CHECKING:
    import httpx

RULES_MARKS = ("You must accept", "RulesAcceptanceRequired")
PERMISSION_MARK = "ermission 'competitions."


def refusal(answer: httpx.Response, login: Login, asked: Mapping[str, Any]) -> DataSourceError:
    """The error that an answer to a question with these fields stands for."""
    competition_id = asked.get("competitionName")
    status, body = answer.status_code, answer.text
    words = words_of(answer).replace(login.secret, "…")
    if status == 401:
        return refused_login(login)
    if status == 403 and any(mark in body for mark in RULES_MARKS):
        return RulesNotAcceptedError.of(str(competition_id))
    if competition_id and (status == 404 or (status == 403 and PERMISSION_MARK in body)):
        name = asked.get("fileName")
        file = "" if name is None else f", or no file {name!r} in it"
        return DataSourceError(
            f"Kaggle shows this account no competition named {competition_id!r}{file} "
            f"({status}: {words}). Look whether https://www.kaggle.com/competitions/"
            f"{competition_id}/data is there; private ones show themselves to participants only."
        )
    return DataSourceError(f"Kaggle refuses the request ({status}: {words}).")


def refused_login(login: Login) -> KaggleAuthError:
    """The error for a login that Kaggle does not take."""
    if login.refresh_token:
        advice = "Log in again: kaggle auth login"
    else:
        advice = f"Make a new one at {SETTINGS_PAGE} and put it in the old one's place."
    return KaggleAuthError(
        f"Kaggle authentication failed! There is a login, from {login.source}, but Kaggle "
        f"refuses it. {advice}"
    )
