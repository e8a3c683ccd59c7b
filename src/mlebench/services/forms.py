"""The file in a form, as it arrives piece by piece."""

from __future__ import annotations

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

from mlebench.errors import CallRefusedError
from mlebench.services.calls import refused_call

FIELD = b"file"
LONGEST_HEADERS = 16_384


class FileInForm:
    """Picks the content of the field ``file`` out of a multipart body."""

    def __init__(self, content_type: str) -> None:
        """Get ready for a body.

        Raises:
            CallRefusedError: The header says that it is no form with files.
        """
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise missing_file()
        self.is_complete = False
        """Whether all of the file has arrived."""
        self._content: list[bytes] = []
        self._is_wanted = False
        self._name = self._value = b""
        self._header_bytes = 0
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._extend_name,
                    "on_header_value": self._extend_value,
                    "on_header_end": self._end_header,
                    "on_part_data": self._take,
                    "on_part_end": self._end_part,
                },
            )
        except FormParserError as error:
            raise _garbled() from error

    def feed(self, chunk: bytes) -> bytes:
        """What a piece of the body holds of the file.

        Raises:
            CallRefusedError: It is no piece of a form.
        """
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise _garbled() from error
        content = b"".join(self._content)
        self._content.clear()
        return content

    def _begin_part(self) -> None:
        self._header_bytes = 0
        self._name = self._value = b""

    def _extend_name(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._name += data[start:end]

    def _extend_value(self, data: bytes, start: int, end: int) -> None:
        self._count(end - start)
        self._value += data[start:end]

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > LONGEST_HEADERS:
            raise _garbled()

    def _end_header(self) -> None:
        if self._name.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            # The first one counts, should there be several.
            self._is_wanted = options.get(b"name") == FIELD and not self.is_complete
        self._name = self._value = b""

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._is_wanted:
            self._content.append(data[start:end])

    def _end_part(self) -> None:
        self.is_complete = self.is_complete or self._is_wanted
        self._is_wanted = False


def missing_file() -> CallRefusedError:
    """The refusal of a request that brings no file."""
    return refused_call(
        400,
        "missing_file",
        "Send the submission as the field `file` of a multipart form: "
        'curl -X POST -F "file=@submission.csv" ...',
        error="There is no file in the request.",
    )


def _garbled() -> CallRefusedError:
    return refused_call(
        400,
        "garbled_form",
        "The body is not the multipart form that the header says.",
        error="The request cannot be understood.",
    )
