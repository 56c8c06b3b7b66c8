"""Where Affidavit keeps things on the user's machine: state and cache folders."""

import os
from collections.abc import Mapping
from pathlib import Path

DATABASE_VARIABLE = "AFFIDAVIT_DATABASE"
"""The address of a service's store, where that is not on the machine."""


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the store lives: AFFIDAVIT_DATA, else the user's state folder."""
    if environment.get("AFFIDAVIT_DATA"):
        return Path(environment["AFFIDAVIT_DATA"])
    return _user_folder(environment, "XDG_STATE_HOME", ".local/state")


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where results that can be made again are kept: AFFIDAVIT_CACHE, else the user's cache folder."""
    if environment.get("AFFIDAVIT_CACHE"):
        return Path(environment["AFFIDAVIT_CACHE"])
    return _user_folder(environment, "XDG_CACHE_HOME", ".cache")


def _user_folder(environment: Mapping[str, str], variable: str, fallback: str) -> Path:
    folder = environment.get(variable)
    if folder and Path(folder).is_absolute():
        return Path(folder) / "affidavit"
    return Path.home() / fallback / "affidavit"
