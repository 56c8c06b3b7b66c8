"""Hold a review: an opened change, its settings and the user's options in, the report out."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from affidavit.assembly import assemble_crew
from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings, load_settings
from affidavit.events import Emit, ignore_events
from affidavit.lab.rollout.choice import ChosenPrompts
from affidavit.pipeline import review
from affidavit.records.iteration import Earlier
from affidavit.records.report import Report
from affidavit.reviewing.options import OPTIONS_THAT_ARE_SETTINGS
from affidavit.reviewing.running import asking_for_programs, opened_runner
from affidavit.stages.intake import OpenedChange


def settings_for(
    opened: OpenedChange,
    options: Mapping[str, Any],
    config: tuple[str, bytes] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of a review: of the base commit or the named file, then the environment, then options."""
    chosen = {name: options[name] for name in OPTIONS_THAT_ARE_SETTINGS}
    return load_settings(opened.repository.base, environment, chosen, config)


def hold_review(
    opened: OpenedChange,
    settings: Settings,
    options: Mapping[str, Any],
    chosen: ChosenPrompts | None,
    emit: Emit = ignore_events,
    *,
    earlier: Earlier | None = None,
) -> Report:
    """Review the change; without chosen prompts no model looks. Not for a thread with an event loop."""
    cache = None if options["no_cache"] else cache_folder()
    with opened_runner(opened.repository, settings, options) as running:
        crew = replace(
            assemble_crew(settings, cache),
            probes_verifier=True,
            runner=running.runner,
            programs=running.programs,
        )
        if chosen is None:
            return asyncio.run(review(opened.change, opened.repository, settings, crew, emit, earlier))
        from affidavit.reviewing.panel import chosen_panel, connected  # noqa: PLC0415 - only models need it

        prompts = asking_for_programs(chosen.prompts) if running.runner else chosen.prompts
        panel = chosen_panel(opened, settings, options, cache, prompts)
        crew = replace(crew, panel=panel)
        reviewing = review(opened.change, opened.repository, settings, crew, emit, earlier)
        return asyncio.run(connected(panel, reviewing))
