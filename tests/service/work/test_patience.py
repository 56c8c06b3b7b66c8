"""Which failures of a stage are tried again, how often, and after which pause."""

import asyncio

import pytest
from tenacity import AsyncRetrying, stop_after_attempt

from affidavit.errors import ForgeError, InputError, OutsideError, StoreError
from affidavit.service.child.channel import ChannelClosed, Refused
from affidavit.service.work.waiting import ATTEMPTS, StageRetries, pause_before_retry

BROKEN = OutsideError("not now", retryable=True)


def pauses_after(error: Exception, attempts: int) -> list[float]:
    """The pauses between so many attempts that all fail."""
    seen: list[float] = []

    async def note(seconds: float) -> None:
        seen.append(seconds)

    async def fail() -> None:
        raise error

    async def retry() -> None:
        stop = stop_after_attempt(attempts)
        await AsyncRetrying(stop=stop, wait=pause_before_retry, sleep=note, reraise=True)(fail)

    with pytest.raises(type(error)):
        asyncio.run(retry())
    return seen


def test_each_stage_has_its_own_attempts() -> None:
    patience = StageRetries()
    allowed = [patience.allow(BROKEN, "map") for _ in range(ATTEMPTS)]
    assert allowed == [True] * (ATTEMPTS - 1) + [False]
    assert patience.allow(BROKEN, "plan")


def test_pauses_grow() -> None:
    first, second, third = pauses_after(BROKEN, 4)
    assert 0.5 <= first <= 1.0 <= second <= 1.5 < 2.0 <= third


def test_pauses_differ_so_that_many_do_not_come_back_together() -> None:
    assert len({pauses_after(BROKEN, 2)[0] for _ in range(20)}) > 10


@pytest.mark.parametrize(
    "error", [OutsideError("for good"), InputError("nothing to review"), Refused("a fault"), ValueError()]
)
def test_what_would_fail_again_is_not_tried_again(error: Exception) -> None:
    assert not StageRetries().allow(error, "open")


def test_a_process_that_died_is_replaced() -> None:
    assert StageRetries().allow(ChannelClosed(), "verify")


def test_a_review_outlasts_its_database() -> None:
    patience = StageRetries()
    assert all(patience.allow(StoreError("away", retryable=True), "map") for _ in range(10 * ATTEMPTS))


def test_who_asks_to_be_left_alone_is_unless_that_takes_too_long() -> None:
    busy = ForgeError("busy", status=429, retryable=True, retry_after_seconds=90.0)
    assert pauses_after(busy, 2) == [90.0]
    assert StageRetries().allow(busy, "open")
    busier = ForgeError("busy", status=429, retryable=True, retry_after_seconds=3_600.0)
    assert not StageRetries().allow(busier, "open")
