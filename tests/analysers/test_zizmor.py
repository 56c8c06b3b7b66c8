"""Zizmor: workflows that outsiders can turn against the repository, and nothing that is only advice."""

import pytest

from affidavit.analysers.engine.takeover import find_takeovers
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
    "trigger", ["workflow_run: {workflows: [build], types: [completed]}", "issue_comment: {types: [created]}"]
)
def test_rights_for_outsiders_are_low_where_what_they_built_is_loaded(trigger, case, ask):
    text = RIGHTS.replace("on: pull_request_target", f"on: {{{trigger}}}")
    text = text.replace("STEP", "uses: actions/download-artifact@v4")
    found = ask(ZIZMOR, case({"x": ""}, {PLACE: text}))
    assert (DANGEROUS, "low") in [(finding["rule_id"], finding["severity"]) for finding in found]


@pytest.mark.parametrize("step", ['run: gh pr edit "$NUMBER" --add-label docs', "uses: actions/checkout@v4"])
def test_rights_for_outsiders_draw_nothing_where_nothing_of_theirs_is_taken(step, case, ask):
    found = ask(ZIZMOR, case({"x": ""}, {PLACE: RIGHTS.replace("STEP", step)}))
    assert DANGEROUS not in [finding["rule_id"] for finding in found]


HEAD = "uses: actions/checkout@v4\n        with: {ref: '${{ github.event.pull_request.head.sha }}'}"
TAKEOVER = "zizmor/pull-request-takeover"


def reported(found):
    return [(finding["rule_id"], finding["severity"]) for finding in found]


@pytest.mark.parametrize(
    "step",
    [
        HEAD,
        "uses: actions/checkout@v4\n        with: {ref: 'refs/pull/${{ github.event.number }}/merge'}",
        "uses: actions/checkout@v4\n        with:\n"
        "          repository: ${{ github.event.pull_request.head.repo.full_name }}\n"
        "          ref: ${{ github.head_ref }}",
        'run: gh pr checkout "$NUMBER"',
        'run: git fetch origin "pull/$NUMBER/head"',
    ],
)
def test_the_head_of_any_pull_request_beside_the_secrets_is_critical(step, case, ask):
    (found,) = ask(ZIZMOR, case({"x": ""}, {PLACE: RIGHTS.replace("STEP", step)}))
    assert (found["rule_id"], found["severity"], found["line"]) == (TAKEOVER, "critical", 8)
    assert found["title"] == "Workflow takeover by a pull request (pwn request)"
    assert "Affidavit's own check" in found["verification"]["verification_method"]


def test_a_checkout_that_joins_an_old_trigger_is_a_takeover(case, ask):
    before = RIGHTS.replace("STEP", "run: make labels")
    (found,) = ask(ZIZMOR, case({PLACE: before}, {PLACE: before + f"      - {HEAD}\n"}))
    assert (found["rule_id"], found["line"]) == (TAKEOVER, 9)


def test_a_takeover_that_was_there_before_is_not_new(case, ask):
    before = RIGHTS.replace("STEP", HEAD)
    assert ask(ZIZMOR, case({PLACE: before}, {PLACE: "# moved\n" + before})) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("on: pull_request_target", "on: pull_request"),
        # GoogleCloudPlatform/cloud-sql-python-connector fdd8e296c4b4, .github/workflows/tests.yml:58.
        ("on: pull_request_target", "on: {pull_request_target: {types: [labeled]}}"),
        # python-poetry/poetry f46702336862, .github/workflows/docs.yaml:20.
        (
            "    runs-on",
            "    if: github.event.pull_request.head.repo.full_name == github.repository\n    runs-on",
        ),
        # feast-dev/feast f0bc0700be70, .github/workflows/pr_integration_tests.yml:44.
        (
            "    runs-on",
            "    if: (github.event.label.name == 'safe' ||\n"
            "        (contains(github.event.pull_request.labels.*.name, 'safe')))"
            " && github.repository == 'a/b'\n"
            "    runs-on",
        ),
        # discourse/discourse 36698aae0846, .github/workflows/check-pr-body.yml:14.
        ("    runs-on", "    if: github.event.pull_request.user.login == 'dependabot[bot]'\n    runs-on"),
        # systemd/systemd ed22b5a77f39, .github/workflows/claude-review.yml:166.
        (HEAD, 'run: git fetch origin "pull/$NUMBER/head"\n        working-directory: source'),
        # python-poetry/poetry f46702336862, .github/workflows/docs.yaml:46.
        ("sha }}'}", "sha }}', path: theirs}"),
        ("sha }}'}", "sha }}', path: ./pull/theirs/}"),
        ("sha }}'}", "ref }}'}"),
    ],
)
def test_a_checkout_that_outsiders_cannot_start_or_that_is_only_data_is_no_takeover(old, new, case, ask):
    text = RIGHTS.replace("STEP", HEAD).replace(old, new)
    found = ask(ZIZMOR, case({"x": ""}, {PLACE: text}))
    assert all(severity == "low" for _, severity in reported(found)), found


