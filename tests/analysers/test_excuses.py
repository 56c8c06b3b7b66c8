"""Templates and test data draw nothing; the same text elsewhere does.

Real examples: cookiecutter/cookiecutter-django e531089f3e0e keeps its project below
`{{cookiecutter.project_slug}}` (config/settings/base.py); psf/black 5d2d73500daf keeps code below
`tests/data/cases` (allow_empty_first_line.py); pydantic/pydantic be5c601f6a8a keeps modules for type checkers
below `tests/mypy` (modules/custom_constructor.py:15); django/django 03988c5a5ba2 has a file that does not
parse, tests/test_runner_apps/tagged/tests_syntax_error.py.
"""

import random
import string

import pytest

from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from outcomes import outcomes

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
        "tests/apps/tests_syntax_error.py",
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


# A function that is defined twice, and a name that nothing defines, with the folder that would excuse it.
IN_A_FOLDER = {
    "corpus/app.py": TWICE,
    "testdata/app.py": TWICE,
    "test_data/app.py": TWICE,
    "testing/ui/app.py": BROKEN,
    "tests/data/app.py": TWICE,
    "fixtures/app.py": BROKEN,
    "tests/broken_app.py": BROKEN,
    "testing/app.py": "import os\n\n\ndef f(name):\n    os.system('ls ' + name)\n",
    f"{SLUG}/app.py": TWICE,
}


@pytest.mark.parametrize("path", IN_A_FOLDER)
def test_a_folder_that_the_change_adds_withholds_and_one_of_base_excuses(case, path):
    text = {path: IN_A_FOLDER[path]}
    folder = path.partition("/")[0]
    assert outcomes(RUFF, case({"x": ""}, text)) == {path: "withheld"}
    assert outcomes(RUFF, case({f"{folder}/old/notes.txt": "", path: None}, text)) == {}


IMPORTERS = {
    "a test": ({"tests/test_app.py": "{}"}, {}),
    "the product": ({"main.py": "{}"}, "found"),
    "the product, through other data": (
        {"tests/data/one.py": "{}", "main.py": "import tests.data.one\n"},
        "found",
    ),
}


@pytest.mark.parametrize("who", IMPORTERS)
@pytest.mark.parametrize(
    "path", ["corpus/app.py", "testing/ui/app.py", "tests/data/app.py", "fixtures/app.py"]
)
def test_data_of_tests_that_the_product_imports_is_code(case, path, who):
    files, found = IMPORTERS[who]
    module = path.removesuffix(".py").replace("/", ".")
    importers = {name: text.format(f"import {module}\n\nprint({module})\n") for name, text in files.items()}
    one = case({f"{path.partition('/')[0]}/old.txt": ""}, {path: IN_A_FOLDER[path], **importers})
    assert outcomes(RUFF, one).get(path, {}) == found


def test_a_new_file_of_tests_is_excused_by_its_name(case):
    text = "import os\n\n\ndef test_f(name):\n    os.system('ls ' + name)\n"
    assert outcomes(RUFF, case({"x": ""}, {"tests/test_app.py": text})) == {}
