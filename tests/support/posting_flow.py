"""Review a pull request of a forge in memory with ruff alone, and post what comes of it."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from affidavit.config.settings import load_settings
from affidavit.forges.address import PullRequestAddress
from affidavit.forges.choice import Forge, ask_forge, open_forge
from affidavit.forges.credentials import Credentials
from affidavit.forges.opening import FetchContext, open_pull_request
from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.run import Posted, post_report
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.web import Patience
from affidavit.iterations.scope import earlier_of
from affidavit.pipeline import review
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from forge_http import ENVIRONMENT

READS, WRITES = Credentials("read"), Credentials("write")
ALL_BUT_RUFF = "hadolint,kingfisher,oxlint,shellcheck,ty,yamllint,zizmor,python"


async def no_sleep(_seconds: float) -> None:
    return


QUICK = Patience(sleep=no_sleep, timeout_seconds=10)


POSTER = {"AFFIDAVIT_POST_AS": "affidavit[bot]"}


def read_request(address: PullRequestAddress, *how: Any) -> PullRequest:
    """The pull request as a reader's credentials, patience and environment show it."""

    def read(forge: Forge) -> Awaitable[PullRequest]:
        return forge.read()

    credentials, *more = how
    return asyncio.run(ask_forge(address, credentials, read, *more))


def reviewed(
    address: PullRequestAddress,
    cache: Path,
    environment: dict[str, str] | None = None,
    previous: Report | None = None,
    **flags: Any,
) -> Report:
    """The report on the pull request as it is now; nothing of it can write."""
    earlier = earlier_of(previous, "0" * 64) if previous else None
    pull = read_request(address, READS, QUICK, POSTER if environment is None else environment)
    with open_pull_request(pull, FetchContext(READS, cache, ENVIRONMENT)) as opened:
        chosen = {"analysers_off": ALL_BUT_RUFF, **flags}
        settings = load_settings(opened.repository.base, {}, chosen)
        crew = assemble_crew(settings, cache)
        return asyncio.run(review(opened.change, opened.repository, settings, crew, earlier=earlier))


def post(
    address: PullRequestAddress,
    report: Report,
    credentials: Credentials = WRITES,
    **options: Any,
) -> Posted:
    """Post it as the command does."""

    async def run() -> Posted:
        forge = open_forge(address, credentials, QUICK, {})
        try:
            return await post_report(forge, report, PostOptions(**options), address.url)
        finally:
            await forge.close()

    return asyncio.run(run())