@pytest.mark.parametrize(
    "condition",
    [
        "github.repository == 'a/b'",
        "always() || github.event.pull_request.head.repo.full_name == github.repository",
        "${{ !(github.event.pull_request.head.repo.full_name == github.repository) }}",
        "github.event.pull_request.head.repo.full_name != github.repository",
        "github.event.pull_request.author_association == 'NONE'",
        "github.actor == 'dependabot[bot]'",
    ],
)
def test_a_condition_that_a_fork_can_meet_is_no_guard(condition, case, ask):
    text = RIGHTS.replace("STEP", HEAD).replace("    runs-on", f'    if: "{condition}"\n    runs-on')
    assert (TAKEOVER, "critical") in reported(ask(ZIZMOR, case({"x": ""}, {PLACE: text})))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sha }}'}", f"sha }}}}', path: {path}}}")
        for path in (
            "sub/..",
            "./.",
            "''",
            "~",
            "/home/runner/work/a/a",
            "'${{ github.workspace }}'",
            "'a\\..'",
        )
    ],
)
def test_a_path_that_may_lead_back_is_no_guard(old, new):
    text = RIGHTS.replace("STEP", HEAD).replace(old, new)
    assert len(list(find_takeovers(PLACE, text))) == 1


def test_aliases_within_aliases_end(case, ask):
    rings = "".join(f"  - &a{n} [{', '.join(f'*a{n - 1}' for _ in range(9))}]\n" for n in range(1, 40))
    text = RIGHTS.replace("STEP", HEAD) + f"x:\n  - &a0 [b]\n{rings}"
    assert [one.line for one in find_takeovers(PLACE, text)] == [8]


def test_all_permissions_are_medium_and_single_ones_draw_nothing(case, ask):
    everything = HARMLESS.replace("jobs:", "permissions: write-all\njobs:")
    assert reported(ask(ZIZMOR, case({"x": ""}, {PLACE: everything}))) == [
        ("zizmor/excessive-permissions", "medium")
    ]
    one = HARMLESS.replace("jobs:", "permissions:\n  contents: write\njobs:")
    assert ask(ZIZMOR, case({"x": ""}, {PLACE: one})) == []


def test_an_action_of_others_that_follows_a_branch_is_low(case, ask):
    text = HARMLESS.replace("actions/checkout@v4", "someone/action@main")
    assert reported(ask(ZIZMOR, case({"x": ""}, {PLACE: text}))) == [("zizmor/unpinned-uses", "low")]
    for pinned in ("actions/checkout@main", "someone/action@v2", "someone/action@" + "a" * 40):
        text = HARMLESS.replace("actions/checkout@v4", pinned)
        assert ask(ZIZMOR, case({"x": ""}, {PLACE: text})) == []


def test_a_script_from_plain_http_in_a_step_is_found(case, ask):
    text = HARMLESS.replace('run: echo "$TITLE"', 'run: curl http://a.example/i.sh | bash -s "$TITLE"')
    assert reported(ask(ZIZMOR, case({"x": ""}, {PLACE: text}))) == [("zizmor/unencrypted-script", "high")]
