"""A finished review in, what became of each finding of the one before out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from affidavit.iterations.following.matching import fingerprints_of
from affidavit.iterations.following.trace import Trace
from affidavit.records.candidate import Candidate, Status
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.iteration import DecidedBy, EarlierFinding, Fate, FindingDecision


@dataclass(frozen=True)
class Entry:
    """One finding of the earlier review on its way through this one."""

    earlier: EarlierFinding
    trace: Trace
    now: str | None = None
    """The id of the candidate that it lives on as."""
    settled: tuple[Fate, DecidedBy, str] | None = None
    """What is decided before anybody is asked."""
    is_rewritten: bool = False
    """The content of its file is not what it was."""
    some_fixed: bool = False
    """Some of the places that it stood for are not as they were."""
    places: tuple["Entry", ...] = ()
    """What an analyser's finding stood for: each is followed as a finding of its own."""
    silenced: Candidate | None = None
    """What its analyser says of it now, withheld for a comment of the change."""


@dataclass(frozen=True)
class Carrying:
    """All of them; empty for the first review of a change."""

    entries: tuple[Entry, ...] = ()


def is_brought(candidate: Candidate) -> bool:
    """It comes from the review before, and nobody of this one has repeated it."""
    return candidate.carried is not None and not candidate.carried.is_repeated


def decide(entry: Entry, known: Mapping[str, Candidate]) -> FindingDecision:
    """What became of one finding, by the candidates of the finished report."""
    earlier, finding = entry.earlier, entry.earlier.candidate.finding
    now = _living(entry.now, known)
    fate, by, reason = entry.settled or _fate(entry, known.get(entry.now or ""), now)
    is_open = fate not in ("fixed", "dismissed")
    first = earlier.candidate
    return FindingDecision(
        key=earlier.key,
        earlier=first.id,
        fingerprint=first.fingerprint,
        title=finding.title if finding else "",
        severity=finding.severity if finding else Severity.INFO,
        file=finding.file if finding else "",
        line=finding.line if finding else 0,
        specialist=first.specialist,
        fate=fate,
        by=by,
        reason=reason,
        now=now.id if now and fate != "fixed" else None,
        code_changed=entry.trace.outcome in ("changed", "gone") or (fate == "fixed" and entry.is_rewritten),
        times=earlier.times + is_open,
    )


def decided_again(then: Sequence[FindingDecision], now: Sequence[FindingDecision]) -> list[FindingDecision]:
    """A second review of the same head: what the first one decided of the push, as far as it still holds."""
    since = {one.earlier: one for one in now}
    decisions: list[FindingDecision] = []
    for one in then:
        again = since.get(one.now or "")
        if again is None:
            decisions.append(one)
        elif again.fate == "still_open":
            decisions.append(one.model_copy(update={"now": again.now, "times": again.times}))
        else:
            kept = {name: getattr(again, name) for name in ("fate", "by", "reason", "now", "times")}
            decisions.append(one.model_copy(update=kept))
    return decisions


def _living(name: str | None, known: Mapping[str, Candidate]) -> Candidate | None:
    """The candidate that stands for one, whatever it became a duplicate of."""
    seen: set[str] = set()
    while name is not None and name in known and name not in seen:
        seen.add(name)
        one = known[name]
        if one.withheld is None or one.withheld.code is not Reason.DUPLICATE_OF:
            return one
        name = one.withheld.detail
    return None


def _fate(entry: Entry, own: Candidate | None, now: Candidate | None) -> tuple[Fate, DecidedBy, str]:
    """What a candidate of the finished report says of the finding that it was."""
    if own is None or now is None:
        return "cannot_tell", "evidence", entry.trace.detail
    by, reason = _decided_by(own, now)
    if now.carried and now.carried.is_first_judged and now.status is Status.FALSE_POSITIVE:
        return "cannot_tell", by, f"its code stands as it stood, and the claim is refuted: {reason}"
    if now.status is Status.FALSE_POSITIVE or (now.withheld and now.withheld.code is Reason.FIXED):
        return "fixed", by, now.withheld.detail if now.withheld else reason
    if now.withheld and now.withheld.code is Reason.DISMISSED:
        return "dismissed", "people", now.withheld.detail
    is_unsure = is_brought(now) and now.status is Status.UNVERIFIED
    if is_unsure and entry.trace.outcome == "changed":
        return "cannot_tell", "evidence", reason
    if now.kind == "mechanical" and is_brought(now) and now.status is Status.UNVERIFIED:
        return "cannot_tell", "analyser", reason
    is_partly = entry.some_fixed or (
        entry.trace.outcome == "changed" and by == "verifier" and _is_milder(entry, now)
    )
    return ("partly_fixed" if is_partly else "still_open"), by, reason


def _decided_by(own: Candidate, now: Candidate) -> tuple[DecidedBy, str]:
    check = now.reproduction
    if check is not None and check.outcome in ("reproduced", "reproduced_new", "not_reproduced"):
        return "reproduction", check.detail or check.outcome.replace("_", " ")
    if own.kind == "mechanical":
        # Another analyser may report what its own did not look for.
        return "analyser", _analyser_says(now if now.is_proven_by_machine else own)
    said = [one for one in now.judgements if one.by in ("verifier", "ruling") and one.answer]
    if said:
        return "verifier", said[-1].reason
    stood = next((one for one in now.judgements if one.by == "earlier" and one.answer), None)
    if stood is not None:
        return "evidence", stood.reason
    if not is_brought(now):
        return "repetition", f"{now.specialist} reports it again"
    return "evidence", now.judgements[-1].reason if now.judgements else ""


def _analyser_says(own: Candidate) -> str:
    if is_brought(own) or own.finding is None:
        return own.judgements[-1].reason if own.judgements else ""
    return f"{own.specialist} reports it at {own.finding.file}:{own.finding.line}"


def _is_milder(entry: Entry, now: Candidate) -> bool:
    then = entry.earlier.candidate
    if then.finding is None or now.finding is None:
        return False
    is_less_sure = then.status is Status.VERIFIED and now.status is Status.LIKELY
    return now.finding.severity.rank > then.finding.severity.rank or is_less_sure


def all_names(one: EarlierFinding) -> set[str]:
    """Every name of an earlier finding and of what it stood for."""
    return fingerprints_of(one) | {place.fingerprint for place in one.places}
