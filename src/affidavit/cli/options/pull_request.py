"""Open the change of a pull request whose address is on the command line."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from affidavit.cli.options.discussion import read_discussion
from affidavit.cli.screen.saying import note
from affidavit.config.settings import ENVIRONMENT_PREFIX
from affidavit.errors import SettingsError
from affidavit.forges.address import parse_change_url
from affidavit.forges.choice import read_request
from affidavit.forges.opening import Ground, Words, open_pull_request
from affidavit.forges.reaching.credentials import find_credentials
from affidavit.stages.looking.intake import OpenedChange


def open_request(options: Mapping[str, Any]) -> OpenedChange:
    """Read the pull request, fetch its commits into the cache, and open the change between them."""
    for name in ("staged", "repo", "work_tree"):
        if options.get(name):
            raise SettingsError(f"--{name.replace('_', '-')} does not go with the address of a pull request")
    address = parse_change_url(options["target"])
    credentials = find_credentials(address.host)
    if not options.get("quiet"):
        note(f"reading {address.url}{'' if credentials.token else ' without a token'}")
    pull = asyncio.run(read_request(address, credentials))
    words = Words(
        title=options.get("title") or "",
        description=options.get("description") or "",
        discussion=read_discussion(options.get("discussion")),
    )
    return open_pull_request(pull, Ground(credentials), words, has_full_history=_names_model(options))


def _names_model(options: Mapping[str, Any]) -> bool:
    """Models ask who wrote a line, and only all of the history knows."""
    return bool(options.get("model") or os.environ.get(f"{ENVIRONMENT_PREFIX}MODEL"))
