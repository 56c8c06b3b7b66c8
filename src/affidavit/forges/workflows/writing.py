"""Fill in the files that `affidavit init` writes: what the user chose in, a path and a text out."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from affidavit import __version__
from affidavit.forges.hosts import ForgeKind

Hook = Literal["pre-commit", "pre-push"]
HOOKS: tuple[Hook, ...] = ("pre-commit", "pre-push")
PATHS: dict[ForgeKind, str] = {"github": ".github/workflows/affidavit.yml", "gitlab": ".gitlab/affidavit.yml"}


@dataclass(frozen=True)
class Written:
    """A file to write."""

    path: str
    text: str
    is_program: bool = False
    advice: str = ""


def workflow(kind: ForgeKind, model: str | None, *, is_private: bool) -> Written:
    """The workflow of a forge; without a model no job but the last has a secret."""
    text = _read(f"{kind}.yml").replace("@VERSION@", __version__)
    if kind == "gitlab":
        said = f"\n    # The model's key ({_key(model)}) is a protected variable." if model else ""
        advice = (
            "add to .gitlab-ci.yml: include: [{local: .gitlab/affidavit.yml}]; docs/gitlab.md has the rest"
        )
        text = text.replace("@MODEL@", said)
        if model:
            text = text.replace("report=report.json || code", f'report=report.json --model "{model}" || code')
        return Written(PATHS[kind], text, advice=advice)
    text = text.replace("@MODEL@", _model_lines(model))
    text = text.replace("@RECHECK_RIGHTS@", _rights(is_private)).replace(
        "@RECHECK_TOKEN@", _token(is_private)
    )
    advice = "commit it on the default branch: pull requests are reviewed from then on"
    if model:
        advice += f"; add the secret {_key(model)}"
    return Written(PATHS[kind], text, advice=advice)


def hook(name: Hook) -> Written:
    """A hook of git."""
    return Written(f"hooks/{name}", _read(f"{name}.sh"), is_program=True)


def _read(name: str) -> str:
    return (files("affidavit.forges.workflows") / name).read_text("utf-8")


def _key(model: str | None) -> str:
    provider = (model or "").partition(":")[0]
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def _model_lines(model: str | None) -> str:
    if not model:
        return ""
    key = _key(model)
    return f"          AFFIDAVIT_MODEL: {model}\n          {key}: ${{{{ secrets.{key} }}}}\n"


def _rights(is_private: bool) -> str:
    """Commits of a public repository are fetched by nobody in particular."""
    return "    permissions:\n      contents: read\n" if is_private else "    permissions: {}\n"


def _token(is_private: bool) -> str:
    return "        env:\n          GITHUB_TOKEN: ${{ github.token }}\n" if is_private else ""
