"""From a request for a review to a review in the queue; what cannot be reviewed is refused before that."""

import asyncio
import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

from affidavit.config.readers import READERS
from affidavit.diff.parse import parse_diff
from affidavit.errors import MalformedDiffError
from affidavit.events import now_iso
from affidavit.forges.address import parse_change_url
from affidavit.git.confined.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.revisions import resolve_commit
from affidavit.lab.rollout.book import RolloutBook
from affidavit.records.review import KeptReview, ReviewSource, WantedReview
from affidavit.service.access.caller import Caller
from affidavit.service.access.room import check_room
from affidavit.service.api.ending import note
from affidavit.service.api.shapes import ReviewOptions, ReviewRequest
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.work.source import read_pull
from affidavit.store.reviews import Wanted


async def submit(
    parts: Parts, caller: Caller, request: ReviewRequest, idempotency_key: str | None
) -> tuple[KeptReview, bool]:
    """The review, queued or as it stands already; and whether it is new."""
    await check_room(parts, caller)
    wanted = await wanted_review(parts, caller, request)
    return await enqueue(parts, caller, wanted, again=request.again, idempotency_key=idempotency_key)


async def enqueue(
    parts: Parts, caller: Caller, wanted: WantedReview, *, again: bool, idempotency_key: str | None
) -> tuple[KeptReview, bool]:
    """Keep a review and put it into the queue, unless there is one of the same change."""
    new = Wanted(
        id=str(uuid.uuid4()),
        tenant=caller.tenant,
        created_at=now_iso(),
        submitted_by=caller.name,
        change_key=await asyncio.to_thread(change_key, parts, wanted),
        idempotency_key=idempotency_key,
        request=wanted,
    )
    review, is_new = await asyncio.to_thread(parts.reviews.add, new, again=again)
    if is_new:
        await note(parts, caller, "review.submit", review.id)
        # Where this fails, the review is in the store, and a worker puts it into the queue.
        await parts.work.enqueue(review.id, review.tenant)
    return review, is_new


async def wanted_review(parts: Parts, caller: Caller, request: ReviewRequest) -> WantedReview:
    """What is to be reviewed, checked as far as that can be done before it is."""
    words = {"title": request.title, "description": request.description}
    options = _checked_options(request.options)
    if request.diff_text is not None:
        await asyncio.to_thread(_check_diff, request.diff_text, parts.settings.limits.diff_bytes)
        return WantedReview(source="diff", diff_text=request.diff_text, options=options, **words)
    if request.repository is not None:
        known = {one.name: one for one in await asyncio.to_thread(parts.access.repositories, caller.tenant)}
        if request.repository not in known:
            raise Refusal(
                422,
                f"this server knows no repository {request.repository!r}",
                "GET /api/repositories lists those it knows; the operator adds one with"
                " `affidavit repository add NAME PATH`.",
            )
        location = known[request.repository].location
        base, head = await asyncio.to_thread(_commits, Path(location), request.base or "", request.head or "")
        return WantedReview(
            source="repository",
            repository=request.repository,
            location=location,
            base=base,
            head=head,
            options=options,
            **words,
        )
    return await _of_forge(parts, request, options)


async def _of_forge(parts: Parts, request: ReviewRequest, options: dict[str, Any]) -> WantedReview:
    """A pull or merge request, read now: its head names the change."""
    url = request.github_url or request.gitlab_url or ""
    source: ReviewSource = "github" if request.github_url else "gitlab"
    address = parse_change_url(url, parts.settings.forges)
    if address.host.kind != source:
        raise Refusal(422, f"{address.url} is not on {source}", f"Send it as {address.host.kind}_url.")
    pull = await read_pull(parts.settings, address)
    return WantedReview(
        source=source,
        url=address.url,
        repository=address.repository,
        head=pull.head,
        title=request.title,
        description=request.description,
        options=options,
    )


def _check_diff(text: str, most: int) -> None:
    data = text.encode()
    if len(data) > most:
        raise Refusal(
            413,
            f"the diff has {len(data):,} bytes; this server takes {most:,}",
            "Review it in smaller parts.",
        )
    try:
        parse_diff(data)
    except MalformedDiffError as error:
        raise Refusal(
            422, f"diff_text is no unified diff: {error}", "Send what `git diff` prints, whole."
        ) from error


def _commits(folder: Path, *names: str) -> list[str]:
    location = find_repository(folder)
    store = ObjectStore(location)
    try:
        return [resolve_commit(store, location, name) for name in names]
    finally:
        store.close()


def _checked_options(options: ReviewOptions) -> dict[str, Any]:
    """The options by the names of a review's; an unknown word is refused here, not in the queue."""
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


def change_key(parts: Parts, wanted: WantedReview) -> str:
    """The same for the same change, asked for with the same settings of the same models."""
    book = RolloutBook(parts.store)
    running = book.running()
    models = {role: choice.model_dump(mode="json") for role, choice in parts.settings.models.items()}
    content = {
        "wanted": wanted.model_dump(mode="json"),
        "models": models,
        "prompts": [book.current().name, running.number if running else None],
        "options": {name: str(value) for name, value in parts.settings.options.items()},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
