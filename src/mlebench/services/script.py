"""The script in each room that sends a submission to the validation service."""

from __future__ import annotations

import shlex

from mlebench.sandbox.layout import VALIDATION_PORT, VALIDATION_URL_VARIABLE

DEFAULT_URL = f"http://localhost:{VALIDATION_PORT}/validate"

_SCRIPT = r"""#!/bin/sh
# Asks whether a submission has the right form. The answer never tells a score.
default=@DEFAULT@
url="${@VARIABLE@:-$default}"
case "$url" in
    */validate) ;;
    *) url="${url%/}/validate" ;;
esac

if [ "$#" -lt 1 ]; then
    echo "Usage: $0 <submission_file>"
    exit 1
fi
if [ ! -f "$1" ]; then
    echo "File $1 does not exist."
    exit 1
fi

# Read from standard input: names may hold signs that curl takes for its own.
if command -v curl > /dev/null 2>&1; then
    curl --silent --show-error --noproxy '*' -X POST \
        -F 'file=@-;filename=submission.csv' "$url" < "$1" || exit 1
    echo
    exit 0
fi
if ! command -v python3 > /dev/null 2>&1; then
    echo "Neither curl nor python3 is installed."
    exit 1
fi
exec python3 - "$1" "$url" << 'END'
import http.client
import os
import sys
import urllib.parse
import uuid

path, url = sys.argv[1:]
place = urllib.parse.urlsplit(url)
boundary = uuid.uuid4().hex
head = (
    f"--{boundary}\r\n"
    'Content-Disposition: form-data; name="file"; filename="submission.csv"\r\n'
    "Content-Type: text/csv\r\n\r\n"
).encode()
tail = f"\r\n--{boundary}--\r\n".encode()


def pieces():
    yield head
    left = size
    while left and (piece := file.read(min(left, 1 << 20))):
        left -= len(piece)
        yield piece
    yield tail


try:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=600)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(len(head) + size + len(tail)),
        }
        connection.request("POST", place.path or "/", pieces(), headers)
        print(connection.getresponse().read().decode())
except (OSError, http.client.HTTPException) as error:
    sys.exit(f"{url} cannot be reached: {error}")
END
"""


def validate_script(url: str = DEFAULT_URL) -> str:
    """The text of ``validate_submission.sh``.

    Args:
        url: Where the service is, unless the environment says otherwise.
    """
    return _SCRIPT.replace("@DEFAULT@", shlex.quote(url)).replace(
        "@VARIABLE@", VALIDATION_URL_VARIABLE
    )
