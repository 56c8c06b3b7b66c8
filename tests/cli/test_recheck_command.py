"""`affidavit recheck`: a report can be proven again, and a forged one cannot."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import affidavit
from repositories import Repo, run_git

BASE = {
    "app.py": "def add(a, b):\n    return a + b\n",
    "main.py": "from app import add\n\nprint(add(1, 2))\n",
}
HEAD = {"app.py": "def add(a, b, c):\n    return a + b + c + d\n"}


def review(repo: Repo, place: Path, *arguments: str | Path) -> Path:
    done = affidavit("review", *arguments, "--format", f"report={place}/report.json", cwd=repo.path)
    assert done.code == 1, done.err
    return place / "report.json"


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, str]:
    """A repository whose last commit was reviewed, and the report; nobody writes to either.

    Who looks at it again does so anew, and two analysers who have nothing to say take longest.
    """
    place = tmp_path_factory.mktemp("reviewed")
    repo = Repo(place / "repo")
    repo.commit("base", BASE)
    repo.commit("head", HEAD)
    return repo, review(repo, place, "HEAD", "--analysers-off", "kingfisher").read_text()


@pytest.fixture
def known(reviewed: tuple[Repo, str]) -> Repo:
    """The repository of the report."""
    return reviewed[0]


@pytest.fixture
def report(reviewed: tuple[Repo, str], tmp_path: Path) -> Path:
    """A copy of the report, to be forged."""
    place = tmp_path / "report.json"
    place.write_text(reviewed[1])
    return place


def test_every_proof_of_an_honest_report_holds(known: Repo, tmp_path: Path) -> None:
    done = affidavit("recheck", review(known, tmp_path, "HEAD"), "--format", "json", cwd=known.path)
    proofs = json.loads(done.out)["proofs"]
    assert done.code == 0, done.out
    assert {proof["kind"] for proof in proofs} == {"change", "quote", "analyser", "verdict", "report"}
    assert all(proof["holds"] for proof in proofs)


def test_the_repository_can_be_named(known: Repo, report: Path, tmp_path: Path) -> None:
    done = affidavit("recheck", report, "--repo", known.path, cwd=tmp_path)
    assert done.code == 0
    assert "proofs hold" in done.out


def forge(report: Path, change: Callable[[Any], None]) -> None:
    content = json.loads(report.read_text())
    change(content)
    report.write_text(json.dumps(content))


def shown(content: Any) -> Any:
    return next(item for item in content["candidates"] if item["withheld"] is None)


def forge_quote(content: Any) -> None:
    shown(content)["quote"]["code"] = "    return a - b"


def forge_rule(content: Any) -> None:
    shown(content)["finding"]["rule_id"] = shown(content)["specialist"] + "/S608"


def forge_verdict(content: Any) -> None:
    content["verdict"]["decision"] = "approve"


def forge_place(content: Any) -> None:
    shown(content)["finding"]["file"] = (
        "app.py" if shown(content)["finding"]["file"] == "main.py" else "main.py"
    )


def forge_quoted_place(content: Any) -> None:
    """Real code, and the finding's own quote is left as it is, but the shown code is another file's."""
    other = next(
        item for item in content["candidates"] if item["quote"]["file"] != shown(content)["quote"]["file"]
    )
    shown(content)["quote"] = other["quote"]


def forge_gate(content: Any) -> None:
    content["gate"] = {"fail_on": "high", "failed_by": [], "exit_code": 0}


def forge_kind(content: Any) -> None:
    for candidate in content["candidates"]:
        candidate["kind"] = "model"


def forge_cause(content: Any) -> None:
    caused = [one["finding"]["verification"] for one in content["candidates"]]
    next(proof for proof in caused if proof["caused_by"])["caused_by"]["symbol"] = "innocent"


def forge_advice(content: Any) -> None:
    shown(content)["finding"]["suggestion"] = "Do nothing."


def forge_commit(content: Any) -> None:
    content["change"]["head"]["commit"] = content["change"]["base"]["commit"]


def forge_blob(content: Any) -> None:
    content["change"]["files"][0]["new_blob"] = "1" * 40


def forge_hunk(content: Any) -> None:
    lines = content["change"]["files"][0]["hunks"][0]["lines"]
    lines[-1] = "+    return 0"


def forge_files(content: Any) -> None:
    """The file that changes is taken out, and with it what was found there."""
    content["change"]["files"] = []


def forge_silence(content: Any) -> None:
    """Everything that was found is taken out, as if nobody had looked; the verdict says the same."""
    content["candidates"] = []
    for reply in content["replies"]:
        reply["state"] = "none"
    counts = content["verdict"]["counts"]
    counts.update(candidates=0, shown=0, withheld=0, blocking=0, withheld_by_code={})
    counts["by_severity"] = dict.fromkeys(counts["by_severity"], 0)
    content["verdict"].update(decision="comment", blocking=[])
    content["gate"].update(failed_by=[], exit_code=0)


@pytest.mark.parametrize(
    "change",
    [
        forge_quote,
        forge_rule,
        forge_verdict,
        forge_place,
        forge_quoted_place,
        forge_gate,
        forge_kind,
        forge_cause,
        forge_advice,
        forge_commit,
        forge_blob,
        forge_hunk,
        forge_files,
        forge_silence,
    ],
)
def test_a_forged_report_fails(known: Repo, report: Path, change: Callable[[Any], None]) -> None:
    forge(report, change)
    done = affidavit("recheck", report, cwd=known.path)
    assert done.code == 1, done.out
    assert "FAILS" in done.out


def test_what_differs_in_a_forged_gate_is_named(known: Repo, report: Path) -> None:
    forge(report, forge_gate)
    done = affidavit("recheck", report, cwd=known.path)
    assert "exit_code is 0, computed again 1" in done.out


@pytest.mark.parametrize("limit", ["soon", -1, None, 10**12])
def test_a_forged_time_limit_is_a_clear_line(known: Repo, report: Path, limit: object) -> None:
    forge(report, lambda content: content["settings"].update(analyser_timeout_seconds=limit))
    done = affidavit("recheck", report, cwd=known.path)
    assert done.code == 2
    assert "settings: analyser_timeout_seconds" in done.err


def test_a_review_of_the_working_tree_is_proven_after_the_files_are_gone(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", BASE)
    repo.write(HEAD)
    report = review(repo, tmp_path)
    repo.git("checkout", "-q", ".")
    done = affidavit("recheck", report, cwd=repo.path)
    assert done.code == 0, done.out + done.err


def test_a_review_of_a_diff_without_a_repository_is_proven_from_the_report_alone(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit("base", BASE)
    repo.commit("new", {"new.py": "def f():\n    return missing\n"})
    (tmp_path / "change.diff").write_text(repo.git("diff", "HEAD~1", "HEAD") + "\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    done = affidavit("review", tmp_path / "change.diff", "--format", "report=r.json", cwd=empty)
    assert done.code == 1, done.err
    done = affidavit("recheck", "r.json", cwd=empty)
    assert done.code == 0, done.out + done.err


ODD_BASE = {
    "kept.py": "".join(f"x{number} = {number}\n" for number in range(30)),
    "moved.py": "".join(f"y{number} = {number}\n" for number in range(30)),
    "gone.py": "z = 1\n",
    "crlf.py": b"a = 1\r\nb = 2\r\n",
    "mark.py": "\ufeffa = 1\n".encode(),
    "end.py": "a = 1",
}
ODD_HEAD = {
    "kept.py": "first = 0\n" + ODD_BASE["kept.py"],
    "copied.py": ODD_BASE["kept.py"] + "last = undefined_name\n",
    "moved.py": None,
    "there.py": ODD_BASE["moved.py"] + "last = 1\n",
    "gone.py": None,
    "crlf.py": b"a = 1\r\nb = 3\r\n",
    "mark.py": "\ufeffa = 2\n".encode(),
    "end.py": "a = 2",
    "empty.py": "",
    "f\u00fcr dich.py": "c = 1\n",
    "sort.py": b"# coding: latin-1\nd = '\xe9'\ne = undefined_name\n",
}


@pytest.mark.parametrize("is_diff", [False, True])
def test_every_kind_of_changed_file_is_as_it_was_recorded(repo: Repo, tmp_path: Path, is_diff: bool) -> None:
    repo.commit("base", ODD_BASE)
    repo.commit("head", ODD_HEAD)
    target: str | Path = "HEAD"
    if is_diff:
        target = tmp_path / "odd.diff"
        target.write_bytes(run_git(repo.path, "diff", "-C", "HEAD~1", "HEAD"))
        repo.git("reset", "-q", "--hard", "HEAD~1")
    done = affidavit("recheck", review(repo, tmp_path, target), cwd=repo.path)
    assert done.code == 0, done.out


def test_what_the_record_cannot_hold_cannot_be_checked(repo: Repo, tmp_path: Path) -> None:
    """The record is text, so that bytes of another encoding cannot be made again from it."""
    repo.commit("base", ODD_BASE)
    repo.write(ODD_HEAD)
    report = review(repo, tmp_path)
    repo.git("clean", "-q", "-f")
    repo.git("checkout", "-q", ".")
    done = affidavit("recheck", report, cwd=repo.path)
    assert done.code == 3, done.out
    assert "cannot be checked here: change: " in done.out
    assert "FAILS" not in done.out


LATIN_1 = {
    "plain.py": b"d = '\xe9'\nf = undefined_name\n",
    "cookie.py": b"# coding: latin-1\nd = '\xe9'\ne = undefined_name\n",
    "uses.py": "import plain\n\nx = plain.missing\n",
    "notes.txt": b"caf\xe9\n",
}


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_a_diff_of_another_encoding_outside_its_repository_does_not_fail(
    repo: Repo, tmp_path: Path, is_elsewhere: bool
) -> None:
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.commit("head", LATIN_1)
    (tmp_path / "x.diff").write_bytes(run_git(repo.path, "diff", "HEAD~1", "HEAD"))
    place = tmp_path / "elsewhere"
    place.mkdir()
    if is_elsewhere:
        Repo(place).commit("other", {"b.py": "y = 1\n"})
    affidavit("review", "../x.diff", "--format", "report=../r.json", "--no-store", cwd=place)
    done = affidavit("recheck", "../r.json", cwd=place)
    assert done.code in (0, 3), done.out + done.err
    assert "FAILS" not in done.out


def test_an_analyser_that_could_not_read_one_file_is_proven_on_the_others(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", BASE)
    repo.commit("head", {**HEAD, "back\\slash.py": "x = missing\n"})
    report = review(repo, tmp_path, "HEAD")
    files = {one["path"]: one["state"] for one in json.loads(report.read_text())["coverage"]}
    assert files == {"app.py": "examined", "back\\slash.py": "partly"}
    done = affidavit("recheck", report, cwd=repo.path)
    assert done.code == 0, done.out


def test_a_commit_that_is_not_here_cannot_be_checked(known: Repo, report: Path) -> None:
    forge(report, lambda content: content["change"]["head"].update(commit="1" * 40))
    done = affidavit("recheck", report, cwd=known.path)
    assert done.code == 3, done.out
    assert "commit 111111111111 of head is not in this repository" in done.out


def test_what_is_no_report_is_a_clear_line(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"verdict": "approve"}')
    done = affidavit("recheck", tmp_path / "x.json", cwd=repo.path)
    assert done.code == 2
    assert "is not a native report" in done.err


def test_a_repository_without_the_commits_is_a_clear_line(report: Path, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit("something else", {"x.py": "x = 1\n"})
    done = affidavit("recheck", report, cwd=other.path)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_report_cannot_name_a_command_that_is_then_run(known: Repo, report: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    linter = {
        "name": "evil",
        "command": ["touch", str(trap)],
        "patterns": ["*"],
        "scope": "file",
    }
    reply = {"specialist": "evil", "kind": "mechanical", "state": "clean"}

    def name_linter(content: Any) -> None:
        content["settings"] |= {"linters": [linter], "allow_linters": True}
        content["replies"].append(reply)

    forge(report, name_linter)
    done = affidavit("recheck", report, cwd=known.path)
    assert done.code == 1, done.err
    assert not trap.exists()


def test_a_report_cannot_name_a_compiler_that_is_then_run(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Before", {"a.ts": "export const a = 1;\n"})
    repo.commit("After", {"a.ts": "export const a = 2;\n"})
    made = tmp_path / "report.json"
    affidavit("review", "HEAD", "--format", f"report={made}", cwd=repo.path)
    trap, program = tmp_path / "ran", tmp_path / "tsc"
    program.write_text(f"#!/bin/sh\ntouch {trap}\n")
    program.chmod(0o755)

    def name_compiler(content: Any) -> None:
        content["settings"]["typescript_server"] = str(program)
        content["settings"]["origins"]["typescript_server"] = "flag"

    forge(made, name_compiler)
    affidavit("recheck", made, cwd=repo.path)
    assert not trap.exists()


def test_a_number_in_quotes_is_no_number(known: Repo, report: Path) -> None:
    """One reader takes it for the number, another for a text."""
    content = json.loads(report.read_text())
    shown(content)["finding"]["line"] = str(shown(content)["finding"]["line"])
    report.write_text(json.dumps(content))
    done = affidavit("recheck", report, cwd=known.path)
    assert done.code == 2
    assert "finding.line: Input should be a valid integer" in done.err


def test_a_report_that_has_a_name_twice_is_refused(tmp_path: Path) -> None:
    """One reader would take the first value and another the last."""
    report = tmp_path / "report.json"
    report.write_text('{"candidates": [], "candidates": []}')
    done = affidavit("recheck", report, cwd=tmp_path)
    assert (done.code, "it has the name 'candidates' twice" in done.err) == (2, True)
