"""Yamllint: what cannot be read and what is lost, nothing about layout."""

import pytest

from affidavit.analysers.yamllint import YAMLLINT, read_yamllint

HARMLESS = """\
%YAML 1.1
---
a:   1
b: [1,2]
"on": yes
c: &anchor {d: 1}
e:
  <<: *anchor
  <<: *anchor
  f: !Ref thing
"""


def test_planted_faults_are_found(case, ask):
    files = {"a.yaml": "a: 1\nb: 2\na: 3\n", "b.yml": "a: [1\nb: 2\n"}
    found = ask(YAMLLINT, case({"x": ""}, files))
    assert {(finding["rule_id"], finding["file"], finding["severity"]) for finding in found} == {
        ("yamllint/key-duplicates", "a.yaml", "medium"),
        ("yamllint/syntax", "b.yml", "high"),
    }


def test_layout_tags_and_merged_anchors_draw_nothing(case, ask):
    assert ask(YAMLLINT, case({"x": ""}, {"a.yaml": HARMLESS, "b.yaml": "no end", "empty.yaml": ""})) == []


def test_templates_and_fixtures_draw_nothing(case, ask):
    # celery/celery 5dc781f0bd5f, helm-chart/templates/deployment.yaml:17.
    broken = "a: [1\n"
    files = {"chart/templates/a.yaml": broken, "b.yaml": "a: {{ b }}: c\n" + broken, "tests/c.yaml": broken}
    assert ask(YAMLLINT, case({"x": ""}, files)) == []


def test_values_that_maven_fills_in_draw_nothing_and_other_faults_in_the_file_do(case, ask):
    filled = "app:\n  version: @project.version@\n  list: [@a.b@, x]\n"
    files = {"src/main/resources/application.yml": filled, "pom.xml": "<project/>\n"}
    assert ask(YAMLLINT, case({"x": ""}, files)) == []
    broken = {"a.yml": "# @not.here@\n\n\na: [1\nb: 2\n", "b.yml": "a: @handle\n"}
    assert {finding["file"] for finding in ask(YAMLLINT, case({"x": ""}, broken))} == {"a.yml", "b.yml"}


def test_a_broken_workflow_is_found_although_it_holds_expressions(case, ask):
    text = "on: push\njobs:\n  a:\n    env: {X: ${{ secrets.X }}\n"
    found = ask(YAMLLINT, case({"x": ""}, {".github/workflows/a.yml": text}))
    assert [finding["rule_id"] for finding in found] == ["yamllint/syntax"]


def test_only_the_base_commits_configuration_counts(case, ask):
    off = "rules:\n  key-duplicates: disable\n"
    twice = {"a.yaml": "a: 1\na: 2\n"}
    assert ask(YAMLLINT, case({".yamllint": off}, twice)) == []
    hostile = {".yamllint": f"ignore: '*'\nextends: /etc/passwd\n{off}", **twice}
    assert len(ask(YAMLLINT, case({".yamllint": None, "a.yaml": None}, hostile))) == 1


def test_a_path_with_colons_is_read_from_the_right():
    (found,) = read_yamllint(
        './a:1:2: [error] b.yaml:3:4: [error] duplication of key "x" in mapping (key-duplicates)\n'
    )
    assert (found.path, found.line, found.column) == ("./a:1:2: [error] b.yaml", 3, 4)


@pytest.mark.parametrize("text", ["Traceback", "a.yaml: cannot be opened"])
def test_anything_else_is_unreadable(text):
    with pytest.raises(ValueError, match="parsable"):
        read_yamllint(text)


def test_keys_that_cirrus_ci_joins_draw_nothing(case, ask):
    # jemalloc/jemalloc 6a0160071241, .cirrus.yml:9.
    twice = "env: {A: 1}\nenv: {B: 1}\n"
    files = {".cirrus.yml": twice, "deps/x/.cirrus.yaml": twice, "cirrus.yml": twice}
    assert [finding["file"] for finding in ask(YAMLLINT, case({"x": ""}, files))] == ["cirrus.yml"]
