"""Fill in the templates of `affidavit init`: a caller of the published jobs, or the jobs themselves."""

import json
import textwrap
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal
from urllib.parse import urlsplit

from affidavit import __version__
from affidavit.errors import SettingsError
from affidavit.forges.address import GITHUB, ForgeKind
from affidavit.forges.pull_request import WORKFLOW

Hook = Literal["pre-commit", "pre-push"]
HOOKS: tuple[Hook, ...] = ("pre-commit", "pre-push")
PATHS: dict[ForgeKind, str] = {"github": WORKFLOW, "gitlab": ".gitlab/affidavit.yml"}
LOCKS: dict[ForgeKind, str] = {"github": ".github/affidavit.lock", "gitlab": ".gitlab/affidavit.lock"}
CALLED: dict[ForgeKind, str] = {"github": ".github/workflows/review.yml", "gitlab": "templates/review.yml"}
"""The files of this repository that have the jobs for callers elsewhere."""
ANSWERED = ".github/workflows/affidavit-answered.yml"
"""The workflow that runs on answers in threads, without any rights."""
RELEASE = "release.json"
"""Address and commit of the release: the release script writes it into the package, a clone has none."""
BUDGET_USD = 5.0
"""The default budget of a review in CI: many times the usual price."""
# -I: in a checkout of the change, python would import `pip` from the change.
_PIP = "python -I -m pip install --disable-pip-version-check --no-compile"
# Pip takes a wheel that it built itself from its cache without comparing hashes.
_BUILD = f"AFFIDAVIT_WITHOUT_PAGE=1 {_PIP} --no-cache-dir --no-deps --no-build-isolation"
# The list is complete; asked for dependencies, too, pip refuses a package that another wants with an extra.
_HASHED = f"{_PIP} --no-deps --require-hashes --only-binary :all: -r"
_LOCK = "src/affidavit/forges/workflows/dependencies.lock"


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
    branch: str = "main"
    """The default branch of the user's repository."""
    forge_host: str = GITHUB.name
    """The host of the user's repository: jobs can be called only there."""
    is_inline: bool = False
    """Write the jobs themselves, even if they could be called."""


def workflow(kind: ForgeKind, chosen: Choices) -> list[Written]:
    """Return the files for a forge; without a model, only the last job has a secret."""
    if not chosen.source and not chosen.digests:
        raise SettingsError(_NO_SOURCE)
    answered = [Written(ANSWERED, _filled(_read("answered.yml"), {}))] if kind == "github" else []
    why = why_inline(chosen)
    if not why:
        text = _github_caller(chosen) if kind == "github" else _gitlab_caller(chosen)
        return [Written(PATHS[kind], text, advice=_advice(kind, chosen)), *answered]
    text = _github_jobs(chosen) if kind == "github" else _gitlab_jobs(chosen)
    advice = f"{_advice(kind, chosen)}. The jobs are written whole: {why}"
    return [Written(PATHS[kind], text, advice=advice), *answered, Written(LOCKS[kind], _lock(chosen))]


def why_inline(chosen: Choices) -> str:
    """Return why the jobs are written instead of called; empty if they can be called."""
    if chosen.is_inline:
        return "--inline asks for it"
    if not chosen.source:
        return "--digest names a package, and jobs are called from a repository (--from)"
    host = urlsplit(chosen.source).netloc
    if host != chosen.forge_host:
        return f"they could be called only from {chosen.forge_host}, and --from names {host}"
    return ""


def called(kind: ForgeKind) -> str:
    """Return the file of this repository that callers name."""
    return _gitlab_jobs(None) if kind == "gitlab" else _github_jobs(None)


def released_source(place: Traversable | None = None) -> str:
    """Return `https://host/owner/repo@COMMIT` of the installed release; empty in a clone."""
    place = place or files("affidavit.forges.workflows") / RELEASE
    if not place.is_file():
        return ""
    release = json.loads(place.read_text("utf-8"))
    return f"{release['repository']}@{release['commit']}"


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
    if not chosen.source:
        return [f"{_HASHED} {lock}"]
    # The lock lists the build tools with hashes; nothing else comes from the index.
    return [f"{_HASHED} {lock}", f'FROM="affidavit @ git+{chosen.source}"', f'{_BUILD} "$FROM"']


def _filled(text: str, parts: dict[str, str]) -> str:
    for mark, part in {**parts, "@VERSION@": __version__}.items():
        text = text.replace(mark, part)
    return text


# GitHub


def _github_caller(chosen: Choices) -> str:
    address, _, commit = chosen.source.partition("@")
    given = [f"model: {chosen.model}", f"budget-usd: {chosen.budget_usd:g}"] if chosen.model else []
    given += ["private: true"] if chosen.is_private else []
    keys = [f"model-key: ${{{{ secrets.{_key(chosen.model)} }}}}"] if chosen.model else []
    keys.append("signing-key: ${{ secrets.AFFIDAVIT_SIGNING_KEY }}")
    parts = {
        "@TRIGGERS@": _read("github-triggers.yml").replace("@BRANCH@", chosen.branch),
        "@WORKFLOW@": f"{urlsplit(address).path.strip('/')}/{CALLED['github']}@{commit}",
        "@WITH@": textwrap.indent("\n".join(["with:", *(f"  {one}" for one in given), ""]), " " * 4)
        if given
        else "",
        "@SECRETS@": textwrap.indent("\n".join([*keys, ""]), " " * 6),
    }
    return _filled(_read("github-caller.yml"), parts)


