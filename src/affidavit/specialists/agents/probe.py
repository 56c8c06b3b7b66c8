"""Ask the verifiers one trivial judgement, so that one who cannot answer is found before money is spent."""

from collections.abc import Iterable
from dataclasses import dataclass

from affidavit.events import Emit
from affidavit.minds.choice import UNREACHABLE
from affidavit.ports import Mind, Talk
from affidavit.prompts import PromptSet
from affidavit.proof.judging.judgement import JUDGEMENT_SCHEMA, JUDGEMENT_SCHEMA_NAME
from affidavit.records.report import Gap, RoleUsage
from affidavit.system.concurrency import side_by_side

CLAIM = "The finding: `return 1 + 1` returns 3. The code: `return 1 + 1`."
FATAL = ("failed", "refused", "timed_out")
"""Who answers badly is asked again for each finding; a spent budget ends the review in its orderly way."""


@dataclass(frozen=True)
class Probed:
    """What the questions cost, and the verifiers that cannot be asked at all."""

    usage: tuple[RoleUsage, ...] = ()
    failures: tuple[Gap, ...] = ()


async def probe_verifiers(
    minds: Iterable[Mind], prompts: PromptSet, emit: Emit, *, otherwise: str = "no model reviewed"
) -> Probed:
    """Try all of them at the same time; `otherwise` says what follows where one cannot be asked."""
    probed = await side_by_side(_probe(mind, prompts, emit, otherwise) for mind in minds)
    return Probed(
        usage=tuple(usage for one in probed for usage in one.usage),
        failures=tuple(part for one in probed for part in one.failures),
    )


def probe_talk(speaker: str, prompts: PromptSet) -> Talk:
    """What a verifier is asked."""
    return Talk(
        speaker=speaker,
        instructions=prompts.render("probe"),
        prefix="",
        task=CLAIM,
        schema=JUDGEMENT_SCHEMA,
        schema_name=JUDGEMENT_SCHEMA_NAME,
        max_turns=1,
    )


async def _probe(mind: Mind, prompts: PromptSet, emit: Emit, otherwise: str) -> Probed:
    name = mind.role.replace("_", " ")
    answer = await mind.converse(probe_talk(name, prompts), emit)
    # Nothing was asked where a recording without the question is repeated: that is no fault of a verifier.
    if answer.outcome not in FATAL or not answer.usage.requests:
        return Probed((answer.usage,))
    outcome = answer.outcome.replace("_", " ")
    advice = f"Fix it, or name another model with --{mind.role.replace('_', '-')}-model."
    if answer.detail.startswith(UNREACHABLE):
        advice = "Start the model's server, or correct the address."
    part = Gap(
        name=name,
        reason=f"{mind.model} cannot be asked, so {otherwise}: {outcome}: {answer.detail}".rstrip(": "),
        advice=advice,
    )
    return Probed((answer.usage,), (part,))
