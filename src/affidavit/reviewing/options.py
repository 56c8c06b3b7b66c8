"""What a user may choose for a review, by the names of the command line's options, and the defaults."""

from collections.abc import Callable
from typing import Any

from affidavit.config.readers import MODEL_READERS
from affidavit.errors import SettingsError

Say = Callable[[str], None]
"""Who is told a line that a user should know."""
SERVER_SETTINGS = ("language_servers", "typescript_server")
RUN_SETTINGS = ("run", "run_seconds", "run_at_once", "run_image")
OPTIONS_THAT_ARE_SETTINGS = (
    "fail_on",
    "severity_threshold",
    "focus",
    "include_style",
    "nits",
    "fold",
    "include",
    "exclude",
    "analysers_off",
    "rules_off",
    "analyser_timeout_seconds",
    "allow_linters",
    "max_iterations",
    *SERVER_SETTINGS,
    *RUN_SETTINGS,
    *MODEL_READERS,
)
_OTHERS: dict[str, Any] = {
    "record": None,
    "replay": None,
    "resume": None,
    "prompts": None,
    "prompt_version": None,
    "dependencies": True,
    "mcp_servers": None,
    "environments": (),
    "environment_from": None,
    "config": None,
    "series": None,
    "previous": None,
    "all": False,
    "data": None,
    "no_store": False,
    "no_cache": False,
}


def review_options(**chosen: Any) -> dict[str, Any]:
    """Every option of a review, as chosen or as it is by itself; an unknown name is refused."""
    known = {**dict.fromkeys(OPTIONS_THAT_ARE_SETTINGS), **_OTHERS}
    if unknown := sorted(chosen.keys() - known.keys()):
        raise SettingsError(f"a review has no option {unknown[0]!r}")
    return known | chosen
