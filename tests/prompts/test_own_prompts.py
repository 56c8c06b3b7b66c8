"""Prompts of the user's own: a folder a version, whole and filled as strictly as those that come along."""

from pathlib import Path

import pytest

from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import SettingsError
from affidavit.prompts import (
    MAX_TEMPLATE_BYTES,
    current_prompts,
    load_prompts,
    own_versions,
)
from prompt_folders import copy_prompts


@pytest.fixture
def own(tmp_path: Path) -> Path:
    copy_prompts(tmp_path / "1.5.0")
    return tmp_path


def test_a_copy_has_the_same_words_under_its_own_version(own: Path) -> None:
    copied = load_prompts("1.5.0", own)
    assert (copied.version, copied.digest) == ("1.5.0", current_prompts().digest)


def test_a_changed_word_changes_the_digest(own: Path) -> None:
    (own / "1.5.0" / "probe.md").write_text("Other words.\n")
    assert load_prompts("1.5.0", own).digest != current_prompts().digest
    assert load_prompts("1.5.0", own).render("probe") == "Other words.\n"


def test_own_versions_stand_beside_those_that_come_along(own: Path) -> None:
    copy_prompts(own / "1.10.0")
    copy_prompts(own / "1.2")
    (own / "notes").mkdir()
    assert own_versions(own) == ["1.2", "1.5.0", "1.10.0"]
    assert load_prompts(CURRENT_PROMPT_VERSION, own) == current_prompts()


def test_a_version_that_comes_along_cannot_be_replaced(own: Path) -> None:
    (own / "1.5.0").rename(own / CURRENT_PROMPT_VERSION)
    with pytest.raises(SettingsError, match="comes with Affidavit; rename the folder"):
        load_prompts(CURRENT_PROMPT_VERSION, own)


def test_a_version_without_a_template_is_refused(own: Path) -> None:
    (own / "1.5.0" / "verifier.md").unlink()
    with pytest.raises(SettingsError, match=r"verifier\.md: .*a version needs every template"):
        load_prompts("1.5.0", own)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("logic.md", b"no questions", r"missing \['questions'\], not known \[\]"),
        ("logic.md", b"{{questions}} {{secret}}", r"missing \[\], not known \['secret'\]"),
        ("specialist.md", b"no versions at all", r"'prompt_version', 'schema_version'"),
        ("logic.md", b"\xff{{questions}}", "is not UTF-8"),
        ("logic.md", b"{{questions}}" + b"x" * MAX_TEMPLATE_BYTES, "is longer than"),
        ("poetry.md", b"roses", r"poetry\.md is not a template of this release"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused_before_a_review(
    own: Path, name: str, content: bytes, complaint: str
) -> None:
    (own / "1.5.0" / name).write_bytes(content)
    with pytest.raises(SettingsError, match=complaint):
        load_prompts("1.5.0", own)


@pytest.mark.parametrize("version", ["", "..", "../1.5.0", "1", "1.5.0/../1.5.0", "1.5.0\n", "latest"])
def test_a_name_that_is_no_version_names_no_folder(own: Path, version: str) -> None:
    with pytest.raises(SettingsError, match="is not a prompt version"):
        load_prompts(version, own)


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="the folder of prompts .* cannot be read"):
        load_prompts("1.5.0", tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="name its folder with --prompts"):
        load_prompts("1.5.0")
