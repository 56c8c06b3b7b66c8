"""The one place where the parts of a review are put together."""

from pathlib import Path

from affidavit.analysers.rules import same_problem, worth_of
from affidavit.pipeline import Crew
from affidavit.settings import Settings
from affidavit.specialists.mechanical import mechanical_specialists


def assemble_crew(settings: Settings, cache_dir: Path | None) -> Crew:
    """Everybody who can look at a change under these settings."""
    specialists = mechanical_specialists(
        cache_dir=cache_dir,
        timeout_seconds=settings.analyser_timeout_seconds,
        disabled=frozenset(settings.analysers_off),
        is_rule_off=lambda rule, path: rule in settings.for_path(path).rules_off,
    )
    return Crew(specialists=specialists, same_problem=same_problem, worth_of=worth_of)
