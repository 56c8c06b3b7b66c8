"""Base64 in a text: where it stands, and the text that it encodes."""

import base64
import binascii
import string
from collections.abc import Iterator

from affidavit.redaction.linear import compile_linear

ENCODED = compile_linear(r"[A-Za-z0-9+/_-]{24,}={0,2}")
MAX_ENCODED = 200_000
PROBE = 24
PRINTABLE = frozenset(string.printable.encode())


def encoded_texts(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Runs of base64 that encode text, and that text."""
    for found in ENCODED.finditer(data):
        start, end = found.span()
        if end - start <= MAX_ENCODED and _is_text(decode_base64(data[start : start + PROBE])):
            yield start, end, decode_base64(data[start:end])


def _is_text(probe: bytes) -> bool:
    return len(probe) >= 16 and PRINTABLE.issuperset(probe)


def decode_base64(run: bytes) -> bytes:
    """What is encoded, in either alphabet; nothing where it is no base64."""
    plain = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""
