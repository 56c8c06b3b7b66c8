"""Which registries the user's tools are set up for."""

from pathlib import Path

from affidavit.sandbox.registries import GO, NPM, PYPI, Registries, user_registries, without_credentials


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
