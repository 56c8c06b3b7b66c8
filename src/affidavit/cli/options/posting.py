"""`review --post`: one process reviews and cannot write, another posts and never sees the change.

This one holds the token that writes and starts both; it reads nothing of the change itself.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from affidavit.errors import SettingsError
from affidavit.forges.address import is_request_url
from affidavit.forges.reaching.credentials import ONLY_FOR_POSTING, has_credentials_for_posting
from affidavit.system.temporary import temporary_folder

REVIEWED = (0, 1, 3)
NOT_DONE = 2
OWN_FLAGS = ("--post", "--may-approve", "--may-block")


def review_and_post(options: Mapping[str, Any]) -> int:
    """Review in a process without the token that writes, then post in one that has it."""
    if not is_request_url(options["target"]):
        raise SettingsError("--post goes with the address of a pull request; else use `affidavit post --url`")
    if options["estimate"] or options["what_leaves"]:
        raise SettingsError("--post does not go with --estimate or --what-leaves")
    if not has_credentials_for_posting():
        raise SettingsError(
            "--post needs a token that only the poster is given: set AFFIDAVIT_POST_TOKEN, "
            "AFFIDAVIT_POST_TOKEN_COMMAND or an App (AFFIDAVIT_GITHUB_APP_ID)"
        )
    flags = [flag for flag in OWN_FLAGS[1:] if options[flag.strip("-").replace("-", "_")]]
    with temporary_folder("post-") as folder:
        report = folder / "report.json"
        code = _affidavit([*_own_arguments(), "--format", f"report={report}"], _without_token())
        if code not in REVIEWED:
            return code
        nits = ["--nits"] if options["nits"] else []
        posted = _affidavit(["post", str(report), "--yes", *flags, *nits], dict(os.environ))
    return code if posted == 0 else NOT_DONE


def _own_arguments() -> list[str]:
    """What was asked for, without what concerns the posting."""
    return [argument for argument in sys.argv[1:] if argument not in OWN_FLAGS]


def _without_token() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ONLY_FOR_POSTING}


def _affidavit(arguments: list[str], environment: Mapping[str, str]) -> int:
    # -P: nothing of the folder that it is run in is imported.
    command = [sys.executable, "-P", "-m", "affidavit", *arguments]
    return subprocess.run(command, env=dict(environment), cwd=Path.cwd(), check=False).returncode
