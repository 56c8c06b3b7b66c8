"""Fixtures for analysers: cases with both sides, and a way to ask a specialist about them."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from commands import AFFIDAVIT
from python_changes import Case, Open, opened_cases
from repositories import Repo


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)


def findings_of(analyser: Analyser, case: Case, unread: str | None = None) -> list[dict[str, Any]]:
    """What the analyser's specialist hands in; at most one file was not read, and that is said."""
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(case.case))
    said = [f"{analyser.name} did not read {unread}: a file of this name cannot be written out"]
    assert [part.reason for part in reply.incomplete] == (said if unread else [])
    assert reply.text is not None
    found: list[dict[str, Any]] = json.loads(reply.text)["findings"]
    # What a comment of the change itself silences is handed in and withheld.
    return [one for one, by in zip(found, reply.suppressed, strict=True) if not by]


@pytest.fixture
def ask() -> Callable[..., list[dict[str, Any]]]:
    """Ask an analyser's specialist about a case."""
    return findings_of


@pytest.fixture(scope="session")
def listed_rules() -> list[dict[str, Any]]:
    """Every rule that kingfisher brings along, with its pattern."""
    command = [AFFIDAVIT.with_name("kingfisher"), "rules", "list", "--format=json", "--no-update-check"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True, timeout=120).stdout
    found: list[dict[str, Any]] = json.loads(printed)
    return found
