"""Write docs/reference.md: every command with its usage and options, from the commands themselves.

`--check` fails where the file is stale.
"""

import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from affidavit.cli.command_line import commands
from affidavit.config.settings import Settings

FILE = Path(__file__).parent.parent / "docs" / "reference.md"
HEAD = """# Reference

Every command with its options. This file is written by `tools/reference.py`; do not edit it.

Exit codes: 0 done, 1 the gate or a check failed, 2 not done, 3 done in part.
An option that is also a setting has the same name in `affidavit.toml` (with underscores), and in the
environment as `AFFIDAVIT_NAME`.
"""


def reference() -> str:
    """Return the whole document."""
    root = click.Context(commands, info_name="affidavit")
    parts = [HEAD]
    for name in commands.list_commands(root):
        command = commands.get_command(root, name)
        if command is not None:
            parts += _described(command, click.Context(command, root, name))
    return "\n".join(parts)


def _described(command: click.Command, context: click.Context, level: int = 2) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"{'#' * level} {context.command_path}\n"
    yield f"{_text(command)}\n"
    yield f"```\n{context.command_path} {usage}\n```\n"
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        yield "| option | meaning | default |\n| --- | --- | --- |"
        yield "\n".join(_row(one, context) for one in options) + "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _described(inner, click.Context(inner, context, name), level + 1)


def _text(command: click.Command) -> str:
    """Return the description of a command; lines that click keeps as they are become a block."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"```\n{one.removeprefix(chr(8)).strip(chr(10))}\n```" if one.startswith("\b") else one
        for one in paragraphs
    )


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" `{option.make_metavar(context)}`"
    variable = f" (variable `{option.envvar}`)" if option.envvar else ""
    meaning = (option.help or "").replace("|", "\\|")
    return f"| {names}{value} | {meaning}{variable} | {_default(option, context)} |"


def _default(option: click.Option, context: click.Context) -> str:
    value = option.get_default(context, call=False)
    if value is None or repr(value) == "Sentinel.UNSET":
        value = getattr(Settings(), option.name or "", None)
    if value is None or value is False or callable(value) or value in ("", (), frozenset()):
        return ""
    return "yes" if value is True else f"`{value}`"


def main() -> int:
    """Write the file, or say whether it is stale."""
    text = reference()
    if "--check" not in sys.argv:
        FILE.write_text(text)
        return 0
    if FILE.is_file() and FILE.read_text() == text:
        return 0
    print(f"{os.path.relpath(FILE)} is stale: run tools/reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
