"""Templates, data of tests and what linters leave out at base draw nothing; the same text elsewhere does."""

import random
import string

import pytest

from affidavit.analysers.excuses import matches_expression
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT

JINJA_PYTHON = """\
import os
{% if cookiecutter.use_cache %}
import cache
{% endif %}


class {{ cookiecutter.name }}(object):
    root = os.sep
"""
SLUG = "{{cookiecutter.slug}}"
# Put together here so that no scanner of this repository stumbles over it.
TOKEN = "ghp" + "_" + "".join(random.Random(11).choices(string.ascii_letters + string.digits, k=36))
BROKEN = "def f(:\n    return 1\n"
UNDEFINED = "def f():\n    return undefd\n"


@pytest.mark.parametrize(
    ("analyser", "path", "text"),
    [
        (RUFF, "app/settings.py", JINJA_PYTHON),
        (TY, "app/settings.py", JINJA_PYTHON),
        (RUFF, f"{SLUG}/app.py", f"from {SLUG} import x\n"),
        (RUFF, f"{SLUG}/app.py", "{%- if x %}\nimport a\n{%- endif %}\n"),
        (TY, f"{SLUG}/app.py", "print(undefd)\n"),
        (RUFF, "hooks/pre_gen_project.py", "context = {{ cookiecutter | jsonify }}\nprint(context)\n"),
        (TY, "hooks/pre_gen_project.py", "context = {{ cookiecutter | jsonify }}\nprint(context)\n"),
        (OXLINT, "app/index.js", "import { a } from '{{ name }}';\nexport class {{ name }} {}\n"),
        (OXLINT, f"{SLUG}/index.js", "{% if x %}\nconst a = 1;\n{% endif %}\n"),
        (YAMLLINT, "deploy/site.yml", "{% if x %}\na: 1\n{% endif %}\n"),
        (YAMLLINT, f"{SLUG}/.github/workflows/ci.yml", "on: push\n{% if x %}\na: 1\n{%- endif %}\n"),
        (YAMLLINT, f"{SLUG}/.github/workflows/ci.yml", "on: push\non: pull_request\n"),
        (SHELLCHECK, "deploy/start.sh", "#!/bin/sh\n{% if x %}\nif true; then echo\n{% endif %}\n"),
        (SHELLCHECK, "deploy/start.sh", '#!/bin/sh\nif [ "{{ kind }}" = "b" ]; then echo; fi\n'),
        (HADOLINT, "Dockerfile.j2", "{% if x %}\nFROM a:1\n{% endif %}\nRUNN b\n"),
        (HADOLINT, f"{SLUG}/Dockerfile", "FROM a:1\n{%- if x %}\nRUN b\n{%- endif %}\n"),
    ],
)
def test_a_template_draws_nothing(case, ask, analyser, path, text):
    assert ask(analyser, case({"x": ""}, {path: text})) == []


@pytest.mark.parametrize(
    ("analyser", "path", "text"),
    [
        (RUFF, "app.py", 'TEXT = "{{ name }}"\n\n\ndef f(:\n    return 1\n'),
        (RUFF, "app.py", 'def f():\n    return f"{{{undefd}}}"\n'),
        (OXLINT, "app.jsx", "export const a = <b style={{ top: 1 }} />;\n\nconst = 1;\n"),
        (YAMLLINT, ".github/workflows/ci.yml", "on: push\nname: ${{ github.ref }}\n\nx: [\n"),
        (SHELLCHECK, "run.sh", "#!/bin/sh\nif true; then echo\n"),
        (HADOLINT, "Dockerfile", "FROM a:1\nRUN docker inspect -f '{{.Id}}' x\n\nRUNN b\n"),
    ],
)
def test_braces_elsewhere_excuse_no_fault(case, ask, analyser, path, text):
    assert len(ask(analyser, case({"x": ""}, {path: text}))) == 1


def test_a_shell_injection_in_a_template_is_found(case, ask):
    text = "import os\n\n\ndef f(name):\n    os.system('ls ' + name)\n"
    assert len(ask(RUFF, case({"x": ""}, {f"{SLUG}/app.py": text}))) == 1


def test_a_secret_in_a_template_is_found(case, ask):
    assert len(ask(KINGFISHER, case({"x": ""}, {f"{SLUG}/app.py": f'key = "{TOKEN}"\n'}))) == 1


@pytest.mark.parametrize("analyser", [RUFF, TY])
@pytest.mark.parametrize(
    "path",
    [
        "tests/data/bad_syntax.py",
        "tests/fixtures/plain.py",
        "testdata/input.py",
        "pkg/tests/cases/one.py",
        "tests/broken_module.py",
        "test/syntax-error.py",
    ],
)
def test_data_of_tests_may_be_broken(case, ask, analyser, path):
    assert ask(analyser, case({"x": ""}, {path: BROKEN})) == []


