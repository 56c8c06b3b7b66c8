"""Ask a model about one finding of a report."""

from affidavit.agents.briefing import Briefing
from affidavit.agents.map_text import NOTHING
from affidavit.contract.reply_text import object_with_key
from affidavit.contract.schema import strict_object
from affidavit.ports import Talk, ToolSource
from affidavit.records.candidate import Candidate, Judgement
from affidavit.records.evidence import SearchRun
from affidavit.records.plan import Plan

ANSWER_SCHEMA_NAME = "answer"
ANSWER_SCHEMA = strict_object(
    {"answer": {"type": "string", "description": "The answer in plain text, at most a page"}}
)
MAX_TURNS = 20
MAX_HIT_LENGTH = 200


def question_talk(
    briefing: Briefing, plan: Plan, candidate: Candidate, question: str, tools: ToolSource
) -> Talk:
    """Write the talk: the change in short, the finding with all its evidence, the question last."""
    return Talk(
        speaker="ask",
        instructions=briefing.prompts.render("ask", fence_rule=briefing.fence.rule),
        prefix=briefing.verifier_text(plan),
        task=_task(briefing, candidate, question),
        schema=ANSWER_SCHEMA,
        schema_name=ANSWER_SCHEMA_NAME,
        tools=tools,
        max_turns=MAX_TURNS,
    )


def read_answer(text: str | None) -> str | None:
    """Read the answer; prose is an answer too, and None means that there is none."""
    held = object_with_key(text, "answer")
    if held and "answer" in held:
        answer = held["answer"]
        return (answer.strip() or None) if isinstance(answer, str) else None
    return (text or "").strip() or None


def _task(briefing: Briefing, candidate: Candidate, question: str) -> str:
    wrap, finding, quote = briefing.fence.wrap, candidate.claim, candidate.quote
    start, end = finding.lines
    return briefing.prompts.render(
        "ask-task",
        place=wrap("place", f"{finding.file}:{finding.line} at {finding.side}"),
        found_by=wrap("specialists", ", ".join([candidate.specialist, *candidate.agreed_by])),
        status=wrap("status", _status(candidate)),
        **briefing.claim_texts(finding),
        quote=wrap("quote", f"{quote.outcome}: {quote.detail}\n{quote.code}" if quote else NOTHING),
        surroundings=briefing.quote_of(
            finding.file, finding.side, (quote and quote.start) or start, (quote and quote.end) or end
        ),
        hunks=briefing.hunks_for(finding),
        judgements=wrap("judgements", "\n".join(map(_judgement, candidate.judgements)) or NOTHING),
        searches=wrap("searches", "\n".join(map(_search, candidate.searches)) or NOTHING),
        question=wrap("question", question),
    )


def _status(candidate: Candidate) -> str:
    shown = f"{candidate.status}, worth: {candidate.worth}"
    withheld = candidate.withheld
    return f"{shown}, not shown: {withheld.code} {withheld.detail}".rstrip() if withheld else shown


def _judgement(judgement: Judgement) -> str:
    word = judgement.answer or judgement.outcome
    qualified = ", with reservations" if judgement.qualified else ""
    return f"- {judgement.by}: {word}{qualified}: {judgement.reason}"


def _search(run: SearchRun) -> str:
    heading = f"search for {run.search.pattern!r} at {run.search.side}: {run.state.replace('_', ' ')}"
    return "\n".join(
        [heading, *(f"  {hit.path}:{hit.line}: {hit.text[:MAX_HIT_LENGTH]}" for hit in run.hits)]
    )
