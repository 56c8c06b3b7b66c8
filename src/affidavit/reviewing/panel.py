"""Put the models of a review together: their tools, their map, and the connections to them."""

import os
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from affidavit.agents.limits import LEVELS, effort_of
from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.roles import kept_open, minds_from
from affidavit.ports import Mind, Role
from affidavit.prompts import PromptSet
from affidavit.records.settings_entries import Effort
from affidavit.reviewing.hold import named_compiler
from affidavit.reviewing.models import ledger_of, models_of, opened_log
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import environments_for
from affidavit.stages.intake import OpenedChange
from affidavit.tools.language_server import TSC, ServerPool, find_servers
from affidavit.tools.outside import OutsideTools
from affidavit.tools.outside_connection import NamedServer, ServerConnection, read_servers

Result = TypeVar("Result")
Asked = TypeVar("Asked")


def chosen_panel(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    cache: Path | None,
    prompts: PromptSet,
    minds: Mapping[Role, Mind] | None = None,
    log: ConversationLog | None = None,
) -> Panel:
    log = log or opened_log(options)
    if minds is None:
        minds = minds_from(
            models_of(settings, options),
            ledger=ledger_of(settings),
            log=log,
            reviewed=opened.repository.folder,
        )
    effort = effort_of(settings, opened.change.changed_files)
    minds = asked_at(effort, minds)
    servers = server_pool(settings, opened.repository.folder)
    return Panel(
        minds,
        cache,
        prompts,
        analysers_off=settings.analysers_off,
        servers=servers,
        reads_dependencies=options.dependencies,
        environments=environments_for(opened.repository, options),
        outside=_outside_tools(opened, options, log),
        effort=effort,
    )


def asked_at(effort: Effort, by_role: Mapping[Role, Asked]) -> dict[Role, Asked]:
    """Return the models that a review asks at this effort."""
    has_second = LEVELS[effort].has_second_verifier
    return {role: one for role, one in by_role.items() if has_second or role != "second_verifier"}


def named_servers(opened: OpenedChange, options: ReviewOptions) -> tuple[NamedServer, ...]:
    """Read the servers whose tools models may call; only the user names them, never the repository."""
    path = options.mcp_servers
    return read_servers(path, opened.repository.folder, os.environ) if path else ()


def _outside_tools(opened: OpenedChange, options: ReviewOptions, log: ConversationLog) -> OutsideTools | None:
    servers = named_servers(opened, options)
    if not servers:
        return None
    tools = OutsideTools([ServerConnection(one) for one in servers], log)
    # They are closed with the change.
    opened.repository.store.close_with(tools)
    return tools


async def connected(panel: Panel, reviewing: Coroutine[Any, Any, Result]) -> Result:
    async with kept_open(panel.minds.values()):
        return await reviewing


def server_pool(settings: Settings, reviewed_folder: Path | None) -> ServerPool | None:
    compiler = named_compiler(settings, reviewed_folder)
    if not settings.language_servers:
        return None
    named = {TSC.name: compiler} if compiler else {}
    return ServerPool(find_servers(reviewed_folder=reviewed_folder, programs=named))
