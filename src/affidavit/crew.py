"""The one place where the parts of a review are put together."""

from pathlib import Path

from affidavit.analysers.user_linters import user_linters
from affidavit.config.settings import Settings
from affidavit.pipeline import Crew
from affidavit.ports import Specialist
from affidavit.specialists.broken_references.specialist import BrokenReferences
from affidavit.specialists.mechanical import mechanical_specialists
from affidavit.specialists.rulebook import same_problem, worth_of
from affidavit.specialists.unallowed_linters import UnallowedLinters


def assemble_crew(settings: Settings, cache_dir: Path | None) -> Crew:
    """Everybody who can look at a change under these settings."""

    def is_rule_off(rule: str, path: str) -> bool:
        # Whoever switches a rule off does not want the same problem from another analyser.
        return any(same_problem(rule, off) for off in settings.for_path(path).rules_off)

    disabled = frozenset(settings.analysers_off)
    linters = user_linters(linter for linter in settings.linters if linter.name not in disabled)
    specialists: list[Specialist] = [
        *mechanical_specialists(
            cache_dir=cache_dir,
            timeout_seconds=settings.analyser_timeout_seconds,
            disabled=disabled,
            is_rule_off=is_rule_off,
            linters=linters if settings.allow_linters else (),
        )
    ]
    if linters and not settings.allow_linters:
        specialists.append(UnallowedLinters(linters))
    if BrokenReferences.name not in disabled:
        specialists.append(BrokenReferences(cache_dir=cache_dir, is_rule_off=is_rule_off))
    return Crew(specialists=specialists, same_problem=same_problem, worth_of=worth_of)
