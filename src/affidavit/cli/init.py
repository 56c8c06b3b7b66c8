"""`affidavit init`: write the workflow of a forge, or a hook of git, that reviews every change."""

import re
from pathlib import Path

import click

from affidavit.cli.screen.saying import note
from affidavit.errors import InputError, SettingsError
from affidavit.forges.hosts import KINDS, ForgeKind, known_hosts
from affidavit.forges.workflows.writing import HOOKS, Hook, Written, hook, workflow
from affidavit.git.command import Git

MODEL_NAME = re.compile(r"[A-Za-z0-9-]+:[\w.:/@-]+")


@click.command()
@click.option("--forge", type=click.Choice(KINDS), help="Which workflow; default: that of the remote origin.")
@click.option("--hook", "hooks", multiple=True, type=click.Choice(HOOKS), help="A hook instead; repeatable.")
@click.option(
    "--model", metavar="PROVIDER:NAME", help="The model of the review; default: none, and no secret."
)
@click.option("--private", is_flag=True, help="The repository is private: a recheck needs a token to fetch.")
@click.option("--repo", type=click.Path(path_type=Path, file_okay=False), help="Where; default: this folder.")
@click.option("--print", "is_shown", is_flag=True, help="Print the file instead of writing it.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(
    forge: ForgeKind | None,
    hooks: tuple[Hook, ...],
    model: str | None,
    private: bool,
    repo: Path | None,
    is_shown: bool,
    force: bool,
) -> None:
    """Write the GitHub workflow or the GitLab jobs that review every change, or hooks for git.

    The workflow has three jobs with rights of their own: review reads, recheck proves again without any
    secret, post writes what the recheck confirmed. docs/ci.md says what a fork's pull request can reach.

    \b
    affidavit init                      the workflow of the forge that origin is on
    affidavit init --hook pre-push      review what is pushed, before it is
    """
    git = Git(repo or Path.cwd())
    if model is not None and not MODEL_NAME.fullmatch(model):
        raise SettingsError(f"--model: {model!r} is not PROVIDER:NAME, such as anthropic:claude-sonnet-4-5")
    top = _line(git, "rev-parse", "--show-toplevel")
    if hooks:
        places = [(_hooks_folder(git, top) / name, hook(name)) for name in hooks]
    else:
        written = workflow(forge or _forge_of(git), model, is_private=private)
        places = [(top / written.path, written)]
    for place, written in places:
        if is_shown:
            click.echo(written.text, nl=False)
        else:
            _write(place, written, is_forced=force)


def _line(git: Git, *arguments: str) -> Path:
    done = git.attempt(*arguments)
    if done.returncode != 0:
        raise InputError(f"{git.folder} is not in a git repository with files: name one with --repo")
    return Path(done.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))


def _hooks_folder(git: Git, top: Path) -> Path:
    """The repository's own folder of hooks; one that is named elsewhere is not ours to write into."""
    # Our own git is told to look for hooks nowhere, so what the user chose is asked for by file.
    chosen = [
        git.attempt("config", place, "--get", "core.hooksPath").stdout.decode("utf-8", "replace").strip()
        for place in ("--local", "--global")
    ]
    if any(chosen):
        found = next(filter(None, chosen))
        raise InputError(f"core.hooksPath is {found}: write the hook there (--print shows it)")
    common = _line(git, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return (common if common.is_absolute() else top / common) / "hooks"


def _forge_of(git: Git) -> ForgeKind:
    """What the remote called origin is on."""
    address = git.attempt("config", "--local", "--get", "remote.origin.url").stdout.decode("utf-8", "replace")
    for host in known_hosts():
        if re.search(rf"(?:^|[@/]){re.escape(host.name)}[:/]", address.strip()):
            return host.kind
    raise InputError(
        "origin is on no forge that is known here: name it with --forge github or --forge gitlab"
    )


def _write(place: Path, written: Written, *, is_forced: bool) -> None:
    if place.is_symlink() or (place.exists() and not is_forced):
        raise InputError(f"{place} is there already: --force overwrites it, --print shows the new one")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(written.text, "utf-8")
        if written.is_program:
            place.chmod(0o755)
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {place}")
    if written.advice:
        note(written.advice)
