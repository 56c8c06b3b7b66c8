"""Check a request for a review and queue the review."""

import asyncio
import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.config.readers import READERS
from affidavit.diff.parse import parse_diff
from affidavit.errors import MalformedDiffError
from affidavit.events import now_iso
from affidavit.forges.address import parse_change_url
from affidavit.forges.pull_request import PullRequest
from affidavit.forges.web import Patience
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.revisions import branch_named, merge_base, resolve_commit
from affidavit.git.text import decode_path
from affidavit.quality.rollout import current_versions, running_rollout
from affidavit.service.api.access import Caller, with_room
from affidavit.service.api.shapes import RequestedOptions, ReviewRequest
from affidavit.service.api.visits import QUICK
from affidavit.service.kept.records import KeptReview, ReviewSource, WantedReview
from affidavit.service.kept.reviews import Wanted
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.work.terms import read_pull
from affidavit.system.private_files import bytes_in


@dataclass(frozen=True)
class CheckedRange:
    """Two commits with a common ancestor."""

    base: str
    head: str
    branch: str
    """The branch that named the head; empty for a commit's id, a tag or an expression."""


def check_range(folder: Path, base: str, head: str, most_bytes: int) -> CheckedRange:
    """Resolve two commits; refuse unknown or unrelated ones, and a repository that is too large."""
    location = find_repository(folder)
    size = bytes_in(location.objects)
    if size > most_bytes:
        raise Refusal(
            413,
            f"the repository has {size:,} bytes; this server takes {most_bytes:,}",
            "Send the diff alone, or ask the operator to raise --repository-bytes.",
        )
    store = ObjectStore(location)
    try:
        old, new = (resolve_commit(store, location, name) for name in (base, head))
        merge_base(store, location, old, new)
        return CheckedRange(old, new, branch_named(store.git, head))
    finally:
        store.close()


WHILE_SOMEBODY_WAITS = Patience(
    attempts=2, first_wait_seconds=0.2, max_wait_seconds=2.0, timeout_seconds=10.0
)
"""A caller learns soon that a forge cannot be reached, and may retry."""


async def submit(parts: Parts, caller: Caller, request: ReviewRequest) -> tuple[KeptReview, bool]:
    """Return the review, queued or known already; and whether it is new."""
    wanted = await wanted_review(parts, caller, request)
    return await queue_review(parts, caller, wanted, again=request.again)


async def submit_again(parts: Parts, caller: Caller, review: KeptReview) -> KeptReview:
    """Queue a new review of the same change with the same options."""
    if not review.is_finished:
        raise Refusal(409, f"the review is {review.status}", "Ask for a new one when it is over.")
    if review.is_adopted:
        raise Refusal(409, "the command line made this review", "Run `affidavit review` again.")
    wanted = await asyncio.to_thread(parts.reviews.request, review.id)
    if wanted is None:
        raise Refusal(404, "this review is gone")
    return (await queue_review(parts, caller, await _wanted_again(parts, caller, wanted), again=True))[0]


async def _wanted_again(parts: Parts, caller: Caller, wanted: WantedReview) -> WantedReview:
    """Return the same change; a pull or merge request as it is now."""
    if wanted.source == "diff":
        return wanted
    if wanted.source == "repository":
        location = await _location(parts, caller, wanted.repository or "")
        await _checked_range(parts, caller, location, wanted)
        return wanted.model_copy(update={"location": location})
    request = ReviewRequest.model_validate(
        {
            f"{wanted.source}_url": wanted.url,
            "title": wanted.title,
            "description": wanted.description,
            "series": wanted.series,
            "all": wanted.looks_at_all,
        }
    )
    return await _of_forge(parts, request, wanted.options)


async def queue_review(
    parts: Parts,
    caller: Caller,
    wanted: WantedReview,
    *,
    again: bool = False,
) -> tuple[KeptReview, bool]:
    """Queue a review whose request was checked; without `again`, a known one of the same change counts."""
    new = await asyncio.to_thread(new_review, parts, caller, wanted)
    review, is_new = await with_room(
        parts, caller, lambda most: parts.reviews.add(new, again=again, most=most)
    )
    if is_new:
        # If this fails, the review is in the store, and a worker queues it later.
        await parts.work.enqueue(review.id, review.tenant)
    return review, is_new


def new_review(parts: Parts, caller: Caller, wanted: WantedReview) -> Wanted:
    """Return the requested review, as it would be stored."""
    return Wanted(
        id=str(uuid.uuid4()),
        tenant=caller.tenant,
        created_at=now_iso(),
        submitted_by=caller.name,
        change_key=change_key(parts, caller.tenant, wanted),
        request=wanted,
    )


