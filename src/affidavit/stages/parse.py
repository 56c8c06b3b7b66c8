"""Turn every specialist's reply into candidates, through the one parser of the contract."""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any

from affidavit.contract.parser import ParsedReply, parse_reply
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.ports import Case
from affidavit.records.candidate import Candidate, Step
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.docket import Docket
from affidavit.records.report import (
    Answer,
    Explained,
    Gap,
    GivenDependencies,
    GivenJudgement,
    GivenReproduction,
    GivenTrial,
    Inputs,
    Programs,
    Reply,
    ReplySummary,
)
from affidavit.redaction.text import redact_lines


def keep_inputs(
    docket: Docket,
    case: Case,
    planner: Answer | None = None,
    joiner: Answer | None = None,
    verifier_failures: tuple[Gap, ...] = (),
    ground: Programs | None = None,
    submitted_by: str = "",
) -> Inputs:
    """Return the inputs of a report; the reporter's answer is added later."""
    judgements = [
        GivenJudgement(candidate=candidate.id, judgement=judgement)
        for candidate in docket.candidates
        for judgement in candidate.judgements
        if judgement.by == "verifier" and judgement.model
    ]
    return Inputs(
        replies=tuple(redacted_reply(reply) for reply in case.replies),
        planner=_redacted_answer(planner),
        joiner=_redacted_answer(joiner),
        verifier_failures=verifier_failures,
        judgements=tuple(judgements),
        dependency_quotes=tuple(
            GivenDependencies(candidate=one.id, checks=one.dependency_quotes)
            for one in docket.candidates
            if one.dependency_quotes and not one.lender("dependency_quotes")
        ),
        programs=_programs(docket, ground) if ground else None,
        earlier=case.earlier,
        submitted_by=submitted_by,
    )


def _redacted_answer(answer: Answer | None) -> Answer | None:
    return answer.model_copy(update={"text": _redacted(answer.text)}) if answer else None


def _programs(docket: Docket, ground: Programs) -> Programs:
    """Return what reproductions and patches did when they were run."""
    given = [
        GivenReproduction(candidate=one.id, check=one.reproduction)
        for one in docket.candidates
        if one.reproduction and not one.lender("reproduction")
    ]
    tried = [
        GivenTrial(candidate=one.id, steps=one.patch_trial.steps)
        for one in docket.candidates
        if one.patch_trial and not one.lender("patch")
    ]
    return ground.model_copy(update={"reproductions": tuple(given), "patches": tuple(tried)})


def redacted_reply(reply: Reply) -> Reply:
    """Return a reply without secrets: analysers quote lines of files."""
    return reply.model_copy(update={"text": _redacted(reply.text)})


def _redacted(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _without_secrets(text)
    cleaned = _each_text(value)
    return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)


def _each_text(value: Any) -> Any:
    if isinstance(value, str):
        return _without_secrets(value)
    if isinstance(value, list):
        return [_each_text(item) for item in value]
    if isinstance(value, dict):
        return {key: _each_text(item) for key, item in value.items()}
    return value


def _without_secrets(text: str) -> str:
    return "\n".join(redact_lines(text.split("\n")))


STAGE = "parse"
MAX_SUMMARY_LENGTH = 8_000
MAX_DIFFERENCES = 200
MAX_EXPLANATION = 1_000


def read_replies(replies: Sequence[Reply], change: Change) -> Docket:
    """Parse each reply by the contract."""
    return reduce(Docket.plus, (_read(reply, change) for reply in replies), Docket())


def docket_of(read: Docket, replies: Sequence[Reply], before: Docket) -> Docket:
    """Return the docket of parsed replies, with the gaps and usage of the replies and of what came before."""
    return Docket(
        candidates=read.candidates,
        replies=read.replies,
        diagnostics=(*(note for one in replies for note in one.diagnostics), *read.diagnostics),
        incomplete=(
            *before.incomplete,
            *read.incomplete,
            *(gap for one in replies for gap in one.incomplete),
        ),
        not_run=(*before.not_run, *(gap for one in replies for gap in one.not_run)),
        analyser_runs=tuple(run for one in replies for run in one.analyser_runs),
        usage=(*before.usage, *(spent for one in replies for spent in one.usage)),
    )


