"""The wire of the protocol: whole messages out of any pieces, and garbage refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.language_servers.messages import (
    MAX_HEADER_BYTES,
    BrokenWireError,
    MessageReader,
    encode_message,
)

MESSAGES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), max_size=4)


@given(MESSAGES, st.integers(1, 7))
def test_messages_arrive_whole_however_they_are_cut(messages: list[dict[str, str]], size: int) -> None:
    wire = b"".join(map(encode_message, messages))
    reader = MessageReader()
    found = [one for start in range(0, len(wire), size) for one in reader.feed(wire[start : start + size])]
    assert found == messages


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello world\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{{{",
        b"Content-Length: 2\r\n\r\n[]",
        b"x" * (MAX_HEADER_BYTES + 1),
    ],
)
def test_garbage_is_refused(garbage: bytes) -> None:
    with pytest.raises(BrokenWireError):
        MessageReader().feed(garbage)


@given(st.binary(max_size=200))
def test_any_bytes_give_messages_or_are_refused(data: bytes) -> None:
    with suppress(BrokenWireError):
        assert all(isinstance(one, dict) for one in MessageReader().feed(data))
