"""Under which conditions a review was made: settings, models and prompts in, a name for them out."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from affidavit.records.report import Report

VIEW_SETTINGS = frozenset(
    {"fail_on", "severity_threshold", "focus", "include_style", "nits", "fold", "max_iterations", "origins"}
    | {"sources", "budget_usd", "budget_tokens", "prices_usd_per_million", "model_timeout_seconds"}
)
"""What decides only what is shown, counted or spent, not who looks at what."""


def settings_digest(settings: Mapping[str, Any]) -> str:
    """A name for the settings that decide who looks at what."""
    kept = {name: value for name, value in settings.items() if name not in VIEW_SETTINGS}
    return _digest(kept)


def conditions_of(report: Report) -> str:
    """A name for all that decides who looked at what, and how: other eyes see other things."""
    prompts = report.prompt_version if report.models else ""
    return _digest([settings_digest(report.settings), report.models, prompts, report.change.base.name])


def _digest(content: Any) -> str:
    return sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
