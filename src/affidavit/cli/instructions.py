"""`affidavit instructions`: show what the team's instruction files say about a path."""

import json
import os
from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of
from affidavit.cli.options import format_option, repository_options
from affidavit.context.instructions import Instructions, instruction_files, instructions_for
from affidavit.errors import InputError
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.repository import commit_tree
from affidavit.git.revisions import resolve_commit
from affidavit.git.tree import GitTree
from affidavit.render.safe_text import json_without_commands, visible


@click.command()
@click.argument("path", required=False)
@click.option("--at", "revision", metavar="REV", default="HEAD", show_default=True, help="Read this commit.")
@repository_options
@format_option
def command(path: str | None, revision: str, repo: Path | None, output: str, **options: Any) -> None:
    """Show which instructions models get about PATH, each with file and line.

    Without PATH: list the instruction files and the paths that each is about. A review reads them from the
    base commit and the tip of the target branch, never from the change.
    """
    location = find_repository(repo, allowed_of(options))
    with ObjectStore(location) as store:
        tree = commit_tree(store, resolve_commit(store, location, revision))
        if path is None:
            listed = dict(instruction_files(tree))
            text = "\n".join(f"{visible(file)}  {visible(about)}" for file, about in listed.items())
            rows: object = [{"file": file, "about": about} for file, about in listed.items()]
        else:
            found = instructions_for([tree], [_in_repository(path, location.work_tree, tree)])
            text = "\n".join(map(visible, found.text.splitlines()))
            rows = _rows(found)
    nothing = f"{path} has no instructions" if path else "the commit has no instruction files"
    click.echo(json_without_commands(json.dumps(rows)) if output == "json" else text or visible(nothing))


def _in_repository(path: str, top: Path | None, tree: GitTree) -> str:
    """Return the path as the repository names it; a folder ends with a slash."""
    here = Path.cwd().resolve()
    if top is not None:
        top = top.resolve()
        start = here if here.is_relative_to(top) else top
        full = Path(os.path.normpath(start / path))
        if not path or not full.is_relative_to(top) or full == top:
            raise InputError(f"{path!r} is no path in the repository {top}")
        path = full.relative_to(top).as_posix()
    return f"{path}/" if path in tree.folders else path


def _rows(found: Instructions) -> dict[str, object]:
    kinds = {"sections": found.sections, "left_out": found.left_out}
    return {
        "not_read": list(found.not_read),
        **{
            kind: [{"file": one.path, "line": one.line, "title": one.title, "text": one.text} for one in own]
            for kind, own in kinds.items()
        },
    }
