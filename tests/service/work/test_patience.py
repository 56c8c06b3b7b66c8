"""Which failures of a stage are tried again, how often, and after which pause."""

import pytest

from affidavit.errors import ForgeError, InputError, OutsideError
from affidavit.service.child.channel import ChannelClosed, Refused
from affidavit.service.work.waiting import ATTEMPTS, StageRetries

BROKEN = OutsideError("not now", retryable=True)


def test_each_stage_has_its_own_attempts_and_pauses_that_grow() -> None:
    patience = StageRetries()
    pauses = [patience.pause_after(BROKEN, "map") for _ in range(ATTEMPTS)]
    assert pauses[-1] is None
    assert pauses[0] is not None
    assert 0.5 <= pauses[0] <= 1.5
    assert pauses[1] is not None
    assert 1.0 <= pauses[1] <= 3.0
    assert patience.pause_after(BROKEN, "plan") is not None


def test_pauses_differ_so_that_many_do_not_come_back_together() -> None:
    assert len({StageRetries().pause_after(BROKEN, "map") for _ in range(20)}) > 10


@pytest.mark.parametrize(
    "error", [OutsideError("for good"), InputError("nothing to review"), Refused("a fault"), ValueError()]
)
def test_what_would_fail_again_is_not_tried_again(error: Exception) -> None:
    assert StageRetries().pause_after(error, "open") is None


def test_a_process_that_died_is_replaced() -> None:
    assert StageRetries().pause_after(ChannelClosed(), "verify") is not None


def test_who_asks_to_be_left_alone_is_unless_that_takes_too_long() -> None:
    busy = ForgeError("busy", status=429, retryable=True, retry_after_seconds=90.0)
    assert StageRetries().pause_after(busy, "open") == 90.0
    busier = ForgeError("busy", status=429, retryable=True, retry_after_seconds=3_600.0)
    assert StageRetries().pause_after(busier, "open") is None
