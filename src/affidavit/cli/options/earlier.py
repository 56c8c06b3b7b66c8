"""`review --previous posted`: the report that was posted last, from the forge into a file for this review."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from affidavit.errors import ForgeError, InputError, SettingsError
from affidavit.forges.address import is_request_url, parse_change_url
from affidavit.forges.earlier import POSTED, REPORT_FILE
from affidavit.forges.reaching.credentials import find_credentials
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.reviewing.series import Followed, followed_by
from affidavit.stages.looking.intake import OpenedChange
from affidavit.system.temporary import temporary_folder


def review_before(
    opened: OpenedChange, options: ReviewOptions, target: str | None, say: Say, heard: Say | None
) -> Followed:
    """What this review follows; a posted report that does not fit is said, and the review goes on."""
    with _previous_report(options.previous, target, say) as previous:
        try:
            is_posted = str(options.previous) == POSTED
            return followed_by(opened, replace(options, previous=previous), heard, is_posted=is_posted)
        except InputError as error:
            if previous is None or str(options.previous) != POSTED:
                raise
            # Nobody chose it: a request whose files were all renamed must not be refused for it.
            say(f"no earlier review is followed: {error}")
    return followed_by(opened, replace(options, previous=None), heard)


@contextmanager
def _previous_report(named: Path | None, target: str | None, say: Say) -> Iterator[Path | None]:
    """The file of the earlier report: the user's own, or the posted one; without one the review goes on."""
    if named is None or str(named) != POSTED:
        yield named
        return
    if target is None or not is_request_url(target):
        raise SettingsError(
            f"--previous {POSTED} goes with the address of a pull request; a file of that name is ./{POSTED}"
        )
    content = _posted(target, say)
    if content is None:
        yield None
        return
    with temporary_folder("previous-") as folder:
        file = folder / REPORT_FILE
        file.write_bytes(content)
        yield file


def _posted(url: str, say: Say) -> bytes | None:
    from affidavit.forges.choice import read_earlier  # noqa: PLC0415 - few ask a forge

    address = parse_change_url(url)
    try:
        content = asyncio.run(read_earlier(address, find_credentials(address.host)))
    except ForgeError as error:
        say(f"no earlier review is followed: {error}")
        return None
    if content is None:
        say(f"no earlier review is followed: none was posted on {address.url} by a run that still has it")
        return None
    try:
        Report.model_validate_json(content)
    except ValueError:
        say("no earlier review is followed: its report was written by another version")
        return None
    return content
