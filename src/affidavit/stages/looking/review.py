"""Let every specialist look at the change side by side, and collect their replies."""

import traceback
from collections.abc import Sequence
from pathlib import Path

from affidavit.errors import AffidavitError
from affidavit.events import EventName, event
from affidavit.ports import Case, Specialist
from affidavit.records.report import Gap, Reply
from affidavit.system.concurrency import side_by_side


async def collect_replies(specialists: Sequence[Specialist], case: Case) -> list[Reply]:
    """Ask all specialists at once; the replies come in the specialists' order."""
    return await side_by_side(_ask(specialist, case) for specialist in specialists)


async def _ask(specialist: Specialist, case: Case) -> Reply:
    if specialist.kind == "mechanical":
        # A model's own conversation says when it begins, and with which model.
        case.emit(event(EventName.AGENT_STARTED, agent="reviewer", specialist=specialist.name, model=None))
    reply = await _examined(specialist, case)
    whole = [(file, file.model_copy(update={"is_partial": False})) for file in case.change.files]
    files = tuple(file.path for file, _ in whole if specialist.examines(file))
    claims = tuple(file.path for file, as_if_whole in whole if specialist.examines(as_if_whole))
    case.emit(
        event(
            EventName.SPECIALIST_FINISHED,
            agent="reviewer",
            specialist=specialist.name,
            duration_ms=reply.duration_ms,
            outcome=_outcome(reply),
        )
    )
    return reply.model_copy(update={"files": files, "claims": claims})


def _outcome(reply: Reply) -> str:
    """Whether it has looked at all: who had nothing to read has not, nor who could not run."""
    if reply.text is not None:
        return "looked"
    return "did_not_run" if reply.not_run or reply.incomplete else "nothing_to_read"


async def _examined(specialist: Specialist, case: Case) -> Reply:
    """What it hands in; a fault of ours in one analyser's part is a hole in the review, not its end."""
    try:
        return await specialist.examine(case)
    except AffidavitError:
        raise
    except Exception as error:
        if specialist.kind != "mechanical":
            raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        fault = f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
        part = Gap(name=specialist.name, reason=f"a bug in Affidavit: {fault}", advice="Please report it.")
        return Reply(specialist=specialist.name, kind=specialist.kind, text=None, incomplete=(part,))
