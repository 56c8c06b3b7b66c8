import json
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from repositories import Repo


def reply(*findings: dict[str, Any], **top: Any) -> bytes:
    return json.dumps(
        {"schema_version": "1.0", "prompt_version": "1.0.0", "findings": findings, **top}
    ).encode()


def claim(**fields: Any) -> dict[str, Any]:
    claim = {
        "id": "a",
        "severity": "high",
        "category": "correctness",
        "title": "t",
        "file": "a.py",
        "line": 3,
    }
    return {**claim, "message": "m", **fields}


def parse(tmp_path: Path, text: bytes, *options: str | Path) -> tuple[int, dict[str, Any]]:
    done = affidavit("parse", "-", *options, cwd=tmp_path, stdin=text)
    assert done.err == ""
    return done.code, json.loads(done.out)


@pytest.mark.parametrize(
    ("text", "state", "code"),
    [
        (reply(), "clean", 0),
        (reply(claim()), "accepted", 0),
        (reply(claim(severity="awful")), "all_dropped", 0),
        (b"I found nothing wrong.", "rejected", 2),
        (reply(schema_version="2.0"), "rejected", 2),
        (reply(claim())[:-40], "rejected", 2),
        (b"", "rejected", 2),
        (b"\xff\xfe\x00", "rejected", 2),
    ],
)
def test_every_end_state_has_its_exit_code(tmp_path: Path, text: bytes, state: str, code: int) -> None:
    found_code, printed = parse(tmp_path, text)
    assert (printed["state"], found_code) == (state, code)
    assert printed.keys() == {"state", "result", "diagnostics"}
    assert (printed["result"] is None) == (state == "rejected")


def test_paths_are_reconciled_only_where_changed_files_are_given(tmp_path: Path) -> None:
    (tmp_path / "changed").write_text("b.py\r\n\nsrc/a.py\n")
    assert parse(tmp_path, reply(claim()))[1]["state"] == "accepted"
    code, printed = parse(tmp_path, reply(claim(), claim(file="./b.py")), "--changed-files", "changed")
    assert code == 0
    assert [finding["file"] for finding in printed["result"]["findings"]] == ["b.py"]
    dropped = next(item for item in printed["diagnostics"] if item["code"] == "file_not_in_changed_files")
    assert (dropped["index"], dropped["id"]) == (0, "a")


@pytest.mark.parametrize("name", ["f\u00fcr dich.py", 'a "quoted" one.py', '"half quoted.py'])
def test_changed_files_may_be_listed_as_git_lists_them(repo: Repo, name: str) -> None:
    repo.commit("base", {"b.py": ""})
    repo.commit("head", {name: "x = 1\n"})
    (repo.path / "changed").write_text(repo.git("diff", "--name-only", "HEAD~1", "HEAD"))
    assert (repo.path / "changed").read_text().startswith('"')
    listed = parse(repo.path, reply(claim(file=name)), "--changed-files", "changed")
    (repo.path / "changed").write_text(name)
    assert listed == parse(repo.path, reply(claim(file=name)), "--changed-files", "changed")
    assert listed[1]["state"] == "accepted"


def test_a_pinned_prompt_version_is_exact_unless_drift_is_allowed(tmp_path: Path) -> None:
    pinned = ("--prompt-version", "1.0.1")
    assert parse(tmp_path, reply(claim()), *pinned)[1]["diagnostics"][0]["code"] == "incompatible_version"
    assert parse(tmp_path, reply(claim()), *pinned, "--allow-patch-drift")[1]["state"] == "accepted"


def test_a_reply_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_bytes(reply(claim()))
    done = affidavit("parse", "reply.json", cwd=tmp_path)
    assert (done.code, json.loads(done.out)["state"]) == (0, "accepted")


def test_a_file_that_is_not_there_is_a_clear_line(tmp_path: Path) -> None:
    done = affidavit("parse", "nothing.json", cwd=tmp_path)
    assert (done.code, done.err) == (2, "affidavit: nothing.json: No such file or directory\n")
