"""`affidavit parse`: check a model's reply against the contract."""

import sys
from pathlib import Path
from typing import Any

import click

from affidavit.cli.outputs import print_json
from affidavit.contract.parser import ParsedReply, parse_reply
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, SCHEMAS, to_json
from affidavit.diff.names import unquoted
from affidavit.errors import InputError
from affidavit.git.text import decode_path
from affidavit.records.diagnostics import Diagnostic

EXIT_REJECTED = 2


@click.command()
@click.argument("reply")
@click.option(
    "--changed-files",
    type=click.Path(path_type=Path),
    help="One path per line; without it, paths are not checked.",
)
@click.option("--schema-version", default=CURRENT_SCHEMA_VERSION, type=click.Choice(sorted(SCHEMAS)))
@click.option("--prompt-version", help="The exact version expected; without it, any well-formed one.")
@click.option("--allow-patch-drift", is_flag=True, help="Accept another patch of the same prompt version.")
@click.pass_context
def command(
    context: click.Context,
    reply: str,
    changed_files: Path | None,
    schema_version: str,
    prompt_version: str | None,
    allow_patch_drift: bool,
) -> None:
    """Parse REPLY (a file, or - for standard input) and print the result as JSON.

    The output has `state` (clean, accepted, all_dropped, rejected), `result` and `diagnostics`.
    Exit code 0, or 2 if the reply is rejected.
    """
    parsed = parse_reply(
        _read(reply),
        schema_version=schema_version,
        prompt_version=prompt_version,
        allow_patch_drift=allow_patch_drift,
        changed_files=_paths(changed_files),
    )
    print_json(_printable(parsed))
    context.exit(EXIT_REJECTED if parsed.state == "rejected" else 0)


def _read(reply: str) -> str:
    try:
        data = sys.stdin.buffer.read() if reply == "-" else Path(reply).read_bytes()
    except OSError as error:
        raise InputError(f"{reply}: {error.strerror}") from error
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _paths(changed_files: Path | None) -> set[str] | None:
    if changed_files is None:
        return None
    lines = (line.rstrip("\r") for line in _read(str(changed_files)).split("\n"))
    return {name for line in lines if line.strip() for name in _names(line)}


def _names(line: str) -> tuple[str, ...]:
    """Return the path as written, and unquoted if git quoted it (`git diff --name-only`)."""
    try:
        return line, decode_path(unquoted(line.strip().encode("utf-8", "surrogatepass")))
    except ValueError:
        return (line,)


def _printable(parsed: ParsedReply) -> dict[str, Any]:
    result = to_json(parsed.result, parsed.result.schema_version) if parsed.result else None
    return {
        "state": parsed.state,
        "result": result,
        "diagnostics": [_known_fields(diagnostic) for diagnostic in parsed.diagnostics],
    }


def _known_fields(diagnostic: Diagnostic) -> dict[str, Any]:
    known = diagnostic.model_dump(mode="json", exclude_none=True)
    return {name: value for name, value in known.items() if value != ""}
