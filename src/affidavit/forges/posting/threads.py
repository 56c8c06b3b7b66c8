"""Threads of ours that are closed or opened again: what became of their findings in, actions out."""

from collections.abc import Sequence

from affidavit.forges.posting.actions import Action, Reply, Resolve, Unresolve
from affidavit.forges.posting.bodies import back_body, fixed_body
from affidavit.forges.posting.fates import Fate
from affidavit.forges.standing import OwnNote
from affidavit.records.report import Report


def close_fixed(fates: Sequence[Fate], report: Report) -> list[Action]:
    """Own threads only, and each once: resolved, or answered where that is not allowed."""
    actions: list[Action] = []
    for fate in fates:
        note, last = fate.note, _last_word(fate.note)
        if fate.kind != "fixed" or last == "fixed" or (note.is_resolved and not last):
            continue
        body = fixed_body(note.mark.fingerprint, fate.reason, report, is_resolved=note.is_resolved)
        if last == "back":
            # Whoever reads the thread read that it is back; else the next return would seem to be said.
            actions.append(Reply(note=note.id, thread=note.thread, body=body))
            body = ""
        if not note.is_resolved:
            actions.append(Resolve(note=note.id, thread=note.thread, instead=body))
    return actions


def open_again(fates: Sequence[Fate], report: Report, account: str) -> list[Action]:
    """Threads whose finding is back: what we resolved is opened; what people resolved is answered, once."""
    actions: list[Action] = []
    for fate in fates:
        note, last = fate.note, _last_word(fate.note)
        if not _is_open(fate) or last == "back":
            continue
        body = back_body(note.mark.fingerprint, report, is_resolved=note.is_resolved)
        if _is_resolved_by(note, account):
            actions.append(Unresolve(note=note.id, thread=note.thread, instead=body))
        elif last == "fixed" or (note.is_resolved and _is_blocking(fate, report)):
            actions.append(Reply(note=note.id, thread=note.thread, body=body))
    return actions


def left_resolved(fates: Sequence[Fate], account: str) -> frozenset[str]:
    """The candidates that are open in a thread that stays resolved."""
    return frozenset(
        fate.candidate.id
        for fate in fates
        if fate.candidate and _is_open(fate) and fate.note.is_resolved and not _is_opened(fate.note, account)
    )


def _is_opened(note: OwnNote, account: str) -> bool:
    return _is_resolved_by(note, account) and _last_word(note) != "back"


def _is_open(fate: Fate) -> bool:
    return fate.kind in ("open", "moved") and fate.candidate is not None and fate.candidate.is_shown


def _is_blocking(fate: Fate, report: Report) -> bool:
    return fate.candidate is not None and fate.candidate.id in (
        *report.verdict.blocking,
        *report.gate.failed_by,
    )


def _is_resolved_by(note: OwnNote, account: str) -> bool:
    # Some interfaces leave out what others write behind the name of an App.
    names = {one.removesuffix("[bot]") for one in (note.resolved_by, account)}
    return note.is_resolved and bool(note.resolved_by) and len(names) == 1


def _last_word(note: OwnNote) -> str:
    """What we said last in the thread about whether it is fixed; empty where nothing."""
    return next((own.to for own in reversed(note.own_replies) if own.to in ("fixed", "back")), "")
