"""`affidavit init`: write the workflow of a forge, a hook of git, or an agent's plug-in."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from affidavit.cli.saying import note
from affidavit.errors import InputError, SettingsError
from affidavit.forges.address import GITHUB, GITLAB, KINDS, ForgeKind, Host, known_hosts
from affidavit.forges.workflows.agents import AGENTS, CodingAgent, agent_files
from affidavit.forges.workflows.writing import (
    BUDGET_USD,
    HOOKS,
    LOCKS,
    PATHS,
    Choices,
    Hook,
    Written,
    hook,
    released_source,
    workflow,
)
from affidavit.git.command import Git

DIGEST = re.compile(r"[0-9a-f]{64}")
SOURCE = re.compile(
    r"(?:(?P<github>[\w.-]+/[\w.-]+)|(?P<address>https://[\w.-]+(?::\d+)?(?:/[\w.-]+)+))@(?P<commit>[0-9a-f]{40}|[0-9a-f]{64})"
)
BRANCH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
MODEL_NAME = re.compile(r"[A-Za-z0-9-]+:[\w.:/@-]+")
ANYWHERE = {"--repo", "--print", "--force"}
OPTIONS = {"--agent": {"--agent"}, "--hook": {"--hook", "--strict"}}
"""Those that go with a plug-in, and with hooks; all others are for the workflow."""


@click.command()
@click.option("--forge", type=click.Choice(KINDS), help="Which workflow; default: that of the remote origin.")
@click.option("--hook", "hooks", multiple=True, type=click.Choice(HOOKS), help="A hook instead; repeatable.")
@click.option("--agent", type=click.Choice(AGENTS), help="Instead: the plug-in or skill of a coding agent.")
@click.option("--strict", is_flag=True, help="With --hook: also stop if the review is incomplete.")
@click.option(
    "--model", metavar="PROVIDER:NAME", help="The model of the review; default: none, and no secret."
)
@click.option(
    "--budget-usd",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help=f"With --model: what one review may cost; default {BUDGET_USD:g}.",
)
@click.option(
    "--from",
    "source",
    metavar="OWNER/REPO@COMMIT",
    help="The repository of Affidavit at a commit, whose jobs are called; an https address works, too."
    " Default: that of the installed release.",
)
@click.option(
    "--digest",
    "digests",
    multiple=True,
    metavar="SHA256",
    help="Instead of --from: the hash of this version's published wheel (`pip hash FILE`); repeatable.",
)
@click.option("--inline", is_flag=True, help="Write the jobs themselves instead of calling them.")
@click.option("--private", is_flag=True, help="The repository is private: jobs need a token to fetch.")
@click.option("--repo", type=click.Path(path_type=Path, file_okay=False), help="Where; default: this folder.")
@click.option("--print", "is_shown", is_flag=True, help="Print the file instead of writing it.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def command(
    forge: ForgeKind | None,
    hooks: tuple[Hook, ...],
    agent: CodingAgent | None,
    strict: bool,
    repo: Path | None,
    is_shown: bool,
    force: bool,
    **options: Any,
) -> None:
    """Write the GitHub workflow or the GitLab jobs that review every change, hooks for git, or a plug-in.

    The workflow has three jobs with rights of their own: review reads, recheck proves again without any
    secret, post writes what the recheck confirmed.

    \b
    affidavit init --from OWNER/REPO@COMMIT   the workflow of the forge that origin is on
    affidavit init --hook pre-push            review what is pushed, before it is
    affidavit init --agent claude             a plug-in for Claude Code
    """
    _refuse_mixed(click.get_current_context())
    git = Git(repo or Path.cwd())
    root = _line(git, "rev-parse", "--show-toplevel")
    if agent:
        files = agent_files(agent)
    elif hooks:
        root = _hooks_folder(git, root)
        files = [hook(name, is_strict=strict) for name in hooks]
    else:
        host = _host_of(git)
        if forge is None and host is None:
            raise InputError(
                "no remote `origin` on a known forge; choose with --forge github or --forge gitlab"
            )
        public = GITHUB if forge == "github" else GITLAB
        host = host if host and forge in (None, host.kind) else public
        chosen = replace(_choices(**options), branch=_default_branch(git), forge_host=host.name)
        files = workflow(host.kind, chosen)
    if is_shown:
        _show(files)
        return
    # All or nothing: a workflow without what it installs would fail.
    for one in files:
        _refuse_taken(root, root / one.path, is_forced=force)
    for one in files:
        _write(root / one.path, one)
    _name_unused_lock(root, {one.path for one in files})


def _refuse_mixed(context: click.Context) -> None:
    """Refuse options for two of: the workflow, hooks, a plug-in."""
    values = context.params
    given = {one.opts[0] for one in context.command.params if values.get(one.name or "")} - ANYWHERE
    for way, own in OPTIONS.items():
        if way in given and (others := sorted(given - own)):
            raise SettingsError(
                f"{way} does not go with {', '.join(others)}: run `affidavit init` once for each of "
                "the workflow, hooks and a plug-in"
            )
    if "--strict" in given and "--hook" not in given:
        raise SettingsError("--strict goes with --hook")


def _name_unused_lock(root: Path, written: Collection[str]) -> None:
    """Say that a lock of inline jobs can go, as jobs are now called."""
    for kind, lock in LOCKS.items():
        if PATHS[kind] in written and lock not in written and (root / lock).is_file():
            note(f"{root / lock} is no longer used, as the workflow calls the jobs: remove it")


def _choices(
    model: str | None,
    budget_usd: float | None,
    source: str | None,
    digests: tuple[str, ...],
    inline: bool,
    private: bool,
) -> Choices:
    if model is not None and not MODEL_NAME.fullmatch(model):
        raise SettingsError(f"--model: {model!r} is not PROVIDER:NAME, such as anthropic:claude-sonnet-4-5")
    if model is not None and model.startswith("agent:"):
        raise SettingsError(f"--model: {model} needs a program and a person's login, which a CI job lacks")
    if budget_usd is not None and model is None:
        raise SettingsError("--budget-usd goes with --model: without a model a review costs nothing")
    plain = tuple(one.removeprefix("--hash=").removeprefix("sha256:").lower() for one in digests)
    if wrong := next((one for one in plain if not DIGEST.fullmatch(one)), None):
        raise SettingsError(f"--digest: {wrong!r} is not the SHA-256 of a file, 64 hexadecimal digits")
    if source is not None and digests:
        raise SettingsError("--from and --digest are two ways to install Affidavit: give one of them")
    address = _address(source) if source else "" if digests else released_source()
    return Choices(model, budget_usd or BUDGET_USD, private, plain, address, is_inline=inline)


def _address(source: str) -> str:
    found = SOURCE.fullmatch(source)
    if found is None:
        raise SettingsError(
            f"--from: {source!r} is not OWNER/REPO@COMMIT or https://HOST/PATH@COMMIT, with the whole hash "
            "of the commit: a branch or a tag can be moved"
        )
    address = found["address"] or f"https://github.com/{found['github']}"
    return f"{address}@{found['commit']}"


def _line(git: Git, *arguments: str) -> Path:
    done = git.attempt(*arguments)
    if done.returncode != 0:
        raise InputError(f"{git.folder} is not in a git working tree; pass one with --repo")
    return Path(done.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))


def _hooks_folder(git: Git, top: Path) -> Path:
    """Return the repository's own hooks folder; refuse core.hooksPath."""
    # Our git calls switch hooks off, so the user's choice is read from the configuration files.
    chosen = [
        git.attempt("config", place, "--get", "core.hooksPath").stdout.decode("utf-8", "replace").strip()
        for place in ("--local", "--global")
    ]
    if any(chosen):
        found = next(filter(None, chosen))
        raise InputError(f"core.hooksPath is {found}: write the hook there (--print shows it)")
    common = _line(git, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return common if common.is_absolute() else top / common


def _host_of(git: Git) -> Host | None:
    """Return the forge of the remote origin, if it is a known one."""
    address = git.attempt("config", "--local", "--get", "remote.origin.url").stdout.decode("utf-8", "replace")
    named = (
        one for one in known_hosts() if re.search(rf"(?:^|[@/]){re.escape(one.name)}[:/]", address.strip())
    )
    return next(named, None)


def _default_branch(git: Git) -> str:
    """Return the default branch of origin as far as git knows it."""
    named = git.attempt("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").stdout.decode()
    branch = named.strip().partition("/")[2]
    return branch if BRANCH.fullmatch(branch) else "main"


def _refuse_taken(root: Path, place: Path, *, is_forced: bool) -> None:
    """Refuse an existing file, and a place outside of the repository."""
    if not place.parent.resolve().is_relative_to(root.resolve()):
        raise InputError(f"{place.parent} leads out of {root} by a link: make it a folder of the repository")
    if place.is_symlink():
        raise InputError(
            f"{place} is a link to {place.readlink()}, and links are not followed: "
            "remove it, or write the new one elsewhere (--print shows it)"
        )
    if place.exists() and not is_forced:
        raise InputError(f"{place} already exists: --force overwrites it, --print shows the new one")


def _show(files: Sequence[Written]) -> None:
    """Print the files, without the long list of hashes."""
    click.echo("\n".join(one.text for one in files if not one.path.endswith(".lock")), nl=False)
    for one in files:
        if one.path.endswith(".lock"):
            note(f"{one.path} belongs to it, the hashes of what is installed: it is written, not printed")


def _write(place: Path, written: Written) -> None:
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
