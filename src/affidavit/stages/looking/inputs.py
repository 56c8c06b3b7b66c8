"""Keep what everybody said, redacted: with change and settings, all that a report is derived from."""

import json
from typing import Any

from affidavit.ports import Case
from affidavit.records.docket import Docket
from affidavit.records.report import (
    Answer,
    Gap,
    GivenDependencies,
    GivenJudgement,
    GivenReproduction,
    GivenTrial,
    Inputs,
    Programs,
    Reply,
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
    """What a report is made of; the reporter speaks later."""
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
            if one.dependency_quotes
        ),
        programs=_programs(docket, ground) if ground else None,
        earlier=case.earlier,
        submitted_by=submitted_by,
    )


def _redacted_answer(answer: Answer | None) -> Answer | None:
    return answer.model_copy(update={"text": _redacted(answer.text)}) if answer else None


def _programs(docket: Docket, ground: Programs) -> Programs:
    """What the machine saw when it ran what findings offer as their proof."""
    given = [
        GivenReproduction(candidate=one.id, check=one.reproduction)
        for one in docket.candidates
        if one.reproduction
    ]
    tried = [
        GivenTrial(candidate=one.id, steps=one.patch_trial.steps)
        for one in docket.candidates
        if one.patch_trial
    ]
    return ground.model_copy(update={"reproductions": tuple(given), "patches": tuple(tried)})


def redacted_reply(reply: Reply) -> Reply:
    """A reply without secrets: an analyser quotes lines as they stand."""
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
