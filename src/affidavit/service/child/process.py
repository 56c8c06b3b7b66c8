"""Open one untrusted change and review it in a child process, without any secret."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessagesTypeAdapter

import affidavit.minds.mind
import affidavit.reviewing.panel
import affidavit.tools.language_server
import affidavit.tools.toolbox  # noqa: F401 - loaded before the fork
from affidavit.diff.rebuild import OpenedChange
from affidavit.errors import InputError
from affidavit.events import Event
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import GivenLog
from affidavit.minds.roles import minds_from
from affidavit.ports import Mind, Role
from affidavit.prompts import PromptSet
from affidavit.records.iteration import Earlier, StoredIteration
from affidavit.redaction.text import redact_text
from affidavit.reviewing.hold import Given, hold, settings_for
from affidavit.reviewing.models import ledger_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.series import is_merged, repository_of
from affidavit.service.child import requests
from affidavit.service.child.channel import MAX_LINE, Channel, Served
from affidavit.service.child.lines import WorkerLines
from affidavit.service.kept.records import WantedReview
from affidavit.stages.intake import ChangeRequest, open_change


def warm_up() -> None:
    """Build the message readers and the patterns of secrets before the first fork."""
    ModelMessagesTypeAdapter.validate_python([])
    redact_text("nothing that is secret")


class Child:
    """Answers the calls of a worker; holds one change at most."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lines = WorkerLines(channel)
        self._opened: OpenedChange | None = None
        own = (self.use, self.open, self.merged, self.review, self.estimate)
        self.calls: dict[str, Served] = {
            **{one.__name__: one for one in own},
            "pay": self._lines.pay,
            "recheck": requests.recheck_report,
            "lines": requests.lines_of_file,
            "map": requests.map_of_change,
            "revisions": requests.revisions_of,
        }

    async def use(self, cache: str) -> None:
        """Use the tenant's cache folder."""
        os.environ["AFFIDAVIT_CACHE"] = cache

    async def open(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Open the change and keep it open."""
        request = WantedReview.model_validate(wanted)
        self._opened = _named(request, await asyncio.to_thread(open_change, _change_request(request)))
        return {
            "change": self._opened.change.model_dump(mode="json"),
            "repository": repository_of(self._opened),
        }

    async def merged(self, iteration: dict[str, Any]) -> bool:
        """Check whether the head of an earlier review is now part of the change's base."""
        before = StoredIteration.model_validate(iteration)
        return await asyncio.to_thread(is_merged, before, self._change)

    async def review(
        self,
        attempt: dict[str, Any],
        options: dict[str, Any],
        environment: dict[str, str],
        models: dict[Role, Any],
        prompts: dict[str, Any] | None,
        earlier: dict[str, Any] | None,
    ) -> dict[str, Any]:
        """Review the opened change and return the report."""
        chosen = ReviewOptions(**options)
        settings = settings_for(self._change, chosen, environment=environment)
        log = self._log(attempt["exchanges"])
        minds: Mapping[Role, Mind] | None = None
        if prompts is not None:
            ledger = ledger_of(settings)
            minds = minds_from(_choices(models), ledger=ledger, log=log, lines=self._lines.to)
        report = await hold(
            self._change,
            settings,
            chosen,
            PromptSet(**prompts) if prompts is not None else None,
            self._emit,
            earlier=Earlier.model_validate(earlier) if earlier else None,
            # The log also keeps the answers of programs and language servers, since models saw them.
            given=Given(log, minds, attempt["review_id"], attempt["began"]),
        )
        return report.model_dump(mode="json")

    async def estimate(
        self,
        options: dict[str, Any],
        environment: dict[str, str],
        models: dict[Role, Any],
        prompts: dict[str, Any],
        earlier: dict[str, Any] | None,
    ) -> dict[str, Any]:
        """Estimate the cost of a review of the opened change."""
        chosen = ReviewOptions(**options)
        settings = settings_for(self._change, chosen, environment=environment)
        followed = Earlier.model_validate(earlier) if earlier else None
        # It runs a review in its own event loop.
        return await asyncio.to_thread(
            requests.estimate,
            self._change,
            settings,
            _choices(models),
            PromptSet(**prompts),
            chosen,
            followed,
        )

    @property
    def _change(self) -> OpenedChange:
        if self._opened is None:
            raise InputError("no change is open")
        return self._opened

    def _log(self, exchanges: list[dict[str, Any]]) -> GivenLog:
        return GivenLog(exchanges, lambda key, body: self._channel.tell("exchange", key=key, body=body))

    def _emit(self, event: Event) -> None:
        self._channel.tell("event", name=str(event.name), data=event.data)

    def close(self) -> None:
        """Close the change."""
        if self._opened is not None:
            self._opened.close()


def _choices(models: Mapping[Role, Any]) -> dict[Role, ModelChoice]:
    return {role: ModelChoice.model_validate(each) for role, each in models.items()}


def run(connection: socket.socket) -> None:
    """Serve the worker until it closes the connection, then exit the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    code = 1
    try:
        asyncio.run(_serve(connection))
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Skip the exit handlers copied from the parent.
        os._exit(code)


async def _serve(connection: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=connection, limit=MAX_LINE)
    channel = Channel(reader, writer)
    child = Child(channel)
    try:
        await channel.serve(child.calls, {})
        await channel.close()
    finally:
        child.close()


def _named(wanted: WantedReview, opened: OpenedChange) -> OpenedChange:
    """Give the sides of the change the names of their branches."""
    if not wanted.base_name:
        return opened
    change = opened.change
    base = change.base.model_copy(update={"name": wanted.base_name})
    head = change.head.model_copy(update={"name": wanted.head_name})
    tip = change.tip and change.tip.model_copy(update={"name": wanted.base_name})
    return replace(opened, change=change.model_copy(update={"base": base, "head": head, "tip": tip}))


def _change_request(wanted: WantedReview) -> ChangeRequest:
    if wanted.diff_text is None and not wanted.location:
        raise InputError("there is nothing to open: neither a diff nor a repository")
    diff = wanted.diff_text.encode() if wanted.diff_text is not None else None
    return ChangeRequest(
        target="-" if diff is not None else f"{wanted.base}...{wanted.head}",
        diff_text=diff,
        repo=Path(wanted.location) if wanted.location else None,
        title=wanted.title,
        description=wanted.description,
        discussion=wanted.discussion,
        address=wanted.url,
        dismissals=wanted.dismissals,
        may_be_empty=True,
    )
