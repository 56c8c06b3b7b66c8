"""`python -m bench redaction`: what is hidden in real diffs can be read line by line."""

from pathlib import Path

import pytest
from bench.redaction import main

from repositories import Repo
from secret_corpus import ALNUM, Draw


def test_every_hidden_line_is_in_the_table_and_counted(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = Draw(7).of(ALNUM, 36, "ghp_")
    repo.commit("first", {"app.py": "x = 1\n"})
    repo.commit("second", {"app.py": f"x = 1\nTOKEN = '{token}'\n"})
    repo.commit("third", {"app.py": f"x = 2\nTOKEN = '{token}'\n"})
    main([str(repo.path), "--out", str(tmp_path / "hidden.tsv")])
    rows = [line.split("\t") for line in tmp_path.joinpath("hidden.tsv").read_text().splitlines()]
    assert [(row[0].rpartition(" ")[2], row[1:]) for row in rows] == [
        ("app.py:2", [f"TOKEN = '{token}'", "TOKEN = 'REDACTED_token_1'"]),
        ("app.py:2", [f"TOKEN = '{token}'", "TOKEN = 'REDACTED_token_1'"]),
    ]
    said = capsys.readouterr().out
    assert "2 diffs, 5 lines" in said
    assert "2 diffs with a marker; 2 lines" in said
    assert "2 token" in said


def test_a_file_with_a_secret_that_still_parses_is_counted(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.commit("first", {"app.py": "x = 1\n"})
    repo.commit("second", {"app.py": f"TOKEN = '{Draw(7).of(ALNUM, 36, 'ghp_')}'\n", "a.txt": "x\n"})
    main([str(repo.path), "--parses", "--out", str(tmp_path / "hidden.tsv")])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "1 files"
    assert "1 files with a marker that parse" in said
    assert "0 of them no longer parse" in said