def _expected(reply: Reply) -> str | None:
    """Return the prompt version that a reply must name; None for analysers, which read no prompt."""
    return None if reply.kind == "mechanical" else CURRENT_PROMPT_VERSION


def _read(reply: Reply, change: Change) -> Docket:
    if reply.text is None:
        return Docket(replies=(_summary(reply, None),))
    parsed = parse_reply(
        reply.text,
        schema_version=reply.schema_version or CURRENT_SCHEMA_VERSION,
        prompt_version=reply.prompt_version or _expected(reply),
        changed_files=change.changed_files,
    )
    candidates = _candidates(reply, parsed)
    noted = [note.model_copy(update={"specialist": reply.specialist}) for note in parsed.diagnostics]
    return Docket(
        candidates=tuple(candidates),
        replies=(_summary(reply, parsed),),
        incomplete=tuple(_incomplete(reply, parsed)),
        diagnostics=(*noted, *_suppressions(candidates)),
    )


def _suppressions(candidates: Sequence[Candidate]) -> list[Diagnostic]:
    return [
        candidate.note(Reason.SUPPRESSED, candidate.withheld.detail)
        for candidate in candidates
        if candidate.withheld and candidate.withheld.code is Reason.SUPPRESSED
    ]


def _candidates(reply: Reply, parsed: ParsedReply) -> list[Candidate]:
    findings = parsed.result.findings if parsed.result else ()
    kept = [
        _candidate(reply, index, "; valid by the contract", finding=finding)
        for index, finding in zip(parsed.indexes, findings, strict=True)
    ]
    dropped = [
        _candidate(reply, drop.index, raw=drop.raw).withhold(STAGE, drop.code, drop.detail)
        for drop in parsed.dropped
    ]
    heard = [_silenced(candidate, reply.suppressed) for candidate in kept]
    return sorted([*heard, *dropped], key=lambda candidate: candidate.index)


def _candidate(reply: Reply, index: int, ending: str = "", **fields: Any) -> Candidate:
    return Candidate(
        id=f"{reply.specialist}-{index}",
        specialist=reply.specialist,
        kind=reply.kind,
        index=index,
        steps=(Step(stage=STAGE, what=f"handed in by {reply.specialist}{ending}"),),
        **fields,
    )


def _silenced(candidate: Candidate, suppressed: Sequence[str]) -> Candidate:
    """Withhold the candidate if a comment added by the change suppresses it."""
    by = suppressed[candidate.index] if candidate.index < len(suppressed) else ""
    return candidate.withhold(STAGE, Reason.SUPPRESSED, by) if by else candidate


def _summary(reply: Reply, parsed: ParsedReply | None) -> ReplySummary:
    read = {path for use in reply.uses or () for path in use.read}
    return ReplySummary(
        specialist=reply.specialist,
        kind=reply.kind,
        state=parsed.state if parsed else "none",
        findings=len(parsed.result.findings) if parsed and parsed.result else 0,
        dropped=len(parsed.dropped) if parsed else 0,
        duration_ms=reply.duration_ms,
        chunk=reply.chunk,
        files_read=None if reply.uses is None else tuple(sorted(read)),
        summary=(parsed.result.summary or "")[:MAX_SUMMARY_LENGTH] if parsed and parsed.result else "",
        differences=_differences(reply, parsed) if reply.probes else (),
    )


def _differences(reply: Reply, parsed: ParsedReply | None) -> tuple[Explained, ...]:
    """Return how a specialist explains differences between its probes; ignore malformed entries."""
    meta = parsed.result.meta if parsed and parsed.result else None
    listed = (meta or {}).get("differences")
    names = {probe.name for probe in reply.probes}
    rows = listed[:MAX_DIFFERENCES] if isinstance(listed, list) else []
    return tuple(
        Explained(
            probe=row["probe"],
            **{key: str(row.get(key) or "")[:MAX_EXPLANATION] for key in ("announced", "finding")},
        )
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("probe"), str) and row["probe"] in names
    )


def _incomplete(reply: Reply, parsed: ParsedReply) -> list[Gap]:
    """Return a gap unless the reply was read whole: silence is never approval."""
    reasons = {
        "rejected": "its reply could not be read",
        "all_dropped": "none of its findings was valid",
    }
    reason = reasons.get(parsed.state) or ("its reply was cut off" if parsed.is_truncated else None)
    return [Gap(name=reply.specialist, reason=reason)] if reason else []
