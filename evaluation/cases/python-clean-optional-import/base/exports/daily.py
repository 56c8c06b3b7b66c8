"""The daily export."""

from typing import Any

from exports.codec import loads


def articles(content: bytes) -> list[Any]:
    return loads(content)["articles"]