TWICE = "def f():\n    return 1\n\n\ndef f():\n    return 2\n"


@pytest.mark.parametrize("path", ["tests/data/cases/a.py", "pkg/testdata/a.py", "tests/mypy/modules/a.py"])
def test_nothing_is_said_of_what_a_test_only_reads(case, ask, path):
    assert ask(RUFF, case({"x": ""}, {path: TWICE})) == []


@pytest.mark.parametrize("path", ["tests/fixtures/a.py", "tests/data/test_a.py", "data/a.py"])
def test_code_of_tests_is_held_to_more_than_its_syntax(case, ask, path):
    assert len(ask(RUFF, case({"x": ""}, {path: TWICE}))) == 1


@pytest.mark.parametrize("path", ["tests/data/conflict.py", "tests/fixtures/left.py"])
def test_data_of_tests_may_hold_a_merge_conflict(case, ask, path):
    text = "<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n"
    assert ask(RUFF, case({"x": ""}, {path: text})) == []


@pytest.mark.parametrize(
    "path",
    ["tests/test_bad_syntax.py", "tests/conftest.py", "tests/plain.py", "bad_syntax.py", "data/app.py"],
)
def test_a_test_itself_must_parse(case, ask, path):
    assert len(ask(RUFF, case({"x": ""}, {path: BROKEN}))) == 1


EXCLUSIONS = {
    "ruff": {"pyproject.toml": '[tool.ruff]\nextend-exclude = ["legacy"]\n'},
    "ruff, deeper": {"legacy/ruff.toml": 'exclude = ["old"]\n'},
    "black": {
        "pyproject.toml": "[tool.black]\nextend-exclude = '''\n/(\n legacy/old # once\n | build\n)/\n'''\n"
    },
    "mypy": {"pyproject.toml": '[tool.mypy]\nexclude = ["^legacy/.*\\\\.py$"]\n'},
    "flake8": {".flake8": "[flake8]\nexclude =\n    .git,\n    legacy/old\n"},
    "pre-commit": {".pre-commit-config.yaml": "exclude: ^legacy/\nrepos: []\n"},
    "a hook": {
        ".pre-commit-config.yaml": "repos:\n- hooks:\n  - id: check-ast\n    exclude: |\n      (?x)^(\n"
        "        docs/|\n        legacy/old/\n      )\n"
    },
}


@pytest.mark.parametrize("analyser", [RUFF, TY])
@pytest.mark.parametrize("text", [BROKEN, UNDEFINED])
@pytest.mark.parametrize("configuration", EXCLUSIONS.values(), ids=EXCLUSIONS)
def test_what_a_linter_leaves_out_at_base_may_be_broken(case, ask, analyser, text, configuration):
    assert ask(analyser, case(configuration, {"legacy/old/app.py": text})) == []


def test_what_only_the_change_leaves_out_is_found(case, ask):
    configuration = EXCLUSIONS["black"]
    assert len(ask(RUFF, case({"x": ""}, {**configuration, "legacy/old/app.py": BROKEN}))) == 1


def test_what_a_linter_of_javascript_leaves_out_may_be_broken(case, ask):
    ignored = {".prettierignore": "*.txt\nlegacy/\n!legacy/kept.js\n"}
    broken = {"legacy/a.js": "const = 1;\n", "legacy/kept.js": "const = 1;\n"}
    assert [one["file"] for one in ask(OXLINT, case(ignored, broken))] == ["legacy/kept.js"]


def test_what_yamllint_leaves_out_may_be_broken(case, ask):
    ignored = {".yamllint": "extends: default\nignore: |\n  /charts/\n  *.tpl.yaml\nrules: {}\n"}
    broken = {"charts/a.yaml": "a: [\n", "b.tpl.yaml": "a: [\n", "c.yaml": "a: [\n"}
    assert [one["file"] for one in ask(YAMLLINT, case(ignored, broken))] == ["c.yaml"]


@pytest.mark.parametrize(
    ("expression", "path", "is_found"),
    [
        ("^tests/data/", "tests/data/a.py", True),
        ("^data/", "tests/data/a.py", False),
        ("tests/data", "pkg/tests/data/a.py", True),
        (r"(^|/)old/", "a/old/b.py", True),
        (r"(^|/)old/", "bold/b.py", False),
        (r"/(old|older)/", "a/older/b.py", True),
        (r"/(old|older)/", "old/b.py", True),
        (r"^docs/.*\.py$", "docs/a/b.py", True),
        (r"^docs/.*\.py$", "docs/a/b.pyi", False),
        ("(?x)^( a/ # one\n | b/ )", "b/c.py", True),
        ("", "a.py", False),
        (".*", "a.py", False),
        (r"[a-z]+\.py", "a.py", False),
        (r"^(?!src/)", "a.py", False),
    ],
)
def test_an_expression_is_read_as_far_as_it_is_plain(expression, path, is_found):
    assert matches_expression(path, expression) is is_found
