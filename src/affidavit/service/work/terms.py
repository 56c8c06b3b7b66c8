"""Prepare a review: its source, its series, its options, models and prompts."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog

from affidavit.errors import UnreadableReportError
from affidavit.forges.address import PullRequestAddress, parse_change_url
from affidavit.forges.choice import ask_forge
from affidavit.forges.clones import TooLargeError, locked
from affidavit.forges.credentials import find_credentials
from affidavit.forges.opening import FetchContext, fetch_change
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.web import Patience
from affidavit.iterations.review_summary import summary_of
from affidavit.quality.prompts import choose_prompts
from affidavit.records.change import Change
from affidavit.records.iteration import StoredIteration
from affidavit.records.report import Report
from affidavit.reviewing.series import earlier_in, newest_of
from affidavit.service.kept.records import WantedReview
from affidavit.service.settings import ServiceSettings
from affidavit.store.open import Store

IsMerged = Callable[[StoredIteration], Awaitable[bool]]
"""Whether the head of an earlier review is part of the change's base by now."""
LOG = structlog.get_logger("affidavit.worker")


@dataclass(frozen=True)
class Series:
    """One tenant's reviews of one pull request or branch."""

    store: Store
    tenant: str
    repository: str
    wanted: WantedReview

    @property
    def name(self) -> str:
        """The name; empty if the change belongs to no series."""
        return self.wanted.series or ""

    async def before(self, is_merged: IsMerged, change: Change) -> dict[str, Any] | None:
        """Return the newest completed review of the series as data; None if there is none to follow."""
        if not self.name:
            return None
        try:
            newest = await asyncio.to_thread(newest_of, self.store, self.repository, self.name, self.tenant)
            if newest is None or await is_merged(newest):
                return None
            return await asyncio.to_thread(self._earlier, newest, change.head.tree)
        except UnreadableReportError as error:
            # Review all the same.
            LOG.warning("no earlier review is followed", reason=str(error))
            return None

    def _earlier(self, newest: StoredIteration, tree: str) -> dict[str, Any] | None:
        found = earlier_in(
            self.store, newest, series=self.name, tree=tree, looks_at_all=self.wanted.looks_at_all
        )
        return found.model_dump(mode="json") if found else None

    def add(self, report: Report, body: bytes) -> None:
        """Add a report, stored as these bytes, to the series; a second time has no effect."""
        if self.name:
            summary = summary_of(report, sha256(body).hexdigest())
            self.store.iterations.add(self.repository, self.name, summary, self.tenant)


async def locate_source(settings: ServiceSettings, wanted: WantedReview, cache: Path) -> WantedReview:
    """Add the folder of the repository to a request; fetch the commits of a forge first."""
    if wanted.url is None:
        return wanted
    address = parse_change_url(wanted.url, settings.forges)
    pull = await read_pull(settings, address)
    # The head is that of the moment of submission.
    pull = pull.model_copy(update={"head": wanted.head or pull.head})
    # Git makes its own connection and follows no redirect.
    await settings.reach.check(urlsplit(address.clone_url).hostname or "")
    return await asyncio.to_thread(_fetched, settings, address, pull, wanted, cache)


async def read_pull(
    settings: ServiceSettings, address: PullRequestAddress, patience: Patience | None = None
) -> PullRequest:
    """Read a pull or merge request with the service's token."""
    credentials = find_credentials(address.host, "read", settings.environment)
    return await ask_forge(
        address,
        credentials,
        lambda forge: forge.read(),
        patience,
        settings.environment,
        settings.reach.check,
    )


def _fetched(
    settings: ServiceSettings,
    address: PullRequestAddress,
    pull: PullRequest,
    wanted: WantedReview,
    cache: Path,
) -> WantedReview:
    credentials = find_credentials(address.host, "read", settings.environment)
    most = {"AFFIDAVIT_MAX_CLONE_MB": str(max(1, settings.limits.repository_bytes // 1_000_000))}
    clone = FetchContext(credentials, cache, {**settings.environment, **most}).clone_of(address)
    try:
        with locked(clone.folder):
            base = fetch_change(clone, pull)
    except TooLargeError as error:
        raise TooLargeError(
            f"{address.clone_url} has more than the {settings.limits.repository_bytes:,} bytes that this"
            " service takes: send the diff alone, or ask the operator to raise --repository-bytes"
        ) from error
    return wanted.model_copy(
        update={
            "location": str(clone.folder),
            "base": base,
            "head": pull.head,
            "base_name": pull.base_branch,
            "head_name": pull.head_branch,
            "title": wanted.title or pull.title,
            "description": wanted.description or pull.whole_description,
            "discussion": pull.discussion,
            "dismissals": pull.dismissals,
        }
    )


def options_for(settings: ServiceSettings, wanted: WantedReview, tenant: str) -> dict[str, Any]:
    """Return the options: the operator's, then the caller's; only the operator allows programs to run."""
    return {**settings.options.chosen, **wanted.options, "run": settings.runs_for(tenant)}


def models_for(settings: ServiceSettings) -> dict[str, Any]:
    """Return the model of each role as data."""
    return {role: choice.model_dump(mode="json") for role, choice in settings.models.items()}


def prompts_for(settings: ServiceSettings, store: Store, change: Change) -> dict[str, Any]:
    """Choose the prompts of a change, and the rollout that it counts for."""
    options = settings.options
    chosen = choose_prompts(store, change, version=options.prompt_version, folder=options.prompts)
    prompts = chosen.prompts
    return {
        "prompts": {
            "version": prompts.version,
            "templates": dict(prompts.templates),
            "schema_version": prompts.schema_version,
        },
        "rollout": chosen.rollout,
        "arm": chosen.arm,
        "change_key": chosen.change_key,
    }
