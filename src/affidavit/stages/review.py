"""Let every specialist look at the change side by side, and collect their replies."""

from collections.abc import Sequence

from affidavit.events import EventName, event
from affidavit.ports import Case, Specialist
from affidavit.records.report import Reply
from affidavit.system.concurrency import side_by_side


async def collect_replies(specialists: Sequence[Specialist], case: Case) -> list[Reply]:
    """Ask all specialists at once; the replies come in the specialists' order."""
    return await side_by_side(_ask(specialist, case) for specialist in specialists)


async def _ask(specialist: Specialist, case: Case) -> Reply:
    if specialist.kind == "mechanical":
        # A model's own conversation says when it begins, and with which model.
        case.emit(event(EventName.AGENT_STARTED, agent="reviewer", specialist=specialist.name, model=None))
    reply = await specialist.examine(case)
    whole = [(file, file.model_copy(update={"is_partial": False})) for file in case.change.files]
    files = tuple(file.path for file, _ in whole if specialist.examines(file))
    claims = tuple(file.path for file, as_if_whole in whole if specialist.examines(as_if_whole))
    case.emit(
        event(
            EventName.SPECIALIST_FINISHED,
            agent="reviewer",
            specialist=specialist.name,
            duration_ms=reply.duration_ms,
        )
    )
    return reply.model_copy(update={"files": files, "claims": claims})
