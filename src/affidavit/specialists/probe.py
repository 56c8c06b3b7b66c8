"""Ask the verifier one trivial judgement, so that one who cannot answer is found before money is spent."""

from affidavit.contract.judgement import JUDGEMENT_SCHEMA, JUDGEMENT_SCHEMA_NAME
from affidavit.errors import OutsideError
from affidavit.events import Emit
from affidavit.ports import Mind, Talk
from affidavit.prompts import render_prompt
from affidavit.records.report import RoleUsage

CLAIM = "The finding: `return 1 + 1` returns 3. The code: `return 1 + 1`."
FATAL = ("failed", "refused", "timed_out")
"""Who answers badly is asked again for each finding; a spent budget ends the review in its orderly way."""


async def probe_verifier(mind: Mind, emit: Emit) -> RoleUsage:
    """What the question cost; raises OutsideError where the model cannot be asked at all."""
    talk = Talk(
        speaker="verifier",
        instructions=render_prompt("probe"),
        prefix="",
        task=CLAIM,
        schema=JUDGEMENT_SCHEMA,
        schema_name=JUDGEMENT_SCHEMA_NAME,
        max_turns=1,
    )
    answer = await mind.converse(talk, emit)
    if answer.outcome in FATAL:
        outcome = answer.outcome.replace("_", " ")
        raise OutsideError(
            f"the verifier {mind.model} cannot be asked, so nothing was reviewed: {outcome}: {answer.detail}",
            retryable=answer.outcome == "timed_out",
        )
    return answer.usage