def _github_jobs(chosen: Choices | None) -> str:
    """Return the workflow with the jobs: for a user's choices, or the one that others call."""
    if chosen is None:
        parts = {
            "@TOP@": _read("github-called.yml"),
            "@SETUP@": _read("github-setup-called.yml"),
            "@HASHED@": _HASHED,
            "@LOCK@": _LOCK,
            "@BUILD@": _BUILD,
            "@MODEL@": _CALLED_MODEL,
            "@KEY@": _CALLED_KEY,
            "@SIGNING_KEY@": "signing-key",
            "@RECHECK_RIGHTS@": _READING,
            "@RECHECK_TOKEN@": _token("${{ inputs.private && github.token || '' }}"),
        }
        return _filled(_read("github-jobs.yml"), parts)
    key = _key(chosen.model)
    asked = [f"{key}: ${{{{ secrets.{key} }}}}", *_settings(chosen)] if chosen.model else []
    top = _read("github-inline.yml") + _read("github-triggers.yml").replace("@BRANCH@", chosen.branch)
    parts = {
        "@TOP@": top,
        "@SETUP@": _read("github-setup-inline.yml"),
        "@INSTALL@": textwrap.indent("\n".join(_install(LOCKS["github"], chosen)), " " * 10),
        "@MODEL@": "".join(f"{' ' * 10}{line}\n" for line in asked),
        "@KEY@": "",
        "@SIGNING_KEY@": "AFFIDAVIT_SIGNING_KEY",
        # Commits of a public repository are fetched without an account.
        "@RECHECK_RIGHTS@": _READING if chosen.is_private else "    permissions: {}\n",
        "@RECHECK_TOKEN@": _token("${{ github.token }}") if chosen.is_private else "",
    }
    return _filled(_read("github-jobs.yml"), parts)


_READING = "    permissions:\n      contents: read\n"
_CALLED_MODEL = """\
          AFFIDAVIT_MODEL: ${{ inputs.model }}
          AFFIDAVIT_BUDGET_USD: ${{ inputs.model && inputs.budget-usd || '' }}
          MODEL_KEY: ${{ secrets.model-key }}
"""
_CALLED_KEY = """\
          # The key under the name that the model's provider reads.
          name=${AFFIDAVIT_MODEL%%:*} && name=${name//-/_}
          if [ -n "$name" ]; then export "${name^^}_API_KEY=$MODEL_KEY"; fi
"""


def _token(expression: str) -> str:
    return f"        env:\n          GITHUB_TOKEN: {expression}\n"


# GitLab


def _gitlab_caller(chosen: Choices) -> str:
    address, _, commit = chosen.source.partition("@")
    place = address.partition("://")[2]
    given = [f"model: {chosen.model}", f'budget-usd: "{chosen.budget_usd:g}"'] if chosen.model else []
    given += [f"model-key: {_key(chosen.model)}"] if chosen.model else []
    inputs = textwrap.indent("\n".join(["inputs:", *(f"  {one}" for one in given), ""]), " " * 4)
    return _filled(_read("gitlab-top.yml") + f"include:\n  - component: {place}/review@{commit}\n", {}) + (
        inputs if given else ""
    )


def _gitlab_jobs(chosen: Choices | None) -> str:
    if chosen is None:
        parts = {
            "@TOP@": _read("gitlab-called.yml"),
            "@SETUP@": _CALLED_SETUP,
            "@MODEL_KEY@": " and the model's key",
            "@MODEL@": _CALLED_VARIABLES,
            "@KEY@": "${$[[ inputs.model-key ]]}",
            "@OPEN@": _BY_GIT,
        }
        return _filled(_read("gitlab-jobs.yml"), parts)
    key = _key(chosen.model)
    variables = "".join(f"    {line}\n" for line in _settings(chosen))
    install = "\n".join(f"    - {line}" for line in _quoted(_install('"$own/affidavit.lock"', chosen)))
    parts = {
        "@TOP@": _read("gitlab-top.yml"),
        "@SETUP@": f"{_INLINE_SETUP}{install}",
        "@MODEL_KEY@": f" and {key}" if chosen.model else "",
        "@MODEL@": f"  variables:\n{variables}" if chosen.model else "",
        "@KEY@": f"${key}" if chosen.model else "",
        "@OPEN@": _BY_GIT if chosen.is_private else _BY_ADDRESS,
    }
    return _filled(_read("gitlab-jobs.yml"), parts)


_INLINE_SETUP = """\
    # The hashes of everything that is installed, of the same commit as this file; nothing is checked out.
    - git -C "$own" fetch --quiet --depth 1 "$CI_REPOSITORY_URL" "$CI_COMMIT_SHA"
    - git -C "$own" show FETCH_HEAD:.gitlab/affidavit.lock > "$own/affidavit.lock"
"""
_CALLED_SETUP = f"""\
    # The commit of this component: its code, and the hashes of everything else.
    - component='$[[ component.reference ]]'
    - git -C "$own" fetch --quiet --depth 1
      "${{CI_SERVER_PROTOCOL}}://${{component%/review@*}}.git" '$[[ component.sha ]]'
    - git -C "$own" checkout --quiet FETCH_HEAD
    - '{_HASHED}
      "$own/{_LOCK}"'
    - {_BUILD}
      "$own\""""
_CALLED_VARIABLES = """\
  variables:
    AFFIDAVIT_MODEL: $[[ inputs.model ]]
    AFFIDAVIT_BUDGET_USD: $[[ inputs.budget-usd ]]
"""
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


def _quoted(commands: list[str]) -> list[str]:
    """Quote commands for YAML: a colon and a space would begin a mapping."""
    return [f"'{one}'" if ": " in one else one for one in commands]


# Both


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
