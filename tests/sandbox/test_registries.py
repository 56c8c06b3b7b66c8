"""Which registries the user's tools are set up for."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from affidavit.sandbox.registries import (
    GO,
    NOBODY,
    NPM,
    PYPI,
    Registries,
    user_registries,
    without_credentials,
)


def test_without_settings_the_public_registries_are_used(tmp_path: Path) -> None:
    found = user_registries({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path)
    assert PYPI in found.python
    assert (found.npm, found.go) == ((("registry", NPM),), (GO,))
    assert Registries().hosts == {
        "pypi.org:443",
        "files.pythonhosted.org:443",
        "registry.npmjs.org:443",
        "proxy.golang.org:443",
    }


def test_settings_of_the_tools_are_read_without_credentials_and_by_https_alone(tmp_path: Path) -> None:
    for name, text in {
        "uv/uv.toml": '[[index]]\nname = "own"\nurl = "https://a:b@uv.test/simple"\ndefault = true\n',
        "pip/pip.conf": "[global]\nextra-index-url = https://t@pip.test/simple file:///local http://plain.test\n",
        "go/env": "GOPROXY=https://user:pass@go.test:8443/x,direct\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    npm = "registry=https://npm.test/\n@own:registry=https://scoped.test/\n//npm.test/:_authToken=secret\n"
    (tmp_path / ".npmrc").write_text(npm)
    found = user_registries({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path)
    assert found.python[0] == "https://uv.test/simple"
    assert "https://pip.test/simple" in found.python
    assert dict(found.npm) == {"registry": "https://npm.test", "@own:registry": "https://scoped.test"}
    assert found.go == ("https://go.test:8443/x",)
    assert {"uv.test:443", "npm.test:443", "scoped.test:443", "go.test:8443"} <= found.hosts
    assert not any("plain" in host for host in found.hosts)


def test_the_environment_wins_over_files(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text("registry=https://file.test/\n")
    given = {
        "UV_INDEX_URL": "https://uv.test/simple",
        "UV_INDEX": "own=https://more.test/simple",
        "npm_config_registry": "https://npm.test/",
        "GOPROXY": "https://go.test|direct",
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    found = user_registries(given, tmp_path)
    assert found.python[:2] == ("https://uv.test/simple", "https://more.test/simple")
    assert (found.npm, found.go) == ((("registry", "https://npm.test"),), ("https://go.test",))


def test_a_process_that_may_hold_no_key_learns_registries_without_credentials() -> None:
    given = {"PIP_INDEX_URL": "https://user:pass@own.test/simple", "UV_INDEX_OWN_PASSWORD": "secret"}
    assert without_credentials(given) == {"PIP_INDEX_URL": "https://own.test/simple"}


def empty_home(folder: Path, given: Mapping[str, str]) -> Registries:
    return user_registries({"XDG_CONFIG_HOME": str(folder), **given}, folder)


@pytest.mark.parametrize("said", ["off", "direct", "http://go.test"])
def test_a_go_without_a_usable_proxy_asks_nobody(tmp_path: Path, said: str) -> None:
    found = empty_home(tmp_path, {"GOPROXY": said})
    assert found.go == ()
    assert not found.serves("go")
    assert "proxy.golang.org:443" not in found.hosts


def test_modules_that_go_keeps_private_are_asked_of_no_proxy(tmp_path: Path) -> None:
    assert empty_home(tmp_path, {"GOPRIVATE": "corp.test/*"}).go_private == "corp.test/*"
    both = {"GOPRIVATE": "corp.test/*", "GONOPROXY": "own.test"}
    assert empty_home(tmp_path, both).go_private == "own.test"


@pytest.mark.parametrize(
    "given",
    [
        {"PIP_INDEX_URL": "http://plain.test/simple"},
        {"PIP_NO_INDEX": "1"},
        {"UV_NO_INDEX": "true", "UV_DEFAULT_INDEX": "https://own.test/simple"},
    ],
)
def test_a_python_without_a_usable_index_asks_nobody(tmp_path: Path, given: Mapping[str, str]) -> None:
    for environment in (given, without_credentials(given)):
        found = empty_home(tmp_path, environment)
        assert found.python == ()
        assert not found.serves("python")
        assert "pypi.org:443" not in found.hosts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pip/pip.conf", "[global]\nno_index = yes\n"),
        ("uv/uv.toml", "no-index = true\n"),
        ("uv/uv.toml", "["),
    ],
)
def test_files_of_pip_and_uv_can_turn_indexes_off(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(text)
    assert empty_home(tmp_path, {}).python == ()


def test_a_scope_of_npm_without_https_is_not_asked_of_the_public_registry(tmp_path: Path) -> None:
    scope = "@own:registry=http://npm.test/\n"
    (tmp_path / ".npmrc").write_text(scope)
    assert dict(empty_home(tmp_path, {}).npm) == {"registry": NPM, "@own:registry": NOBODY}
    (tmp_path / ".npmrc").write_text(f"registry=http://npm.test/\n{scope}")
    found = empty_home(tmp_path, {})
    assert not found.serves("node")
    assert not any("npm" in host or "refused" in host for host in found.hosts)


def test_a_password_with_signs_of_addresses_is_cut_or_its_address_refused(tmp_path: Path) -> None:
    for password, kept in {
        "p@ss": ("https://own.test/simple",),
        "p/ss": (),
        "1/ss": (),
        "p?ss": (),
        "p#ss": (),
        "p@s/s": (),
    }.items():
        given = {"UV_DEFAULT_INDEX": f"https://user:{password}@own.test/simple"}
        assert empty_home(tmp_path, given).python == kept
        passed_on = without_credentials(given)
        assert "ss" not in str(passed_on)
        assert empty_home(tmp_path, passed_on).python == kept
    assert empty_home(tmp_path, {"UV_DEFAULT_INDEX": "https://own.test:99999/simple"}).python == ()
