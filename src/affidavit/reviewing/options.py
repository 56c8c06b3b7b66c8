"""Define the options of a review; None leaves the choice to settings files and defaults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

Say = Callable[[str], None]
Words = str | tuple[str, ...] | None
Number = float | str | None
AUTO = Path("auto")
"""Instead of an environment's folder: fetch what base's lock files name."""
PATHS = ("record", "replay", "resume", "prompts", "mcp_servers", "config", "previous", "data")


@dataclass(frozen=True, kw_only=True)
class ChosenSettings:
    """The settings that a flag can override, by their names in a settings file."""

    fail_on: str | None = None
    severity_threshold: str | None = None
    focus: Words = None
    include_style: bool | None = None
    nits: bool | None = None
    fold: str | None = None
    include: Words = None
    exclude: Words = None
    analysers_off: Words = None
    rules_off: Words = None
    analyser_timeout_seconds: Number = None
    whole: bool | None = None
    allow_linters: bool | None = None
    max_iterations: Number = None
    effort: str | None = None
    language_servers: bool | None = None
    typescript_server: str | None = None
    run: bool | None = None
    run_seconds: Number = None
    run_at_once: Number = None
    model: str | None = None
    planner_model: str | None = None
    specialist_model: str | None = None
    verifier_model: str | None = None
    second_verifier_model: str | None = None
    reporter_model: str | None = None
    base_url: str | None = None
    planner_base_url: str | None = None
    specialist_base_url: str | None = None
    verifier_base_url: str | None = None
    second_verifier_base_url: str | None = None
    reporter_base_url: str | None = None
    planner_max_tokens: Number = None
    specialist_max_tokens: Number = None
    verifier_max_tokens: Number = None
    second_verifier_max_tokens: Number = None
    reporter_max_tokens: Number = None
    model_timeout_seconds: Number = None
    budget_usd: Number = None
    budget_tokens: Number = None
    prices_usd_per_million: str | Mapping[str, Any] | None = None

    @property
    def flags(self) -> dict[str, Any]:
        values = {one.name: getattr(self, one.name) for one in fields(ChosenSettings)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ReviewOptions(ChosenSettings):
    """Everything that a caller of a review may choose beyond the change itself."""

    record: Path | None = None
    replay: Path | None = None
    resume: Path | None = None
    prompts: Path | None = None
    prompt_version: str | None = None
    dependencies: bool = True
    mcp_servers: Path | None = None
    environments: tuple[Path, ...] = ()
    config: Path | None = None
    series: str | None = None
    previous: Path | None = None
    all: bool = False
    data: Path | None = None
    no_store: bool = False
    no_cache: bool = False

    def __post_init__(self) -> None:
        """Take paths that are given as text."""
        for name in PATHS:
            if isinstance(given := getattr(self, name), str):
                object.__setattr__(self, name, Path(given))
        several = (self.environments,) if isinstance(self.environments, str | Path) else self.environments
        object.__setattr__(self, "environments", tuple(map(Path, several)))

    @classmethod
    def from_all(cls, given: Mapping[str, Any]) -> Self:
        """Select the options of a review from all options of a command."""
        return cls(**{one.name: given[one.name] for one in fields(cls) if one.name in given})

    @property
    def chosen(self) -> dict[str, Any]:
        """Return the values that differ from the defaults, ready for JSON."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        own = {name: value for name, value in values.items() if value != getattr(ReviewOptions, name)}
        return {name: str(value) if isinstance(value, Path) else value for name, value in own.items()}
