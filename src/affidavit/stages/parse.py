"""Turn every specialist's reply into candidates, through the one parser of the contract."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from affidavit.contract.parsed import ParsedReply
from affidavit.contract.parser import parse_reply
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.ports import Reply
from affidavit.records.candidate import Candidate, Step
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic
from affidavit.records.report import Gap, ReplySummary

STAGE = "parse"
MAX_SUMMARY_LENGTH = 8_000


@dataclass
class ParsedReplies:
    """Candidates of all replies, what became of each reply, and the parser's diagnostics."""

    candidates: list[Candidate] = field(default_factory=list)
    replies: list[ReplySummary] = field(default_factory=list)
    incomplete: list[Gap] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def parse_replies(replies: Sequence[Reply], change: Change) -> ParsedReplies:
    """Let the contract decide what stands of each reply."""
    outcome = ParsedReplies()
    for reply in replies:
        if reply.text is None:
            outcome.replies.append(_summary(reply, None))
            continue
        parsed = parse_reply(
            reply.text,
            schema_version=reply.schema_version or CURRENT_SCHEMA_VERSION,
            prompt_version=reply.prompt_version or CURRENT_PROMPT_VERSION,
            changed_files=change.changed_files,
        )
        outcome.candidates += _candidates(reply, parsed)
        outcome.replies.append(_summary(reply, parsed))
        outcome.incomplete += _incomplete(reply, parsed)
        outcome.diagnostics += [
            diagnostic.model_copy(update={"specialist": reply.specialist})
            for diagnostic in parsed.diagnostics
        ]
    return outcome


def _candidates(reply: Reply, parsed: ParsedReply) -> list[Candidate]:
    kept = [
        Candidate(
            id=f"{reply.specialist}-{index}",
            specialist=reply.specialist,
            kind=reply.kind,
            index=index,
            finding=finding,
            steps=(Step(stage=STAGE, what=f"handed in by {reply.specialist}; the contract let it stand"),),
        )
        for index, finding in zip(
            parsed.indexes, parsed.result.findings if parsed.result else (), strict=True
        )
    ]
    dropped = [
        Candidate(
            id=f"{reply.specialist}-{drop.index}",
            specialist=reply.specialist,
            kind=reply.kind,
            index=drop.index,
            raw=drop.raw,
            steps=(Step(stage=STAGE, what=f"handed in by {reply.specialist}"),),
        ).withhold(STAGE, drop.code, drop.detail)
        for drop in parsed.dropped
    ]
    return sorted([*kept, *dropped], key=lambda candidate: candidate.index)


def _summary(reply: Reply, parsed: ParsedReply | None) -> ReplySummary:
    return ReplySummary(
        specialist=reply.specialist,
        kind=reply.kind,
        state=parsed.state if parsed else "none",
        findings=len(parsed.result.findings) if parsed and parsed.result else 0,
        dropped=len(parsed.dropped) if parsed else 0,
        duration_ms=reply.duration_ms,
        chunk=reply.chunk,
        files_read=_files_read(reply),
        summary=(parsed.result.summary or "")[:MAX_SUMMARY_LENGTH] if parsed and parsed.result else "",
    )


def _files_read(reply: Reply) -> tuple[str, ...] | None:
    if reply.uses is None:
        return None
    return tuple(sorted({path for use in reply.uses for path in use.read}))


def _incomplete(reply: Reply, parsed: ParsedReply) -> list[Gap]:
    """Silence is never approval: only a reply that was read whole counts as a look."""
    reasons = {
        "rejected": "its reply could not be read",
        "all_dropped": "none of its findings was well formed",
    }
    reason = reasons.get(parsed.state) or ("its reply was cut off" if parsed.is_truncated else None)
    return [Gap(name=reply.specialist, reason=reason)] if reason else []
