"""The rules of the scanner that is installed here."""

import json
import subprocess
from typing import Any

import pytest

from commands import AFFIDAVIT


@pytest.fixture(scope="session")
def listed_rules() -> list[dict[str, Any]]:
    """Every rule that kingfisher brings along, with its pattern."""
    command = [AFFIDAVIT.with_name("kingfisher"), "rules", "list", "--format=json", "--no-update-check"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True, timeout=120).stdout
    found: list[dict[str, Any]] = json.loads(printed)
    return found
