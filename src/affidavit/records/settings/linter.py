"""The user's own linter as the settings name it: its command, what it prints, and what it reads."""

from typing import Literal

from pydantic import Field

from affidavit.records.finding import Severity
from affidavit.records.record import Record

FILES = "{files}"
"""The argument that stands for the paths, each as an argument of its own."""


class Linter(Record):
    """One `[[linters]]` entry."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    command: tuple[str, ...] = Field(min_length=1)
    """Program and arguments; the program stands on PATH or is an absolute path outside the repository."""
    format: Literal["sarif", "rdjson"]
    patterns: tuple[str, ...] = Field(min_length=1)
    scope: Literal["file", "project"] = "file"
    severity: Severity = Severity.MEDIUM
    """For problems to which the linter itself gives none."""
    blocks: bool = False
    """Whether its findings count at verdict and gate."""
    configuration: tuple[str, ...] = ()
    """Files of the base commit that the linter needs beside the code."""
