"""A request goes into a branch: what that branch has withdrawn since the request began does not count."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from github_server import opened_github
from gitlab_server import opened_gitlab
from posting_flow import ALL_BUT_RUFF
from shop import HEAD_FILES


@pytest.mark.parametrize("opened", [opened_github, opened_gitlab])
def test_the_branch_of_a_request_has_a_word_in_its_settings(
    opened: Callable[..., Any], begun: tuple[Path, str, str], tmp_path: Path
) -> None:
    server = opened(tmp_path / "forge", begun)
    base = server.origin.commit("main", {"affidavit.toml": 'fail_on = "never"\n'}, "Pass all", begun[1])
    head = server.origin.commit("late", dict(HEAD_FILES), "Add prices", base)
    tip = server.origin.commit("main", {"affidavit.toml": 'fail_on = "high"\n'}, "Fail again", base)
    server.open_pull(base, head)
    env = {
        f"AFFIDAVIT_{server.host.kind.upper()}_HOSTS": server.url,
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "AFFIDAVIT_GITLAB_TOKEN": "read",
        "GITHUB_TOKEN": "read",
        "GITHUB_ACTIONS": "",
    }
    done = affidavit("review", server.address.url, "--format", "report=r.json", cwd=tmp_path, env=env)
    checked = affidavit("recheck", "r.json", "--fetch", cwd=tmp_path, env=env)
    server.stop()
    assert done.code == 1, done.err + done.out
    content = json.loads((tmp_path / "r.json").read_text())
    assert (content["change"]["base"]["commit"], content["change"]["tip"]["commit"]) == (base, tip)
    assert checked.code == 0, checked.out + checked.err
    assert f"target commit {tip[:12]}" in checked.out
