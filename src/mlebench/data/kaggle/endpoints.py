"""What Kaggle can be asked, in both dialects of its API."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from typing import Any
from urllib.parse import quote

ENUMS = {
    "group": "COMPETITION_LIST_TAB_",
    "category": "HOST_SEGMENT_",
    "sortBy": "COMPETITION_SORT_BY_",
}
"""Fields whose words the newer dialect writes in capitals, after these."""


@dataclass(frozen=True)
class Endpoint:
    """One question, by its name in the newer dialect and by its path in the older one."""

    method: str
    path: str
    """With the fields that stand in it; the others follow as a query or a body."""
    verb: str = "GET"


_COMPETITIONS = "competitions.CompetitionApiService"

LIST_COMPETITIONS = Endpoint(f"{_COMPETITIONS}/ListCompetitions", "competitions/list")
GET_COMPETITION = Endpoint(f"{_COMPETITIONS}/GetCompetition", "competitions/get/{competitionName}")
DOWNLOAD_ALL = Endpoint(
    f"{_COMPETITIONS}/DownloadDataFiles", "competitions/data/download-all/{competitionName}"
)
DOWNLOAD_FILE = Endpoint(
    f"{_COMPETITIONS}/DownloadDataFile", "competitions/data/download/{competitionName}/{fileName}"
)
DOWNLOAD_LEADERBOARD = Endpoint(
    f"{_COMPETITIONS}/DownloadLeaderboard", "competitions/{competitionName}/leaderboard/download"
)
INTROSPECT_TOKEN = Endpoint("security.OAuthService/IntrospectToken", "oauth2/introspect", "POST")
GENERATE_TOKEN = Endpoint(
    "users.AccountService/GenerateAccessToken", "access-tokens/generate", "POST"
)


@dataclass(frozen=True)
class Request:
    """What goes over the wire."""

    verb: str
    path: str
    query: dict[str, Any] | None = None
    body: dict[str, Any] | None = None


def as_rpc(endpoint: Endpoint, fields: dict[str, Any]) -> Request:
    """A question in the newer dialect: everything stands in the body."""
    body = {name: _enum_name(name, value) for name, value in fields.items()}
    return Request("POST", endpoint.method, body=body)


def as_rest(endpoint: Endpoint, fields: dict[str, Any]) -> Request:
    """A question in the older dialect."""
    inside = {name for _, name, _, _ in Formatter().parse(endpoint.path) if name}
    path = endpoint.path.format(**{name: quote(str(fields[name]), safe="") for name in inside})
    others = {name: value for name, value in fields.items() if name not in inside}
    if endpoint.verb == "GET":
        return Request("GET", path, query=others)
    return Request(endpoint.verb, path, body=others)


def _enum_name(field: str, value: Any) -> Any:
    prefix = ENUMS.get(field)
    if prefix is None or value.startswith(prefix):
        return value
    return prefix + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).upper()
