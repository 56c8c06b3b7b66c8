"""Secrets: found in added lines, never printed by us, and not where they are examples."""

import asyncio

from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.specialists.mechanical import MechanicalSpecialist
from secret_shapes import drawn, key_block

GITHUB, ANOTHER = drawn("ghp" + "_", 36), drawn("ghp" + "_", 36, 12)
SLACK = "-".join(["xoxb", "263594206564", "2343594206574", drawn("", 24)])
KEY = key_block("RSA " + "PRIVATE KEY")


def test_planted_secrets_are_found(case, ask):
    files = {"a.py": f'x = 1\nTOKEN = "{GITHUB}"\n', "web/b.ts": f"const t = '{SLACK}'\n", "deploy/id": KEY}
    found = ask(KINGFISHER, case({"x": ""}, files))
    assert {
        (finding["rule_id"], finding["file"], finding["line"], finding["severity"]) for finding in found
    } == {
        ("kingfisher/github-pat", "a.py", 2, "critical"),
        ("kingfisher/slack-bot-token", "web/b.ts", 1, "critical"),
        ("kingfisher/private-key", "deploy/id", 1, "high"),
    }
    assert not any(GITHUB in finding["message"] + finding["title"] for finding in found)


def test_examples_tests_and_ordinary_text_draw_nothing(case, ask):
    files = {
        "a.py": 'password = "hunter2"\nKEY = os.environ["GITHUB_TOKEN"]\n',
        "hash.py": 'EMPTY = "d41d8cd98f00b204e9800998ecf8427e"\n',
        "b.py": f'EXAMPLE = "{drawn("ghp" + "_", 29)}EXAMPLE"\n',
        "tests/c.py": f'TOKEN = "{GITHUB}"\n',
        "docs/d.md": f"export TOKEN={GITHUB}\n",
        "package.json": '{"integrity": "sha512-' + drawn("", 86) + '=="}\n',
    }
    assert ask(KINGFISHER, case({"x": ""}, files)) == []


def test_a_secret_that_was_there_or_is_only_moved_draws_nothing(case, ask):
    line = f'TOKEN = "{GITHUB}"\n'
    before = {"a.py": f"{line}x = 1\n", "b.py": f"y = 1\n{line}", "c.py": ""}
    after = {"a.py": f"import os\n{line}x = 2\n", "b.py": "y = 1\n", "c.py": line}
    assert ask(KINGFISHER, case(before, after)) == []


def test_another_secret_in_the_place_of_one_is_new(case, ask):
    found = ask(KINGFISHER, case({"a.py": f'TOKEN = "{GITHUB}"\n'}, {"a.py": f'TOKEN = "{ANOTHER}"\n'}))
    assert [(finding["file"], finding["line"]) for finding in found] == [("a.py", 1)]


def test_a_key_whose_lines_change_below_its_first_is_new(case, ask):
    lines = KEY.split("\n")
    lines[3] = drawn("", 64, "another")
    found = ask(KINGFISHER, case({"id": KEY}, {"id": "\n".join(lines)}))
    assert [(finding["file"], finding["line"]) for finding in found] == [("id", 1)]


def test_a_change_below_a_key_does_not_make_it_new(case, ask):
    assert ask(KINGFISHER, case({"id": KEY}, {"id": f"{KEY}\nhost = a\n"})) == []


def test_two_secrets_of_one_line_are_two_findings(case, ask):
    found = ask(KINGFISHER, case({"x": ""}, {"a.py": f'T = ["{GITHUB}", "{SLACK}"]\n'}))
    assert sorted(finding["rule_id"] for finding in found) == [
        "kingfisher/github-pat",
        "kingfisher/slack-bot-token",
    ]


def test_ignore_files_of_the_change_hide_nothing(case, ask):
    hiding = dict.fromkeys([".gitignore", ".ignore", ".kingfisherignore", ".gitattributes"], "*\n")
    found = ask(KINGFISHER, case({"x": ""}, {"a.py": f'TOKEN = "{GITHUB}"\n', **hiding}))
    assert [finding["file"] for finding in found] == ["a.py"]


def test_looking_for_secrets_does_not_count_as_reading_the_file(case):
    one = case({"x": ""}, {"a.go": "package a\n"})
    specialist = MechanicalSpecialist(KINGFISHER)
    assert not specialist.examines(one.change.files[0])
    assert asyncio.run(specialist.examine(one.case)).text is not None