async def wanted_review(parts: Parts, caller: Caller, request: ReviewRequest) -> WantedReview:
    """Check a request and return what to review."""
    words = {"title": request.title, "description": request.description}
    options, following = _checked_options(request.options), _following(request)
    if request.diff_text is not None:
        name = await asyncio.to_thread(_check_diff, request.diff_text, parts.settings.limits.diff_bytes)
        words["title"] = request.title.strip() or name
        return WantedReview(source="diff", diff_text=request.diff_text, options=options, **following, **words)
    if request.repository is not None:
        location = await _location(parts, caller, request.repository)
        span = await _checked_range(parts, caller, location, request)
        return WantedReview(
            source="repository",
            repository=request.repository,
            location=location,
            base=span.base,
            head=span.head,
            base_name=request.base or "",
            head_name=request.head or "",
            options=options,
            **{**following, "series": following["series"] or span.branch or None},
            **words,
        )
    return await _of_forge(parts, request, options)


async def _checked_range(
    parts: Parts, caller: Caller, location: str, asked: ReviewRequest | WantedReview
) -> CheckedRange:
    """Resolve base and head."""
    most = parts.settings.limits.repository_bytes
    async with QUICK.of(caller.tenant):
        names = asked.base or "", asked.head or ""
        return await asyncio.to_thread(check_range, Path(location), *names, most)


async def _location(parts: Parts, caller: Caller, name: str) -> str:
    """Return the folder of a known repository."""
    known = {one.name: one for one in await asyncio.to_thread(parts.access.repositories, caller.tenant)}
    if name not in known:
        raise Refusal(
            422,
            f"this server knows no repository {name!r}",
            "GET /api/me lists its repositories; the operator adds one with `affidavit repository add`.",
        )
    return known[name].location


def _following(request: ReviewRequest) -> dict[str, Any]:
    """Return the caller's choice of series, and whether models examine everything again."""
    return {"series": request.series, "looks_at_all": request.all}


async def _of_forge(parts: Parts, request: ReviewRequest, options: dict[str, Any]) -> WantedReview:
    """Read a pull or merge request and return what to review."""
    url = request.github_url or request.gitlab_url or ""
    source: ReviewSource = "github" if request.github_url else "gitlab"
    address = parse_change_url(url, parts.settings.forges)
    if address.host.kind != source:
        raise Refusal(422, f"{address.url} is not on {source}", f"Send it as {address.host.kind}_url.")
    return review_of(await read_pull(parts.settings, address, WHILE_SOMEBODY_WAITS), request, options)


def review_of(
    pull: PullRequest, request: ReviewRequest, options: dict[str, Any] | None = None
) -> WantedReview:
    """Return what to review of a pull or merge request."""
    address = pull.address
    return WantedReview(
        source=address.host.kind,
        url=address.url,
        repository=address.repository,
        head=pull.head,
        # A dismissal makes another review of the same head.
        dismissals=pull.dismissals,
        title=request.title,
        description=request.description,
        options=options or {},
        **{**_following(request), "series": request.series or address.url},
    )


def _check_diff(text: str, most: int) -> str:
    """Check a diff, and return a title made of its files."""
    data = text.encode()
    if len(data) > most:
        raise Refusal(
            413,
            f"the diff has {len(data):,} bytes; this server takes {most:,}",
            "Review it in smaller parts.",
        )
    try:
        files = parse_diff(data)
    except MalformedDiffError as error:
        raise Refusal(
            422, f"diff_text is not a unified diff: {error}", "Send what `git diff` prints, whole."
        ) from error
    return name_of_diff([decode_path(file.new_name or file.old_name or b"") for file in files])


def name_of_diff(paths: Sequence[str]) -> str:
    """Return a title such as `app.py and 2 more files`."""
    if not paths:
        return ""
    others = len(paths) - 1
    return paths[0] if not others else f"{paths[0]} and {others} more file{'s' * (others > 1)}"


def _checked_options(options: RequestedOptions) -> dict[str, Any]:
    """Check the options and return them under the names of review options."""
    chosen: dict[str, Any] = {
        "focus": ",".join(options.focus_areas) if options.focus_areas else None,
        "severity_threshold": options.severity_threshold,
        "include_style": options.include_style,
        "nits": options.nits,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    for name, value in given.items():
        try:
            READERS[name](value)
        except ValueError as error:
            raise Refusal(422, f"options: {error}") from error
    return given


def change_key(parts: Parts, tenant: str, wanted: WantedReview) -> str:
    """Return a key that is the same for the same change, settings and models."""
    running = running_rollout(parts.store)
    models = {role: choice.model_dump(mode="json") for role, choice in parts.settings.models.items()}
    content = {
        # The name of a commit does not make it another change.
        "wanted": wanted.model_dump(mode="json", exclude={"base_name", "head_name"}),
        "models": models,
        "run": parts.settings.runs_for(tenant),
        "prompts": [current_versions(parts.store).name, running.number if running else None],
        "options": parts.settings.options.chosen,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
