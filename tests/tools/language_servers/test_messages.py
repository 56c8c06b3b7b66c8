"""The wire of the protocol: whole messages out of any pieces, and garbage refused."""

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.tools.language_server import (
    ServerError,
    encode_message,
    read_message,
)

MESSAGES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), max_size=4)


@given(MESSAGES)
def test_messages_arrive_whole_and_in_order(messages: list[dict[str, str]]) -> None:
    wire = BytesIO(b"".join(map(encode_message, messages)))
    assert [read_message(wire) for _ in messages] == messages
    with pytest.raises(ServerError):
        read_message(wire)


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello world\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{{{",
        b"Content-Length: 2\r\n\r\n[]",
        b"x" * 5000,
    ],
)
def test_garbage_is_refused(garbage: bytes) -> None:
    with pytest.raises(ServerError):
        read_message(BytesIO(garbage))


@given(st.binary(max_size=200))
def test_any_bytes_give_messages_or_are_refused(data: bytes) -> None:
    with suppress(ServerError):
        assert isinstance(read_message(BytesIO(data)), dict)
