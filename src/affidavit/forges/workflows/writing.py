"""Fill in the templates of `affidavit init`."""

import textwrap
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from affidavit import __version__
from affidavit.errors import SettingsError
from affidavit.forges.address import ForgeKind
from affidavit.forges.pull_request import WORKFLOW

Hook = Literal["pre-commit", "pre-push"]
HOOKS: tuple[Hook, ...] = ("pre-commit", "pre-push")
PATHS: dict[ForgeKind, str] = {"github": WORKFLOW, "gitlab": ".gitlab/affidavit.yml"}
LOCKS: dict[ForgeKind, str] = {"github": ".github/affidavit.lock", "gitlab": ".gitlab/affidavit.lock"}
ANSWERED = ".github/workflows/affidavit-answered.yml"
"""The workflow that runs on answers in threads, without any rights."""
BUDGET_USD = 5.0
"""The default budget of a review in CI: many times the usual price."""
_PIP = "python -m pip install --disable-pip-version-check"


@dataclass(frozen=True)
class Written:
    path: str
    text: str
    is_program: bool = False
    advice: str = ""


@dataclass(frozen=True)
class Choices:
    """The user's choices for the workflow."""

    model: str | None = None
    budget_usd: float = BUDGET_USD
    is_private: bool = False
    digests: tuple[str, ...] = ()
    """SHA-256 of the published files of this version."""
    source: str = ""
    """The repository and commit to install from, as `https://host/owner/repo@COMMIT`; else by the digests."""


def workflow(kind: ForgeKind, chosen: Choices) -> list[Written]:
    """Return the workflow of a forge and its lock file; without a model, only the last job has a secret."""
    if not chosen.source and not chosen.digests:
        raise SettingsError(_NO_SOURCE)
    text = _read(f"{kind}.yml").replace("@VERSION@", __version__)
    fill = _github if kind == "github" else _gitlab
    answered = [Written(ANSWERED, _read("answered.yml").replace("@VERSION@", __version__))]
    return [
        Written(PATHS[kind], fill(text, chosen), advice=_advice(kind, chosen)),
        *(answered if kind == "github" else []),
        Written(LOCKS[kind], _lock(chosen)),
    ]


def hook(name: Hook, *, is_strict: bool = False) -> Written:
    """Return a hook of git; a strict one also stops if the review failed or is incomplete."""
    text = _read(f"{name}.sh").replace("@STRICT@", "yes" if is_strict else "no")
    return Written(f"hooks/{name}", text, is_program=True)


_NO_SOURCE = (
    f"Affidavit {__version__} is not published: anybody could register its name on the index, and the jobs "
    "have write rights. Say what they install with --from OWNER/REPO@COMMIT, its repository on github.com, "
    "or --from https://HOST/PATH@COMMIT. If you publish it yourself, pin your wheel with --digest SHA256"
)


def _read(name: str) -> str:
    return (files("affidavit.forges.workflows") / name).read_text("utf-8")


def _lock(chosen: Choices) -> str:
    """Return the lock file: everything that is installed, with hashes."""
    own = " \\\n    ".join([f"affidavit=={__version__}", *(f"--hash=sha256:{one}" for one in chosen.digests)])
    about = (
        f"# Written by `affidavit init` (Affidavit {__version__}): what its jobs install, and nothing else.\n"
    )
    return about + ("" if chosen.source else f"{own}\n") + _read("dependencies.lock")


def _install(lock: str, chosen: Choices) -> list[str]:
    commands = [f"{_PIP} --require-hashes --only-binary :all: -r {lock}"]
    if not chosen.source:
        return commands
    # The lock lists the build tools with hashes; nothing else comes from the index.
    build = f'AFFIDAVIT_WITHOUT_PAGE=1 {_PIP} --no-deps --no-build-isolation "$FROM"'
    return [*commands, f'FROM="affidavit @ git+{chosen.source}"', build]


def _github(text: str, chosen: Choices) -> str:
    install = textwrap.indent("\n".join(_install(LOCKS["github"], chosen)), " " * 10)
    rights = "    permissions:\n      contents: read\n" if chosen.is_private else "    permissions: {}\n"
    token = "        env:\n          GITHUB_TOKEN: ${{ github.token }}\n" if chosen.is_private else ""
    key = _key(chosen.model)
    asked = [f"{key}: ${{{{ secrets.{key} }}}}", *_settings(chosen)] if chosen.model else []
    filled = {
        "@INSTALL@": install,
        "@MODEL@": "".join(f"{' ' * 10}{line}\n" for line in asked),
        # Commits of a public repository are fetched without an account.
        "@RECHECK_RIGHTS@": rights,
        "@RECHECK_TOKEN@": token,
    }
    return _filled(text, filled)


def _gitlab(text: str, chosen: Choices) -> str:
    key = _key(chosen.model)
    variables = "".join(f"    {line}\n" for line in _settings(chosen))
    filled = {
        "@INSTALL@": "\n".join(f"    - {line}" for line in _quoted(_install("affidavit.lock", chosen))),
        "@MODEL_KEY@": f" and {key}" if chosen.model else "",
        "@MODEL@": f"  variables:\n{variables}" if chosen.model else "",
        "@KEY@": f"${key}" if chosen.model else "",
        "@OPEN@": _BY_GIT if chosen.is_private else _BY_ADDRESS,
    }
    return _filled(text, filled)


_BY_ADDRESS = """\
  script:
    # By its address, as anybody may read it.
    - affidavit review "$CI_MERGE_REQUEST_PROJECT_URL/-/merge_requests/$CI_MERGE_REQUEST_IID\""""
_BY_GIT = """\
  # The token of a job may fetch, and not read merge requests: what is reviewed comes by git alone. Nothing
  # of it is run.
  variables:
    GIT_STRATEGY: fetch
    GIT_DEPTH: "0"
  script:
    - affidavit review "$CI_MERGE_REQUEST_DIFF_BASE_SHA...$CI_COMMIT_SHA\""""


def _filled(text: str, parts: dict[str, str]) -> str:
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text


def _quoted(commands: list[str]) -> list[str]:
    """Quote commands for YAML: a colon and a space would begin a mapping."""
    return [f"'{one}'" if ": " in one else one for one in commands]


def _settings(chosen: Choices) -> list[str]:
    return [f"AFFIDAVIT_MODEL: {chosen.model}", f'AFFIDAVIT_BUDGET_USD: "{chosen.budget_usd:g}"']


def _key(model: str | None) -> str:
    provider = (model or "").partition(":")[0]
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def _advice(kind: ForgeKind, chosen: Choices) -> str:
    if kind == "gitlab":
        return "add to .gitlab-ci.yml: include: [{local: .gitlab/affidavit.yml}]; that file says the rest"
    advice = "commit all of them on the default branch: pull requests are reviewed from then on"
    return advice + (f"; add the secret {_key(chosen.model)}" if chosen.model else "")
