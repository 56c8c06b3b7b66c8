"""What many threads need at once is made by one of them."""

import time
from concurrent.futures import ThreadPoolExecutor

from affidavit.redaction.linear import once


def test_threads_that_come_at_once_get_the_same_thing_made_once() -> None:
    made: list[object] = []

    @once
    def thing() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    with ThreadPoolExecutor(8) as threads:
        got = [done.result() for done in [threads.submit(thing) for _ in range(8)]]
    assert got == made * 8
