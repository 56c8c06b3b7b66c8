"""Which changes get the new version: the same ones every time, and the same ones still in a larger slice."""

import hashlib
import re

from affidavit.errors import SettingsError
from affidavit.records.change import Change, Revision
from affidavit.records.lab.rollout import Arm, RolloutPlan

PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%")


def change_key(change: Change) -> str:
    """What makes a change the same change: its pull request, or its repository and both sides."""
    if change.request:
        return _digest(f"request {change.request}").hex()
    return _digest(f"{change.repository or ''} {_side(change.base)}..{_side(change.head)}").hex()


def arm_of(plan: RolloutPlan, key: str) -> Arm:
    """The place of a change depends on it and on the new versions, so a larger slice only adds changes."""
    drawn = _digest(f"{plan.new.prompt}\0{plan.new.schema_version}\0{key}")
    place = int.from_bytes(drawn[:8]) / 2**64
    return "new" if place < plan.share else "old"


def read_percent(text: str, *, option: str, is_zero_allowed: bool = False) -> float:
    """A share from `10%`; the sign is asked for, since 0.1 may mean either."""
    match = PERCENT.fullmatch(text.strip())
    share = float(match[1]) / 100 if match else -1.0
    if not 0 <= share <= 1 or (share == 0 and not is_zero_allowed):
        least = "0%" if is_zero_allowed else "more than 0%"
        raise SettingsError(f"{option}: {text[:40]!r} is not a share; write {least} to 100%, such as 10%")
    return share


def _digest(text: str) -> bytes:
    # The name of a folder need not be UTF-8.
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


def _side(revision: Revision) -> str:
    return revision.commit or revision.tree
