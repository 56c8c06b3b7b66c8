"""Writes lines to the log."""

from typing import TextIO

from logs.masking import masked


def write_line(log: TextIO, line: str) -> None:
    log.write(masked(line) + "\n")
