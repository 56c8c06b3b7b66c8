"""Options that several commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.config.readers import ROLES
from affidavit.errors import SettingsError
from affidavit.git.command import Git
from affidavit.ports import Role
from affidavit.records.settings_entries import EFFORTS

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]


def together(*options: Option) -> Callable[[Command], Command]:
    """Combine several decorators into one; help lists them in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def words_option(name: str, metavar: str, text: str) -> Option:
    """Make an option for words between commas; given several times, all its words count."""

    def joined(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str | None:
        return ",".join(given) if given else None

    return click.option(name, metavar=metavar, multiple=True, callback=joined, help=text)


repo_option = click.option(
    "--repo", type=click.Path(path_type=Path), help="The repository; default: this folder's."
)
repository_options = together(
    repo_option,
    click.option(
        "--work-tree",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="FOLDER",
        help="The repository's working tree, if it is elsewhere.",
    ),
    click.option(
        "--allow-alternates",
        is_flag=True,
        envvar="AFFIDAVIT_ALLOW_ALTERNATES",
        help="Allow objects of another repository, as after `git clone --shared`.",
    ),
)
working_tree_options = together(
    repository_options,
    click.option(
        "--allow-filters",
        is_flag=True,
        envvar="AFFIDAVIT_ALLOW_FILTERS",
        help="Run the filters that its configuration names, such as git-lfs, on files of the working tree.",
    ),
)
path_options = together(
    words_option("--include", "GLOBS", "Review only these paths."),
    words_option("--exclude", "GLOBS", "Do not review these paths; adds to the settings' exclude."),
)
off_option = words_option("--analysers-off", "NAMES", "Leave these analysers out.")
rules_off_option = words_option("--rules-off", "RULES", "Do not show these rules, such as ruff/F401.")
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Settings file to use instead of the base commit's.",
)
data_option = click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
format_option = click.option(
    "--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress, no hints.")
no_cache_option = click.option("--no-cache", is_flag=True, help="Do not use cached results.")


def _kept(name: str, use: str) -> Option:
    return click.option(name, type=click.Path(path_type=Path), metavar="DIR", help=use)


talk_options = together(
    click.option(
        "--model-timeout-seconds",
        metavar="N",
        help="Abort a model call after N seconds without data; default 120.",
    ),
    click.option("--budget-usd", metavar="USD", help="End the review before more than this is spent."),
    click.option("--budget-tokens", metavar="N", help="The same in tokens."),
    click.option(
        "--prices-usd-per-million",
        metavar="MODEL=IN/OUT",
        help="Prices of models that the price table does not have, in USD per million tokens;"
        " IN/CACHED/OUT where cached input is cheaper; several with commas.",
    ),
    _kept("--record", "Record every exchange in this folder."),
    _kept("--replay", "Answer from a recorded run; ask no model."),
    _kept("--resume", "Continue a recorded run."),
)
"""Limits and recordings of the conversations with models."""


def role_options(roles: Sequence[Role], use: str) -> Callable[[Command], Command]:
    return together(
        click.option("--model", metavar="MODEL", help=use),
        *(option for role in roles for option in _options_of(role)),
        click.option(
            "--base-url",
            metavar="URL",
            help="An OpenAI-compatible Chat Completions endpoint: for --model, and for every role's model"
            " that names no provider.",
        ),
        talk_options,
    )


def _options_of(role: Role) -> list[Option]:
    name, title = role.replace("_", "-"), role.replace("_", " ")
    use = {
        "second_verifier": "A second model that must also confirm a finding; none by default.",
        "specialist": "Another model for the specialist; conversations are spread over several with commas.",
    }.get(role, f"Another model for the {title}.")
    return [
        click.option(f"--{name}-model", metavar="MODEL", help=use),
        click.option(f"--{name}-max-tokens", metavar="N", help=f"Limit of a reply of the {title}."),
        click.option(f"--{name}-base-url", metavar="URL", help=f"Another endpoint for the {title}'s model."),
    ]


model_options = together(
    role_options(ROLES, "PROVIDER:NAME, for all roles; without it no model is used."),
    click.option(
        "--effort",
        type=click.Choice(EFFORTS),
        help="How much models look: rounds, conversations, experiments; default normal.",
    ),
)
mcp_servers_option = click.option(
    "--mcp-servers",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    envvar="AFFIDAVIT_MCP_SERVERS",
    help="JSON file of MCP servers whose tools models may call; each server needs `allow`.",
)
# Prompts are instructions, so they are not settings, which a file of the repository could choose.
prompts_option = click.option(
    "--prompts",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    envvar="AFFIDAVIT_PROMPTS",
    help="Your own prompts: DIR has a folder per version; the included ones stay available.",
)
prompt_options = together(
    prompts_option,
    click.option(
        "--prompt-version",
        metavar="VERSION",
        envvar="AFFIDAVIT_PROMPT_VERSION",
        help="Use this prompt version instead of the rollout's; the review does not count for the rollout.",
    ),
)
environment_options = together(
    click.option(
        "--environment",
        "environments",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="For programs, read-only: a virtual environment, node_modules, Go modules; `auto` fetches "
        "what base's lock files name; repeatable.",
    ),
    click.option("--run-seconds", metavar="N", help="Time for all programs together; default 600."),
    click.option("--run-at-once", metavar="N", help="Programs run at one time; default: one a core."),
)
run_options = together(
    click.option(
        "--run/--no-run",
        default=None,
        help="Run small programs on both sides, in a sandbox, to show what is wrong; default no.",
    ),
    environment_options,
)
server_options = together(
    click.option(
        "--language-servers/--no-language-servers",
        default=None,
        help="Ask ty and TypeScript which references are certain (slower); default no.",
    ),
    click.option(
        "--typescript-server",
        metavar="FILE",
        help="The tsc to check types and ask; default: beside the interpreter or on PATH.",
    ),
)


ASKED_WITHOUT_KEY = "-"
"""`--sign` alone: the key is git's."""


def sign_option(what: str) -> Callable[[Command], Command]:
    """Add --sign to a command; `what` is signed with the key."""
    return click.option(
        "--sign",
        is_flag=False,
        flag_value=ASKED_WITHOUT_KEY,
        type=click.Path(path_type=Path),
        metavar="[KEY]",
        help=f"Sign {what}; default: git's user.signingKey.",
    )


def signing_key(named: Path | None) -> Path:
    """Return the named key, else the one that git signs the user's commits with."""
    if named is not None and str(named) != ASKED_WITHOUT_KEY:
        return named.expanduser()
    git = Git(Path.cwd())
    # The repository's own configuration does not count: it may have come in an archive.
    form = git.attempt("config", "--global", "--get", "gpg.format").stdout.strip()
    key = git.attempt("config", "--global", "--type=path", "--get", "user.signingKey")
    path = key.stdout.decode("utf-8", "replace").strip()
    if form != b"ssh" or key.returncode != 0 or not path or path.startswith("key::"):
        raise SettingsError(
            "no key to sign with; name one (`sign --key KEY`, `post --sign KEY`), or run "
            "`git config --global gpg.format ssh` and `git config --global user.signingKey FILE`"
        )
    return Path(path)
