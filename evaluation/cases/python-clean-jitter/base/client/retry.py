"""Tries a call again until it works or the attempts are used up."""

import time
from collections.abc import Callable
from itertools import islice
from typing import TypeVar

from client.pauses import pauses

T = TypeVar("T")


def with_retries(call: Callable[[], T], attempts: int, sleep: Callable[[float], None] = time.sleep) -> T:
    for pause in islice(pauses(), attempts - 1):
        try:
            return call()
        except ConnectionError:
            sleep(pause)
    return call()
