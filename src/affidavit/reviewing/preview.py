"""What a review with models would cost, or what would leave this machine, as text; nobody is asked."""

from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings
from affidavit.forecast.cost import describe_cost
from affidavit.forecast.talks import describe_leaving, prepare_talks
from affidavit.prompts import PromptSet
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import named_servers
from affidavit.reviewing.running import opened_runner
from affidavit.reviewing.series import followed_by
from affidavit.stages.looking.intake import OpenedChange


def checked_servers(opened: OpenedChange, options: ReviewOptions) -> str:
    """The outside servers of `--mcp-servers` by name; raises where the file is wrong, model or not."""
    return ", ".join(one.name for one in named_servers(opened, options))


def describe_forecast(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    prompts: PromptSet,
    *,
    is_estimate: bool,
) -> str:
    """The answer to `--estimate` or `--what-leaves`."""
    choices = models_of(settings, options)
    cache = None if options.no_cache else cache_folder()
    with opened_runner(opened.repository, settings, options) as running:
        talks = prepare_talks(
            opened,
            settings,
            choices,
            cache,
            prompts.asking_for_all() if running.runner else prompts,
            reads_dependencies=options.dependencies,
            runner=running.runner,
            earlier=followed_by(opened, options).earlier,
        )
    if is_estimate:
        return describe_cost(talks, choices, settings.verifier_votes or 1)
    asked = [f"{one.name} ({one.place}): {', '.join(one.allow)}" for one in named_servers(opened, options)]
    return describe_leaving(talks, choices, outside=asked)
