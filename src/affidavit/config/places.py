"""Find the state and cache folders on the user's machine."""

import os
from collections.abc import Mapping
from pathlib import Path

from affidavit.errors import SettingsError

RETENTION_VARIABLE = "AFFIDAVIT_RETENTION_DAYS"
RETENTION_DAYS = 90
MAX_RETENTION_DAYS = 99_999


def retention_days(environment: Mapping[str, str] = os.environ) -> int:
    """Return how many days the command line keeps a report; 0: for ever."""
    text = environment.get(RETENTION_VARIABLE, "").strip() or str(RETENTION_DAYS)
    if text == "never":
        return 0
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(MAX_RETENTION_DAYS)):
        raise SettingsError(f"{RETENTION_VARIABLE} is {text[:40]!r}: write a number of days, or `never`")
    return int(text)


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the store's folder: AFFIDAVIT_DATA, else in the user's state folder."""
    if environment.get("AFFIDAVIT_DATA"):
        return Path(environment["AFFIDAVIT_DATA"])
    return _user_folder(environment, "XDG_STATE_HOME", ".local/state")


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the cache folder: AFFIDAVIT_CACHE, else in the user's cache folder."""
    if environment.get("AFFIDAVIT_CACHE"):
        return Path(environment["AFFIDAVIT_CACHE"])
    return _user_folder(environment, "XDG_CACHE_HOME", ".cache")


def _user_folder(environment: Mapping[str, str], variable: str, fallback: str) -> Path:
    folder = environment.get(variable)
    if folder and Path(folder).is_absolute():
        return Path(folder) / "affidavit"
    return Path.home() / fallback / "affidavit"
