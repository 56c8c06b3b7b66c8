"""Commands take a kept report by `last` or the beginning of its id, as they take a file."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from commands import affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'


@pytest.fixture
def kept(repo: Repo, tmp_path: Path) -> str:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.commit("Sum", {"app.py": "def total(items):\n    return sum(itms)\n"})
    done = affidavit("review", "HEAD", "--format", "report", "--quiet", cwd=repo.path, env=state(tmp_path))
    report_id: str = json.loads(done.out)["id"]
    return report_id


def state(folder: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(folder / "state"), "AFFIDAVIT_DATA": str(folder / "state")}


@pytest.mark.parametrize("length", [None, 8])
def test_recheck_takes_last_and_a_short_id(repo: Repo, kept: str, tmp_path: Path, length: int | None) -> None:
    done = affidavit("recheck", kept[:length] if length else "last", cwd=repo.path, env=state(tmp_path))
    assert done.code == 0, done.out + done.err
    assert kept in done.out


@pytest.mark.parametrize("command", [("ask", "last", "nosuch", "Why?"), ("post", "last")])
def test_ask_and_post_find_the_newest_report(
    repo: Repo, kept: str, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = affidavit(*command, cwd=repo.path, env=state(tmp_path))
    assert kept
    assert done.code == 2
    assert "the report has no finding 'nosuch'" in done.err or "names no pull request" in done.err


SIGNED_BY = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f")


@pytest.fixture
def elsewhere(repo: Repo, kept: str, tmp_path: Path) -> str:
    """A newer report of another repository, whose folder has the same name."""
    other = Repo(tmp_path / "other" / repo.path.name)
    other.commit("Start", {"affidavit.toml": OFF, "tax.py": "def tax(sum):\n    return 0\n"})
    other.git("switch", "-q", "-c", "topic")
    other.commit("Tax", {"tax.py": "def tax(sum):\n    return rate * sum\n"})
    done = affidavit("review", "main...topic", "--format", "report", cwd=other.path, env=state(tmp_path))
    report_id: str = json.loads(done.out)["id"]
    assert kept != report_id
    return report_id


def test_last_and_short_ids_name_reports_of_this_repository(
    repo: Repo, kept: str, elsewhere: str, tmp_path: Path
) -> None:
    env = state(tmp_path)
    listed = affidavit("label", "last", "--format", "json", cwd=repo.path, env=env)
    assert json.loads(listed.out)["report"] == kept
    assert affidavit("recheck", "last", cwd=repo.path, env=env).code == 0
    short = affidavit("label", elsewhere[:12], cwd=repo.path, env=env)
    assert short.code == 2
    assert f"no report of this repository has an id that begins with '{elsewhere[:12]}'" in short.err
    assert elsewhere in short.err
    whole = affidavit("label", elsewhere, "--format", "json", cwd=repo.path, env=env)
    assert json.loads(whole.out)["report"] == elsewhere


def test_history_shows_no_series_of_another_repository(repo: Repo, elsewhere: str, tmp_path: Path) -> None:
    assert elsewhere
    done = affidavit("history", "topic", cwd=repo.path, env=state(tmp_path))
    assert done.code == 2
    assert "stored series of this repository: " in done.err
    assert affidavit("history", "topic", "--all", cwd=repo.path, env=state(tmp_path)).code == 0


def test_last_is_refused_where_no_report_of_this_repository_is_kept(kept: str, tmp_path: Path) -> None:
    fresh = Repo(tmp_path / "fresh")
    fresh.commit("Start", {"a.py": "print(1)\n"})
    done = affidavit("label", "last", cwd=fresh.path, env=state(tmp_path))
    assert done.code == 2
    assert "no report of this repository is stored" in done.err
    outside = affidavit("label", "last", cwd=tmp_path, env=state(tmp_path))
    assert outside.code == 2
    assert "is not in a git repository" in outside.err
    for name in (kept, kept[:8]):
        assert affidavit("label", name, cwd=tmp_path, env=state(tmp_path)).code == 0


def test_a_clone_names_reports_by_the_address_of_its_origin(repo: Repo, kept: str, tmp_path: Path) -> None:
    """A pull request is reviewed from a copy of ours: its commits need not be in the clone."""
    repo.git("remote", "add", "origin", "https://example.org/team/shop.git")
    again = affidavit("review", "HEAD", "--format", "report", cwd=repo.path, env=state(tmp_path))
    assert kept
    clone = Repo(tmp_path / "clone")
    clone.git("remote", "add", "origin", "git@example.org:team/shop")
    done = affidavit("label", "last", "--format", "json", cwd=clone.path, env=state(tmp_path))
    assert json.loads(done.out)["report"] == json.loads(again.out)["id"]


def test_ignore_takes_the_beginning_of_a_fingerprint_and_an_id(repo: Repo, kept: str, tmp_path: Path) -> None:
    env = state(tmp_path)
    listed = affidavit("label", "last", "--format", "json", cwd=repo.path, env=env)
    (found,) = json.loads(listed.out)["findings"]
    for name in (found["fingerprint"][:6], found["id"]):
        done = affidavit("ignore", name, "--why", "known", cwd=repo.path, env=env)
        assert done.code == 0, done.err
        assert f"dismissed {found['fingerprint']}: " in done.out
    named = affidavit("ignore", "zzz", "--report", kept, "--why", "known", cwd=tmp_path, env=env)
    assert named.code == 2
    assert f"the report has no finding 'zzz'; it has: {found['id']}" in named.err


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_sign_takes_last_and_writes_the_report_that_it_signs(repo: Repo, kept: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run([*SIGNED_BY, key], check=True)
    for name in ("last", kept[:8]):
        done = affidavit("sign", name, "--key", key, cwd=repo.path, env=state(tmp_path))
        assert done.code == 0, done.err
        assert f"{kept}.json" in done.out
    written = repo.path / f"{kept}.json"
    assert json.loads(written.read_text())["id"] == kept
    assert written.with_name(f"{kept}.json.sig").is_file()
    written.write_text("mine")
    refused = affidavit("sign", "last", "--key", key, cwd=repo.path, env=state(tmp_path))
    assert refused.code == 2
    assert "has other contents" in refused.err
    assert written.read_text() == "mine"
