"""Secrets: found in added lines, never printed by us, and not where they are examples.

All changes are parts of one, each in a folder and with secrets of its own: to start the search takes longer
than to search. A part finds what it would find alone.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.kingfisher import KINGFISHER
from python_changes import opened_cases
from repositories import Repo
from secret_shapes import drawn, key_block

Found = Callable[[str], list[dict[str, Any]]]
"""What was found in a folder, with names inside of it."""


def token(seed: object) -> str:
    return drawn("ghp" + "_", 36, seed)


def halves(seed: object) -> tuple[str, str]:
    return token(seed)[:19], token(seed)[19:]


PARTS = {
    "plus.py": 'T = "{}" + "{}"\n',
    "signs.py": 'T = "{}\u200b{}"\n',
    "joined.py": "T = ''.join([\n    '{}',\n    '{}',\n])\n",
    "format.py": "T = '%s%s' % ('{}', '{}')\n",
    "folded.yml": "token: >-\n  {}\n  {}\n",
    "list.js": "const t = ['{}', '{}'].join('')\n",
    "braces.py": "T = f'{}{{\"{}\"}}'\n",
    "template.js": "const t = `{}${{'{}'}}`\n",
    "comment.c": 'char *t = "{}" /* one */ "{}";\n',
    "lines.go": 'var t = "{}" +\n\t"{}"\n',
}


def in_parts(seed: str, text: str = PARTS["plus.py"]) -> str:
    return text.format(*halves(seed))


def key(seed: int) -> str:
    return key_block("RSA " + "PRIVATE KEY", seed)


def named(seed: object) -> str:
    return f'TOKEN = "{token(seed)}"\n'


PLANTED = token("planted")
SLACK, BESIDE = (
    "-".join(["xoxb", "263594206564", "2343594206574", drawn("", 24, seed)]) for seed in (11, 12)
)
REWRITTEN = key(100).split("\n")
REWRITTEN[3] = drawn("", 64, "another")
HIDING = (".gitignore", ".ignore", ".kingfisherignore", ".gitattributes")
BEFORE = {
    "moved/a.py": f"{named('stays')}x = 1\n",
    "moved/b.py": f"y = 1\n{named('moves')}",
    "moved/c.py": "",
    "replaced/a.py": named("one"),
    "rewritten/id": key(100),
    "below/id": key(200),
    "half/a.py": "T = ('{}'\n     '{}')\n".format(halves("half")[0], "0" * 21),
    "put_together/a.py": "T = [\n    '{}',\n    '{}',\n]\n".format(*halves("put together")),
    "parts_before/a.py": in_parts("parts before"),
    "parts_before/b.py": f"{named('whole before')}",
    "parts_replaced/a.py": f'T = "ghp_" + "{token("old part")[4:]}"\n',
}
AFTER = {
    "planted/a.py": f'x = 1\nTOKEN = "{PLANTED}"\n',
    "planted/web/b.ts": f"const t = '{SLACK}'\n",
    "planted/deploy/id": key(0),
    "harmless/a.py": 'password = "hunter2"\nKEY = os.environ["GITHUB_TOKEN"]\n',
    "harmless/hash.py": 'EMPTY = "d41d8cd98f00b204e9800998ecf8427e"\n',
    "harmless/b.py": f'EXAMPLE = "{drawn("ghp" + "_", 29)}EXAMPLE"\n',
    "harmless/tests/c.py": named("in a test"),
    "harmless/docs/d.md": f"export TOKEN={token('in a document')}\n",
    "harmless/package.json": '{"integrity": "sha512-' + drawn("", 86) + '=="}\n',
    "moved/a.py": f"import os\n{named('stays')}x = 2\n",
    "moved/b.py": "y = 1\n",
    "moved/c.py": named("moves"),
    "replaced/a.py": named("another"),
    "rewritten/id": "\n".join(REWRITTEN),
    "below/id": f"{key(200)}\nhost = a\n",
    "half/a.py": "T = ('{}'\n     '{}')\n".format(*halves("half")),
    "put_together/a.py": in_parts("put together", PARTS["joined.py"]),
    "parts_before/a.py": f"import os\n{in_parts('parts before')}",
    "parts_before/b.py": in_parts("whole before"),
    "parts_replaced/a.py": f'T = "ghp_" + "{token("new part")[4:]}"\n',
    "wide/a.txt": f"x = 1\n{named('little')}".encode("utf-16-le"),
    "wide/b.txt": f"x = 1\n{named('big')}".encode("utf-16-be"),
    **{f"parts/{name}": in_parts(name, text) for name, text in PARTS.items()},
    "no_parts/a.py": "NAMES = ['{}', '{}']\n".format(*halves("only listed")),
    "no_parts/b.py": f'T = "ghp_" + "{"x" * 36}"\nU = "ghp_" + "{drawn("", 29, 5)}EXAMPLE"\n',
    "no_parts/tests/c.py": in_parts("in parts of a test"),
    "two/a.py": f'T = ["{token("first of two")}", "{BESIDE}"]\n',
    "hiding/a.py": named("to be hidden"),
    **{f"hiding/{name}": "*\n" for name in HIDING},
    **dict.fromkeys(HIDING, "*\n"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    """What the search finds in the whole change, by folder."""
    cases = opened_cases(Repo(tmp_path_factory.mktemp("secrets") / "repo"))
    reply = asyncio.run(MechanicalSpecialist(KINGFISHER).examine(next(cases)(BEFORE, AFTER).case))
    assert (reply.incomplete, reply.text is not None) == ((), True)
    findings: list[dict[str, Any]] = json.loads(reply.text or "")["findings"]

    def inside(folder: str) -> list[dict[str, Any]]:
        start = f"{folder}/"
        return [
            {**one, "file": one["file"].removeprefix(start)}
            for one in findings
            if one["file"].startswith(start)
        ]

    yield inside
    next(cases, None)


def places(findings: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(finding["file"], finding["line"]) for finding in findings]


def test_planted_secrets_are_found(found: Found) -> None:
    findings = found("planted")
    assert {(one["rule_id"], one["file"], one["line"], one["severity"]) for one in findings} == {
        ("kingfisher/github-pat", "a.py", 2, "critical"),
        ("kingfisher/slack-bot-token", "web/b.ts", 1, "critical"),
        ("kingfisher/private-key", "deploy/id", 1, "high"),
    }
    assert not any(PLANTED in finding["message"] + finding["title"] for finding in findings)


def test_examples_tests_and_ordinary_text_draw_nothing(found: Found) -> None:
    assert found("harmless") == []


def test_a_secret_that_was_there_or_is_only_moved_draws_nothing(found: Found) -> None:
    assert found("moved") == []


def test_another_secret_in_the_place_of_one_is_new(found: Found) -> None:
    assert places(found("replaced")) == [("a.py", 1)]


def test_a_key_whose_lines_change_below_its_first_is_new(found: Found) -> None:
    assert places(found("rewritten")) == [("id", 1)]


def test_a_change_below_a_key_does_not_make_it_new(found: Found) -> None:
    assert found("below") == []


def test_two_secrets_of_one_line_are_two_findings(found: Found) -> None:
    assert sorted(finding["rule_id"] for finding in found("two")) == [
        "kingfisher/github-pat",
        "kingfisher/slack-bot-token",
    ]


def test_a_token_that_is_written_in_parts_is_found_and_not_printed(found: Found) -> None:
    findings = found("parts")
    lines = {"joined.py": 2, "folded.yml": 2}
    assert sorted(places(findings)) == sorted((name, lines.get(name, 1)) for name in PARTS)
    assert {one["rule_id"] for one in findings} == {"kingfisher/github-pat"}
    told = json.dumps(findings)
    assert not any(half in told for name in PARTS for half in halves(name))


def test_a_token_in_a_text_of_two_bytes_a_letter_is_found_without_a_mark(found: Found) -> None:
    assert places(found("wide")) == [("a.txt", 2), ("b.txt", 2)]


def test_a_token_of_which_the_change_adds_one_half_is_new(found: Found) -> None:
    assert places(found("half")) == [("a.py", 1)]


def test_a_token_whose_parts_the_change_puts_together_is_new(found: Found) -> None:
    assert places(found("put_together")) == [("a.py", 2)]


def test_another_token_in_parts_in_the_place_of_one_is_new(found: Found) -> None:
    assert places(found("parts_replaced")) == [("a.py", 1)]


def test_a_token_that_was_there_in_parts_or_whole_is_not_new(found: Found) -> None:
    assert found("parts_before") == []


def test_lists_examples_and_tests_draw_nothing_in_parts(found: Found) -> None:
    assert found("no_parts") == []


def test_ignore_files_of_the_change_hide_nothing(found: Found) -> None:
    assert places(found("hiding")) == [("a.py", 1)]


def test_looking_for_secrets_does_not_count_as_reading_the_file(case) -> None:
    one = case({"x": ""}, {"a.go": "package a\n"})
    assert not MechanicalSpecialist(KINGFISHER).examines(one.change.files[0])
