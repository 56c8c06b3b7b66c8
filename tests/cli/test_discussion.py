"""What others said is read from JSON or text; what cannot be read is one clear line."""

import json
from pathlib import Path

import pytest

from affidavit.cli.change import MAX_DISCUSSION_BYTES, read_discussion
from affidavit.errors import InputError
from affidavit.records.change import Comment
from commands import affidavit
from repositories import Repo


def read(folder: Path, text: str | bytes, name: str = "said.json") -> tuple[Comment, ...]:
    place = folder / name
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_discussion(str(place))


def test_a_list_of_comments_is_read_field_by_field(tmp_path: Path) -> None:
    told = {
        "author": "ada",
        "body": "Why?",
        "file": "a.py",
        "line": 3,
        "created_at": "2026-01-02",
        "is_bot": True,
        "resolved": True,
        "html_url": "not ours",
    }
    (one,) = read(tmp_path, json.dumps([told]))
    assert one.model_dump() == {name: value for name, value in told.items() if name != "html_url"}


def test_what_is_not_known_may_be_left_out_or_null(tmp_path: Path) -> None:
    assert read(tmp_path, '[{"body": "b", "line": null, "author": null}]') == (Comment(body="b"),)


def test_text_is_one_comment(tmp_path: Path) -> None:
    assert [one.body for one in read(tmp_path, "\ufeffFirst\n- a list\n", "said.md")] == ["First\n- a list"]


def test_text_that_begins_like_json_is_still_text(tmp_path: Path) -> None:
    assert [one.body for one in read(tmp_path, "[link](x) is wrong", "said.md")] == ["[link](x) is wrong"]


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xff\xfe wrong \x00", "said.txt")[0].body == "\ufffd\ufffd wrong \x00"


def test_nothing_said_is_no_discussion(tmp_path: Path) -> None:
    assert read(tmp_path, "[]") == read(tmp_path, " \n", "said.md") == read_discussion(None) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not a JSON list"),
        ("[" * 100_000, "is not a JSON list"),
        ("3", "is not a JSON list"),
        ('["b"]', "0: "),
        ('[{"body": "b"}, {"author": "a"}]', "1.body: Field required"),
        ('[{"body": "b", "line": 0}]', "0.line: "),
        ('[{"body": {"a": 1}}]', "0.body: "),
        ("[" + ",".join(['{"body": ""}'] * 5_001) + "]", "at most 5000 items"),
        (" " * (MAX_DISCUSSION_BYTES + 1), "is larger than"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_one_clear_line(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    done = affidavit("review", "HEAD", "--discussion", "nowhere.json", cwd=repo.path)
    assert (done.code, done.out) == (2, "")
    assert "--discussion: nowhere.json: No such file or directory" in done.err


def test_standard_input_cannot_hold_the_diff_and_the_discussion(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    done = affidavit("review", "-", "--discussion", "-", cwd=repo.path, stdin=b"x")
    assert (done.code, done.out) == (2, "")
    assert "standard input already holds the diff" in done.err
