"""Zizmor: workflows that outsiders can turn against the repository, and nothing that is only advice."""

import pytest

from affidavit.analysers.zizmor import ZIZMOR, read_zizmor

INJECTION = """\
name: title
on: issues
permissions: {}
jobs:
  say:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.event.issue.title }}"
"""
HARMLESS = """\
name: build
on: [push, pull_request]
jobs:
  build:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python }}
      - run: echo "$TITLE" "${{ matrix.python }}"
        env:
          TITLE: ${{ github.event.pull_request.title }}
          TOKEN: ${{ secrets.TOKEN }}
"""
PLACE = ".github/workflows/ci.yml"


def test_an_injection_is_found_where_it_stands(case, ask):
    (found,) = ask(ZIZMOR, case({"x": ""}, {PLACE: INJECTION}))
    assert (found["rule_id"], found["file"], found["line"]) == ("zizmor/template-injection", PLACE, 8)
    assert (found["severity"], found["category"]) == ("high", "security")


def test_advice_draws_nothing(case, ask):
    assert ask(ZIZMOR, case({"x": ""}, {PLACE: HARMLESS})) == []


@pytest.mark.parametrize(
    "expression",
    [
        "github.event.release.tag_name",
        "github.event.pull_request.base.ref",
        "github.event.pull_request.number",
        "inputs.name",
    ],
)
def test_text_that_only_maintainers_write_draws_nothing(expression, case, ask):
    text = INJECTION.replace("github.event.issue.title", expression)
    assert ask(ZIZMOR, case({"x": ""}, {PLACE: text})) == []


def test_an_action_is_read_too(case, ask):
    text = """\
name: say
description: says
runs:
  using: composite
  steps:
    - shell: bash
      run: echo "${{ github.head_ref }}"
"""
    found = ask(ZIZMOR, case({"x": ""}, {"tools/action.yml": text}))
    assert [finding["rule_id"] for finding in found] == ["zizmor/template-injection"]


def test_a_workflow_that_cannot_be_read_is_left_to_yamllint(case, ask):
    assert ask(ZIZMOR, case({"x": ""}, {PLACE: "a: [\n", "action.yml": "x: 1\n"})) == []


def test_only_the_base_commits_configuration_counts(case, ask):
    ignoring = "rules:\n  template-injection:\n    ignore: [ci.yml]\n"
    assert ask(ZIZMOR, case({".github/zizmor.yml": ignoring}, {PLACE: INJECTION})) == []
    hostile = {".github/zizmor.yml": ignoring, PLACE: INJECTION}
    assert len(ask(ZIZMOR, case({".github/zizmor.yml": None, PLACE: None}, hostile))) == 1


@pytest.mark.parametrize("text", ["{", "[1]", '[{"ident": "x"}]'])
def test_anything_else_is_unreadable(text):
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_zizmor(text)


RIGHTS = """\
name: labels
on: pull_request_target
permissions: {}
jobs:
  say:
    runs-on: ubuntu-latest
    steps:
      - STEP
"""
DANGEROUS = "zizmor/dangerous-triggers"


@pytest.mark.parametrize(
    "step",
    [
        "uses: actions/checkout@v4\n        with: {ref: '${{ github.event.pull_request.head.sha }}'}",
        "uses: actions/checkout@v4\n        with: {ref: 'refs/pull/${{ github.event.number }}/merge'}",
        'run: gh pr checkout "$NUMBER"',
        'run: git fetch origin "pull/$NUMBER/head"',
    ],
)
def test_rights_for_outsiders_count_where_their_code_is_taken(step, case, ask):
    found = ask(ZIZMOR, case({"x": ""}, {PLACE: RIGHTS.replace("STEP", step)}))
    assert DANGEROUS in [finding["rule_id"] for finding in found]


@pytest.mark.parametrize("step", ['run: gh pr edit "$NUMBER" --add-label docs', "uses: actions/checkout@v4"])
def test_rights_for_outsiders_draw_nothing_where_nothing_of_theirs_is_taken(step, case, ask):
    found = ask(ZIZMOR, case({"x": ""}, {PLACE: RIGHTS.replace("STEP", step)}))
    assert DANGEROUS not in [finding["rule_id"] for finding in found]
