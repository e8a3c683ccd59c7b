"""Kaggle over HTTP: logins, competitions, downloads."""

from mlebench.data.kaggle.client import KaggleClient
from mlebench.data.kaggle.connection import API_VARIABLE
from mlebench.data.kaggle.login import Login, find_login
from mlebench.errors import KaggleAuthError, RulesNotAcceptedError

__all__ = [
    "API_VARIABLE",
    "KaggleAuthError",
    "KaggleClient",
    "Login",
    "RulesNotAcceptedError",
    "find_login",
]
