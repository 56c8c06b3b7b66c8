"""Post a report: plan, apply and read again until nothing is left to do."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from affidavit.errors import ForgeError, InputError
from affidavit.forges.answers import Decision, read_decisions
from affidavit.forges.choice import Forge
from affidavit.forges.posting.actions import (
    Action,
    PostInline,
    PostOptions,
    PostReview,
    SetGate,
    WithdrawVerdict,
)
from affidavit.forges.posting.plan import plan_actions
from affidavit.forges.standing import Standing
from affidavit.records.record import Record
from affidavit.records.report import Report

MAY_BE_POSTED = (0, 3)
"""Exit codes of a recheck: everything was proven, or a part could not be."""


def read_recheck(content: bytes, digest: str) -> tuple[str, ...]:
    """Return what a recheck of these very bytes could not prove; raise InputError if it failed."""
    try:
        given = json.loads(content)
        rechecked, code = given["report_sha256"], given["exit_code"]
        proofs: list[dict[str, Any]] = given["proofs"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"--rechecked: this is not what `affidavit recheck --format json` prints ({error})"
        ) from error
    if rechecked != digest:
        raise InputError(
            f"--rechecked: it confirms another report (sha256 {str(rechecked)[:12]}, not {digest[:12]})"
        )
    failed = [_named(proof) for proof in proofs if proof.get("holds") is False]
    if code not in MAY_BE_POSTED or failed:
        raise InputError(
            f"--rechecked: the recheck ended with {code}, so the report is not posted: "
            f"{'; '.join(failed[:3]) or 'it could not be proven again'}"
        )
    return tuple(_named(proof) for proof in proofs if proof.get("holds") is None)


def _named(proof: dict[str, Any]) -> str:
    named = " ".join(str(proof.get(name) or "") for name in ("finding", "kind")).strip()
    return f"{named}: {proof.get('detail') or ''}"[:500]


NOBODYS = (
    "which comments are ours could not be looked up, so everything is planned as if it were new: name the "
    "account that posts in AFFIDAVIT_POST_AS"
)
MAX_ROUNDS = 6
REFUSED = (400, 422)


class Posted(Record):
    """The actions of a posting, done or planned."""

    state: Literal["posted", "planned"]
    url: str
    actions: tuple[Action, ...] = ()
    notes: tuple[str, ...] = ()
    """Actions that the forge refused, and what was done instead."""
    decisions: tuple[Decision, ...] = ()
    """People's decisions on findings."""


async def plan_posting(forge: Forge, report: Report, options: PostOptions, url: str) -> Posted:
    standing = await forge.standing(_head_of(report))
    check_postable(report, standing, url)
    actions = plan_actions(report, standing, forge.limits, options)
    decisions = tuple(read_decisions(standing))
    notes = [*standing.not_read, *([] if standing.account else [NOBODYS])]
    return Posted(state="planned", url=url, actions=tuple(actions), notes=tuple(notes), decisions=decisions)


async def post_report(forge: Forge, report: Report, options: PostOptions, url: str) -> Posted:
    """Post a report; an interrupted run can be repeated without duplicates."""
    head = _head_of(report)
    done: list[Action] = []
    notes: list[str] = []
    gate: list[Action] = []
    standing = Standing()
    for rounds_left in reversed(range(MAX_ROUNDS)):
        standing = await forge.standing(head)
        check_postable(report, standing, url)
        _require_account(standing)
        actions = plan_actions(report, standing, forge.limits, options)
        gate = [one for one in actions if isinstance(one, SetGate)]
        open_actions = [one for one in actions if not isinstance(one, SetGate)]
        if not open_actions:
            break
        try:
            options = await _apply_round(forge, open_actions, options, done, notes)
        except ForgeError as error:
            # The next round shows whether it was done before the answer was lost.
            if not error.retryable or not rounds_left:
                raise
            notes.append(str(error))
    for action in gate:
        await _apply_gate(forge, action, done, notes)
    return Posted(
        state="posted",
        url=url,
        actions=tuple(done),
        notes=tuple(dict.fromkeys(notes)),
        decisions=tuple(read_decisions(standing)),
    )


def check_postable(report: Report, standing: Standing, url: str) -> None:
    """Raise InputError for a report of another request or head, and for a locked request."""
    head = _head_of(report)
    if report.change.request and report.change.request != url:
        raise InputError(f"the report is about {report.change.request}, not about {url}")
    if standing.head and standing.head != head:
        raise InputError(
            f"{url} has new commits: the report is about {head[:12]}, its head is {standing.head[:12]}; "
            "review it again"
        )
    if standing.is_locked:
        raise InputError(f"{url} is locked: nobody can comment there")


def _require_account(standing: Standing) -> None:
    """Raise ForgeError if our account is unknown: every run would repeat all comments."""
    if not standing.account:
        because = f" ({'; '.join(standing.not_read)})" if standing.not_read else ""
        raise ForgeError(
            "the forge does not say whose token this is, so our own comments cannot be told from others': "
            "give a token of an account, not that of a job, or name the account in AFFIDAVIT_POST_AS"
            f"{because}",
            status=401,
        )


def _head_of(report: Report) -> str:
    head = report.change.head.commit
    if not head:
        raise InputError("the report is about uncommitted changes, so it cannot be posted")
    return head


async def _apply_round(
    forge: Forge, actions: Sequence[Action], options: PostOptions, done: list[Action], notes: list[str]
) -> PostOptions:
    """Apply all actions; return options that plan refused ones differently in the next round."""
    for action in actions:
        try:
            await forge.apply(action)
        except ForgeError as error:
            options = _options_without(action, error, options)
            notes.append(str(error))
            if isinstance(action, PostReview):
                # Its comments were not posted, so this round ends.
                return options
        else:
            done.append(action)
    return options


def _options_without(action: Action, error: ForgeError, options: PostOptions) -> PostOptions:
    """Return options that avoid a refused action; raise the error if there is no other way."""
    if isinstance(action, PostInline) and error.status in REFUSED:
        return options.model_copy(update={"refused": options.refused | {action.comment.place}})
    if isinstance(action, PostReview) and error.status == 422 and action.comments:
        # One comment was refused, so all were: post them one by one from now on.
        return options.model_copy(update={"refused": options.refused | {"together"}})
    if isinstance(action, PostReview) and error.status in (401, 403, 404, 422) and action.event != "comment":
        # Many tokens may comment and not approve.
        return options.model_copy(update={"may_approve": False, "may_block": False})
    if isinstance(action, WithdrawVerdict) and error.status in (403, 404, 422):
        return options
    raise error


async def _apply_gate(forge: Forge, action: Action, done: list[Action], notes: list[str]) -> None:
    """Set the gate; note a refusal, since comments without it are better than none."""
    try:
        await forge.apply(action)
    except ForgeError as error:
        if error.status not in (400, 401, 403, 404, 422):
            raise
        notes.append(f"the gate could not be set: {error}")
    else:
        done.append(action)
