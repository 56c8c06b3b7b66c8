"""The process that works on one untrusted change: it opens it, reviews it, and knows no secret."""

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
import affidavit.tools.toolbox  # noqa: F401 - loaded, so that no cell has to
from affidavit.diff.parse import OpenedChange
from affidavit.errors import InputError
from affidavit.events import Event
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import GivenLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.roles import minds_from
from affidavit.ports import Mind, Role
from affidavit.prompts import PromptSet
from affidavit.records.iteration import Earlier, StoredIteration
from affidavit.records.report import Report
from affidavit.redaction.text import redact_text
from affidavit.reviewing.hold import Given, hold, settings_for
from affidavit.reviewing.models import ledger_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.series import is_merged, repository_of
from affidavit.service.cell import requests
from affidavit.service.cell.channel import Channel, Served
from affidavit.service.cell.distant import DistantLines
from affidavit.service.kept.records import WantedReview
from affidavit.stages.looking.intake import ChangeRequest, open_change


def warm() -> None:
    """Make the readers of messages, and the patterns of secrets."""
    ModelMessagesTypeAdapter.validate_python([])
    redact_text("nothing that is secret")


class Cell:
    """What the worker may ask of a cell; one change for as long as it lives."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lines = DistantLines(channel)
        self._opened: OpenedChange | None = None
        self._most_usd: float | None = None
        self.calls: dict[str, Served] = {
            "use": self.use,
            "afford": self.afford,
            "open": self.open,
            "merged": self.merged,
            "review": self.review,
            "pay": self._lines.pay,
            "recheck": self.recheck,
            "question": self.question,
            "estimate": self.estimate,
            "lines": self.lines,
            "map": self.map,
            "revisions": self.revisions,
        }

    async def use(self, cache: str) -> None:
        """Keep what can be made again in this folder: it is that of the tenant."""
        os.environ["AFFIDAVIT_CACHE"] = cache

    async def afford(self, usd: float | None) -> None:
        """Spend no more than this on the review, whatever its own budget; None: only that counts."""
        self._most_usd = usd

    async def open(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Open the change; it is known then, and stays open."""
        named = WantedReview.model_validate(wanted)
        request = _change_request(named)
        self._opened = _named(named, await asyncio.to_thread(open_change, request))
        return {
            "change": self._opened.change.model_dump(mode="json"),
            "repository": repository_of(self._opened),
            "notices": list(self._opened.notices),
        }

    async def merged(self, iteration: dict[str, Any]) -> bool:
        """Whether the head of an earlier review is part of the opened change's base by now."""
        before = StoredIteration.model_validate(iteration)
        return await asyncio.to_thread(is_merged, before, self._change)

    async def review(
        self,
        review_id: str,
        began: float,
        options: dict[str, Any],
        environment: dict[str, str],
        models: dict[Role, Any],
        prompts: dict[str, Any] | None,
        exchanges: list[dict[str, Any]],
        earlier: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Review the opened change, which follows an earlier review or none; the report comes back."""
        chosen = ReviewOptions(**options)
        settings = settings_for(self._change, chosen, environment=environment)
        log = GivenLog(exchanges, lambda key, body: self._channel.tell("exchange", key=key, body=body))
        minds: Mapping[Role, Mind] | None = None
        if prompts is not None:
            choices = {role: ModelChoice.model_validate(each) for role, each in models.items()}
            minds = minds_from(
                choices, ledger=ledger_of(settings, self._most_usd), log=log, lines=self._lines.to
            )
        report = await hold(
            self._change,
            settings,
            chosen,
            PromptSet(**prompts) if prompts is not None else None,
            self._emit,
            earlier=Earlier.model_validate(earlier) if earlier else None,
            # What programs and servers answered is kept, too: models were told so.
            given=Given(log, minds, review_id, began),
        )
        return report.model_dump(mode="json")

    async def recheck(
        self, report: dict[str, Any], folder: str | None, finding: str | None = None
    ) -> dict[str, Any]:
        """Prove a report again, or one finding of it."""
        return await requests.recheck_report(Report.model_validate(report), _folder(folder), finding)

    async def question(
        self, report: dict[str, Any], folder: str | None, finding: str, question: str, model: dict[str, Any]
    ) -> dict[str, Any]:
        """Ask the reporter's model about a finding."""
        choices: dict[Role, ModelChoice] = {"reporter": ModelChoice.model_validate(model)}
        log = GivenLog([], lambda key, body: self._channel.tell("exchange", key=key, body=body))
        mind = minds_from(choices, ledger=Ledger(), log=log, lines=self._lines.to)["reporter"]
        recorded = Report.model_validate(report)
        return await requests.ask_about(recorded, _folder(folder), finding, question, mind)

    async def estimate(
        self,
        options: dict[str, Any],
        environment: dict[str, str],
        models: dict[Role, Any],
        prompts: dict[str, Any],
        earlier: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """What a review of the opened change would cost, which follows an earlier review or none."""
        chosen = ReviewOptions(**options)
        settings = settings_for(self._change, chosen, environment=environment)
        choices = {role: ModelChoice.model_validate(each) for role, each in models.items()}
        followed = Earlier.model_validate(earlier) if earlier else None
        # It holds a review of its own, in an event loop of its own.
        return await asyncio.to_thread(
            requests.estimate, self._change, settings, choices, PromptSet(**prompts), chosen, followed
        )

    async def lines(
        self, report: dict[str, Any], folder: str | None, wanted: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Lines of a file that a report speaks of."""
        recorded, part = Report.model_validate(report), requests.FilePart.model_validate(wanted)
        return await asyncio.to_thread(requests.lines_of_file, recorded, _folder(folder), part)

    async def map(self, report: dict[str, Any], folder: str | None) -> dict[str, Any]:
        """The map of a report's change."""
        return await asyncio.to_thread(requests.map_of_change, Report.model_validate(report), _folder(folder))

    async def revisions(self, folder: str) -> dict[str, Any]:
        """What can be named in a repository."""
        return await asyncio.to_thread(requests.revisions_of, Path(folder))

    @property
    def _change(self) -> OpenedChange:
        if self._opened is None:
            raise InputError("no change is open")
        return self._opened

    def _emit(self, event: Event) -> None:
        self._channel.tell("event", name=str(event.name), data=event.data)

    def close(self) -> None:
        """Let go of the change."""
        if self._opened is not None:
            self._opened.close()


def live(connection: socket.socket) -> None:
    """Serve the worker until it hangs up; nothing is left then. Does not return."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    code = 1
    try:
        asyncio.run(_serve(connection))
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # What was copied from the process that made this one is not ours to clean up.
        os._exit(code)


async def _serve(connection: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=connection)
    channel = Channel(reader, writer)
    cell = Cell(channel)
    try:
        await channel.serve(cell.calls, {})
        await channel.close()
    finally:
        cell.close()


def _folder(text: str | None) -> Path | None:
    return Path(text) if text else None


def _named(wanted: WantedReview, opened: OpenedChange) -> OpenedChange:
    """The change with the names that people gave to its sides, not only the commits they stood for."""
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
    is_diff = wanted.diff_text is not None
    return ChangeRequest(
        target="-" if is_diff else f"{wanted.base}...{wanted.head}",
        diff_text=wanted.diff_text.encode() if wanted.diff_text is not None else None,
        repo=_folder(wanted.location),
        title=wanted.title,
        description=wanted.description,
        discussion=wanted.discussion,
        address=wanted.url,
        dismissals=wanted.dismissals,
        may_be_empty=True,
    )
