"""Secrets in the diff: in the native report alone, which says so at its top, and in no other format."""

import json
from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest

from affidavit.diff.redacted import redact_shown
from affidavit.render.formats import FORMATS, RenderOptions, redacted, render
from commands import affidavit
from reports import a_change, a_file, a_hunk, a_report
from repositories import Repo

GITHUB = "ghp" + "_" + "".join(Random(11).choices(ascii_letters + digits, k=36))


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"report"}))
def test_no_format_but_the_native_one_shows_a_token_of_the_diff(name: str) -> None:
    hunk = a_hunk(" import os", f"-KEY = '{GITHUB}'", f"+TOKEN = '{GITHUB}'", heading=f"def f(t='{GITHUB}'):")
    change = a_change([a_file("app.py", hunk)], title=f"Rotate {GITHUB}", description=GITHUB)
    view = RenderOptions(show_withheld=True, show_nits=True, is_verbose=True)
    assert GITHUB not in render(a_report(change=change), name, view)


def test_the_native_report_keeps_the_change_and_says_so_first() -> None:
    change = a_change([a_file("app.py", a_hunk(f"+TOKEN = '{GITHUB}'"))])
    written = json.loads(render(a_report(change=change), "report"))
    assert next(iter(written)) == "notice"
    assert "not redacted" in written["notice"]
    assert written["change"]["files"][0]["hunks"][0]["lines"] == [f"+TOKEN = '{GITHUB}'"]


def test_a_token_over_two_lines_of_one_side_is_hidden_and_lines_keep_their_places() -> None:
    hunk = a_hunk("+T = ('" + GITHUB[:20] + "'", "-old = 1", "+     '" + GITHUB[20:] + "')", " end = 2")
    (file,) = redact_shown(a_change([a_file("app.py", hunk)])).files
    lines = file.hunks[0].lines
    assert [line[0] for line in lines] == ["+", "-", "+", " "]
    assert GITHUB[:20] not in lines[0]
    assert GITHUB[20:] not in lines[2]
    assert (lines[1], lines[3]) == ("-old = 1", " end = 2")


def test_of_files_that_no_format_shows_only_the_marks_of_the_lines_stay() -> None:
    hunk = a_hunk("+TOKEN = 1", " end = 2", heading="def f():")
    change = a_change([a_file("app.py", hunk), a_file("shown.py", hunk)])
    app, shown = redact_shown(change, {"shown.py"}).files
    assert (app.hunks[0].lines, app.hunks[0].heading) == (("+", " "), "")
    assert shown.hunks[0].lines == hunk.lines


def test_a_token_that_git_cut_in_a_heading_is_not_shown() -> None:
    line = f"def connect(host, port, user, database, options, token='{GITHUB}'):"
    hunk = a_hunk("+    pass", heading=line[:80])
    (file,) = redact_shown(a_change([a_file("app.py", hunk)])).files
    assert GITHUB[:12] not in file.hunks[0].heading


def test_recheck_refuses_a_redacted_copy_and_says_what_to_name(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit("Start", {"app.py": "print(1)\n"})
    copy = tmp_path / "copy.json"
    copy.write_text(render(redacted(a_report()), "report"))
    done = affidavit("recheck", str(copy), cwd=repo.path)
    assert done.code == 2
    assert "is a redacted copy" in done.err


def test_the_screen_shows_no_token_of_the_commit_message(repo: Repo) -> None:
    repo.commit("Base", {"a.md": "One.\n"})
    repo.commit(f"Rotate {GITHUB}", {"a.md": "Two.\n"})
    done = affidavit("review", "HEAD", cwd=repo.path)
    assert "Rotate REDACTED_token_0" in done.out
    assert GITHUB not in done.out


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"report"}))
def test_no_format_shows_a_token_in_the_name_of_a_file(repo: Repo, name: str) -> None:
    repo.commit("Base", {"a.md": "One.\n"})
    repo.commit("Keep it", {f"keys/x-{GITHUB}.py": "print(missing)\n"})
    done = affidavit("review", "HEAD", "--format", name, "--show-withheld", cwd=repo.path)
    assert (done.code, GITHUB in done.out, done.err) == (1, False, "")
