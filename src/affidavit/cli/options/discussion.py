"""Read what others have said about a change, from JSON or from plain text."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from affidavit.errors import InputError
from affidavit.records.change import Comment

STANDARD_INPUT = "-"
MAX_BYTES = 5_000_000
MAX_COMMENTS = 5_000
RULE = re.compile(r"^[ \t]*(?:-[ \t]*){3,}$", re.MULTILINE)
"""A line of dashes, as in markdown, separates two comments."""


def read_discussion(source: str | None, *, is_input_taken: bool = False) -> tuple[Comment, ...]:
    """The comments of a file, or of standard input for `-`; raises InputError with what to do."""
    if source is None:
        return ()
    if source == STANDARD_INPUT and is_input_taken:
        raise InputError(
            "--discussion: standard input is already used for the diff; name a file for the discussion"
        )
    data = _bytes_of(source)
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return _comments(text, source)


def _bytes_of(source: str) -> bytes:
    try:
        if source == STANDARD_INPUT:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"--discussion: {source}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"--discussion: {source} is larger than {MAX_BYTES:,} bytes; pass less")
    return data


def _comments(text: str, source: str) -> tuple[Comment, ...]:
    is_named_json = source.endswith(".json")
    if is_named_json or text.lstrip().startswith("["):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            # Markdown may begin with a link.
            if is_named_json:
                raise InputError(f"--discussion: {source} is not JSON: {error}") from error
        else:
            return _from_list(given, source)
    bodies = [body.strip("\n") for body in RULE.split(text)]
    return tuple(Comment(body=body) for body in bodies if body.strip())


def _from_list(given: Any, source: str) -> tuple[Comment, ...]:
    if not isinstance(given, list):
        raise InputError(f"--discussion: {source} must be a list of comments, each with a `body`")
    if len(given) > MAX_COMMENTS:
        raise InputError(f"--discussion: {source} holds more than {MAX_COMMENTS:,} comments; pass fewer")
    return tuple(_from_object(each, index, source) for index, each in enumerate(given, start=1))


def _from_object(given: Any, index: int, source: str) -> Comment:
    if not isinstance(given, dict):
        raise InputError(f"--discussion: comment {index} of {source} is not an object with a `body`")
    known = {
        name: value for name, value in given.items() if name in Comment.model_fields and value is not None
    }
    try:
        return Comment.model_validate(known)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"--discussion: comment {index} of {source}: `{field}`: {first['msg'].lower()}"
        ) from error
