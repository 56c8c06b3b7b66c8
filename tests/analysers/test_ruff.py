"""Ruff on real repositories: planted problems, tempting harmless code, and configuration from both sides."""

import pytest

from affidavit.analysers.ruff import RUFF, read_flake8, read_settings, write_settings

EMPTY = "VALUE = 1\n"

PLANTED = {
    "F821": "def f():\n    return total\n",
    "F823": "import os\ndef f():\n    print(os.name)\n    os = 1\n    return os\n",
    "F822": "__all__ = ['gone']\n",
    "F811": "def f():\n    return 1\ndef f():\n    return 2\n",
    "F507": "def f(a):\n    return '%s %s' % (a,)\n",
    "F524": "def f(a):\n    return '{} {}'.format(a)\n",
    "F601": "PRICES = {'a': 1, 'b': 2, 'a': 3}\n",
    "F631": "def f(a):\n    assert (a, 'message')\n",
    "F632": "def f(a):\n    return a is 'x'\n",
    "B012": "def f(a):\n    try:\n        a()\n    finally:\n        return 1\n",
    "B015": "def f(a):\n    a == 1\n",
    "B032": "def f(a):\n    a['b']: 1\n",
    "PLE0101": "class K:\n    def __init__(self):\n        return 1\n",
    "PLE1205": "import logging\ndef f(a):\n    logging.warning('%s', a, a)\n",
    "PLW0133": "def f(a):\n    ValueError(a)\n",
    "INT001": "from gettext import gettext as _\ndef f(a):\n    return _(f'hello {a}')\n",
    "ASYNC251": "import time\nasync def f():\n    time.sleep(1)\n",
    "S602": "import subprocess\ndef f(name):\n    subprocess.run('ls ' + name, shell=True)\n",
    "S605": "import os\ndef f(name):\n    os.system(f'ls {name}')\n",
    "S608": "def f(cursor, user_id):\n    cursor.execute(f'SELECT * FROM t WHERE id = {user_id}')\n",
    "S307": "def f(text):\n    return eval(text)\n",
    "S506": "import yaml\ndef f(text):\n    return yaml.load(text, Loader=yaml.Loader)\n",
    "S501": "import requests\ndef f(url):\n    return requests.get(url, verify=False)\n",
    "invalid-syntax": "def f(:\n    pass\n",
}

HARMLESS = {
    "a name defined by a star import": "from os import *\ndef f():\n    return getcwd()\n",
    "a name that is tried": "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
    # frappe/frappe ce01f8ada87e, frappe/automation/doctype/assignment_rule_day/assignment_rule_day.py:17.
    "a quoted annotation": "def f(a: 'Later') -> None:\n    return None\n",
    # ipython/ipython 7f0ee55684f0, IPython/core/completer.py:763.
    "a lazy annotation": "from __future__ import annotations\ndef f(a: Later) -> None:\n    return None\n",
    # pydantic/pydantic 2151025aa512, tests/test_deferred_annotations.py:29.
    "an annotation of a field in a function": (
        "def f():\n    class K:\n        field: Later\n\n    Later = int\n    return K, Later\n"
    ),
    "a local annotation": "def f(a):\n    b: Later = a\n    return b\n",
    "an overload": (
        "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n"
        "@overload\ndef f(a: str) -> str: ...\ndef f(a):\n    return a\n"
    ),
    "a name that is imported or not": (
        "try:\n    from json import loads\nexcept ImportError:\n    loads = None\n"
    ),
    # pytest-dev/pytest df87db7b0462, testing/freeze/create_executable.py:16.
    "a constant command": "import subprocess\ndef f():\n    subprocess.run('ls -l', shell=True)\n",
    "a command of constants": (
        "import subprocess\nFOLDER = '/tmp'\ndef f():\n    subprocess.run(f'ls {FOLDER}', shell=True)\n"
    ),
    # django/django 03988c5a5ba2, django/db/backends/mysql/introspection.py:160.
    "a statement with its table": "def f(cursor, table):\n    cursor.execute(f'SELECT * FROM {table}')\n",
    # jupyterhub/jupyterhub 2841153db6c1, jupyterhub/alembic/versions/99a28a4418e1_user_created.py:31.
    "a statement with what a function without input returns": (
        "def f(cursor, values):\n    marks = ', '.join(['%s'] * len(values))\n"
        "    cursor.execute(f'SELECT a FROM t WHERE b IN ({marks})', values)\n"
    ),
    "a statement with a number": (
        "def f(cursor, count: int):\n    cursor.execute(f'SELECT a FROM t WHERE b = {count}')\n"
    ),
    # django/django 03988c5a5ba2, django/contrib/gis/db/backends/postgis/operations.py:212.
    "text that only looks like a statement": (
        "def f(name):\n    return f'to go on, select {name} from the list'\n"
    ),
    # django/django 03988c5a5ba2, django/conf/locale/ckb/formats.py:11.
    "a mark of direction": "FORMAT = 'Y/n/j\u060c\u200f G:i'\n",
    "a sleep outside of async": "import time\ndef f():\n    time.sleep(1)\n",
    "a safe loader": "import yaml\ndef f(text):\n    return yaml.load(text, Loader=yaml.SafeLoader)\n",
}


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_problem_is_found(code, case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": PLANTED[code]}))
    assert f"ruff/{code}" in [finding["rule_id"] for finding in found]
    assert all("{" not in finding["title"] + finding["message"].replace("{user_id}", "") for finding in found)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a: Later) -> None:\n    return None\n",
        "def f():\n    return f'{gone}'\n",
        "class K:\n    field: Later\n",
        "try:\n    x = gone\nexcept ValueError:\n    x = 1\n",
        "try:\n    x = 1\nexcept NameError:\n    x = gone\n",
    ],
)
def test_a_name_that_python_evaluates_must_be_defined(text, case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": text}))
    assert [finding["rule_id"] for finding in found] == ["ruff/F821"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(cursor, request):\n    name = request.GET['name'].strip()\n"
        '    text = "SELECT a FROM t WHERE b = \'" + name + "\'"\n    cursor.execute(text)\n',
        "def f(cursor, name):\n    cursor.execute(\"SELECT a FROM t WHERE b = '%s'\" % name)\n",
        "def f(cursor, name):\n    cursor.execute(\"DELETE FROM t WHERE b = '{}'\".format(name))\n",
        "import sys\ndef f(cursor):\n    cursor.execute(f'SELECT a FROM t WHERE b = {sys.argv[1]}')\n",
    ],
)
def test_text_from_outside_in_a_statement_is_an_injection(text, case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": text}))
    assert [finding["rule_id"] for finding in found] == ["ruff/S608"]


@pytest.mark.parametrize("what", HARMLESS)
def test_harmless_code_draws_nothing_at_medium_or_above(what, case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": HARMLESS[what]}))
    assert [finding for finding in found if finding["severity"] in ("critical", "high", "medium")] == []


@pytest.mark.parametrize("code", ["F821", "S602", "S605", "S608"])
def test_undefined_names_and_injections_are_high(code, case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": PLANTED[code]}))
    assert {finding["severity"] for finding in found if finding["rule_id"] == f"ruff/{code}"} == {"high"}


def test_tests_may_run_what_they_like(case, ask):
    assert ask(RUFF, case({"a.py": EMPTY}, {"tests/test_a.py": PLANTED["S602"]})) == []


def test_code_that_expects_the_failure_is_left_alone(case, ask):
    # pydantic/pydantic 2151025aa512, pydantic-core/wasm-preview/run_tests.py:62 (a `try` around it).
    text = "import pytest\ndef test_f():\n    with pytest.raises(NameError):\n        gone()\n"
    assert ask(RUFF, case({"a.py": EMPTY}, {"test_a.py": text})) == []


def test_a_name_that_was_undefined_before_comes_from_outside(case, ask):
    # SCons/scons 176711bd1fde, bench/bench.py:195.
    before = "env = Environment()\n"
    assert (
        ask(RUFF, case({"SConstruct.py": before}, {"SConstruct.py": before + "other = Environment()\n"}))
        == []
    )


def test_a_name_that_is_imported_or_set_again_is_not_defined_twice(case, ask):
    # ipython/ipython 7f0ee55684f0, tests/test_pylabtools.py:184 (a fixture that is imported and asked for);
    # pydantic/pydantic 2151025aa512, tests/test_json_schema.py:34.
    text = "from app.library import size\n\n\ndef area(size):\n    return size\n\n\n"
    text += "def f():\n    return 1\n\n\ndef f():\n    return 2\n"
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": text}))
    assert [(one["rule_id"], one["line"]) for one in found if one["rule_id"] == "ruff/F811"] == [
        ("ruff/F811", 12)
    ]


def test_a_noqa_comment_is_honoured(case, ask):
    assert ask(RUFF, case({"a.py": EMPTY}, {"a.py": "print(gone)  # noqa: F821\n"})) == []


CONFIGURATIONS = {
    "ruff.toml": "[lint]\nignore = ['F821', 'XYZ999']\n",
    ".ruff.toml": "ignore = ['F8']\n",
    "pyproject.toml": "[tool.ruff.lint.per-file-ignores]\n'a.py' = ['F821']\n",
    "setup.cfg": "[flake8]\nextend-ignore = E203, F821\n",
    ".flake8": "[flake8]\nper-file-ignores =\n    a.py: F821\n",
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_what_the_base_commit_ignores_is_ignored(name, case, ask):
    one = case({"a.py": EMPTY, name: CONFIGURATIONS[name]}, {"a.py": PLANTED["F821"]})
    assert ask(RUFF, one) == []


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_what_only_the_change_ignores_is_found(name, case, ask):
    one = case({"a.py": EMPTY}, {"a.py": PLANTED["F821"], name: CONFIGURATIONS[name]})
    assert [finding["rule_id"] for finding in ask(RUFF, one)] == ["ruff/F821"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ruff.toml", "extend = '/etc/passwd'\n"),
        ("ruff.toml", "extend = 'ruff.toml'\n"),
        ("ruff.toml", "this is no TOML ["),
        ("pyproject.toml", "[tool.ruff]\nexclude = ['*']\n[tool.ruff.lint]\nselect = []\n"),
        ("ruff.toml", "required-version = '==0.0.1'\n"),
        ("setup.cfg", "no section\n"),
    ],
)
def test_a_hostile_configuration_in_the_change_has_no_effect(name, text, case, ask):
    one = case({"a.py": EMPTY}, {"a.py": PLANTED["F821"], name: text, f"pkg/{name}": text})
    assert [finding["rule_id"] for finding in ask(RUFF, one)] == ["ruff/F821"]


@pytest.mark.parametrize(
    "text", ["extend = '../../etc/x.toml'\n", "extend = 'ruff.toml'\n", "broken = [", "a = 1\n"]
)
def test_a_broken_configuration_at_base_does_not_stop_the_run(text, case, ask):
    one = case({"a.py": EMPTY, "ruff.toml": text}, {"a.py": PLANTED["F821"]})
    assert [finding["rule_id"] for finding in ask(RUFF, one)] == ["ruff/F821"]


def test_a_configuration_may_extend_another_of_the_repository(case, ask):
    before = {
        "pkg/a.py": EMPTY,
        "pkg/ruff.toml": "extend = '../shared.toml'\n",
        "shared.toml": "[lint]\nignore = ['F821']\n",
    }
    assert ask(RUFF, case(before, {"pkg/a.py": PLANTED["F821"]})) == []


def test_the_nearest_configuration_counts(case, ask):
    before = {"a.py": EMPTY, "pkg/a.py": EMPTY, "pkg/ruff.toml": "[lint]\nignore = ['F821']\n"}
    found = ask(RUFF, case(before, {"a.py": PLANTED["F821"], "pkg/a.py": PLANTED["F821"]}))
    assert [finding["file"] for finding in found] == ["a.py"]


def test_files_that_the_base_commit_excludes_are_left_out(case, ask):
    before = {"data/a.py": EMPTY, "pyproject.toml": "[tool.ruff]\nextend-exclude = ['data']\n"}
    assert ask(RUFF, case(before, {"data/a.py": PLANTED["invalid-syntax"]})) == []


def test_the_project_s_oldest_python_is_the_target(case, ask):
    text = "def f(a):\n    match a:\n        case 1:\n            return 2\n"
    before = {"a.py": EMPTY, "pyproject.toml": "[project]\nname = 'x'\nrequires-python = '>=3.9'\n"}
    found = ask(RUFF, case(before, {"a.py": text}))
    assert [finding["severity"] for finding in found] == ["critical"]


def test_settings_are_read_as_data(case):
    one = case({"ruff.toml": "target-version = 'py310'\nbuiltins = ['_']\n"}, {"a.py": EMPTY})
    settings = read_settings(one.repository.base, "")
    assert settings is not None
    assert settings.target_version == "py310"
    assert 'builtins = ["_"]' in write_settings(settings, None)
    assert read_flake8(one.repository.base).ignored == ()


SCRIPT = """# /// script
# requires-python = ">=3.8"
# [tool.ruff.lint]
# select = []
# ignore = ["F821"]
# [tool.ty.rules]
# unresolved-reference = "ignore"
# ///
print(gone)
"""


def test_settings_inside_a_script_of_the_change_have_no_effect(case, ask):
    found = ask(RUFF, case({"a.py": EMPTY}, {"a.py": SCRIPT}))
    assert [finding["rule_id"] for finding in found] == ["ruff/F821"]


def test_a_folder_named_like_a_configuration_file_has_no_effect(case, ask):
    change = {"a.py": PLANTED["F821"], ".ruff.toml/b.py": EMPTY}
    found = ask(RUFF, case({"a.py": EMPTY}, change), ".ruff.toml/b.py")
    assert [finding["rule_id"] for finding in found] == ["ruff/F821"]


def test_an_expression_that_is_only_tried_is_no_lost_value(case, ask):
    # celery/celery 21dbc73f81d2, celery/app/trace.py:429.
    # psf/requests 70298332899f, src/requests/auth.py:267.
    text = """\
import pytest


def tried(a, b):
    try:
        a
    except NameError:
        b = 1
    with pytest.raises(TypeError):
        a > b
    with pytest.warns(UserWarning):
        a == b
    a.content
    try:
        [a, b]
    finally:
        b.close()
    a == b
    return a
"""
    found = ask(RUFF, case({"x": ""}, {"a.py": text}))
    assert [(finding["rule_id"], finding["line"]) for finding in found] == [
        ("ruff/B018", 15),
        ("ruff/B015", 18),
    ]


def test_a_field_that_is_declared_and_then_set_is_set_once(case, ask):
    # ipython/ipython 4d71bcf89fe0, IPython/core/tbtools.py:452.
    text = "class A:\n    out: int\n    name = 1\n    out = 2\n    name = 3\n"
    found = ask(RUFF, case({"x": ""}, {"a.py": text}))
    assert [(finding["rule_id"], finding["line"]) for finding in found] == [("ruff/PIE794", 5)]


RUN = "import subprocess\n"
FROM_OUTSIDE = {
    "assigned": "def f(name):\n    cmd = 'ls ' + name\n    subprocess.run(cmd, shell=True)\n",
    "a parameter that is assigned": (
        "def f(cmd, name):\n    cmd = cmd + name\n    subprocess.run(cmd, shell=True)\n"
    ),
    "a parameter that is added to": (
        "def f(cmd, name):\n    cmd += name\n    subprocess.run(cmd, shell=True)\n"
    ),
    "unpacked": "def f(name):\n    cmd, _ = 'ls ' + name, 1\n    subprocess.run(cmd, shell=True)\n",
    "assigned in an expression": (
        "def f(name):\n    if cmd := 'ls ' + name:\n        subprocess.run(cmd, shell=True)\n"
    ),
    "of the module": "command = 'ls ' + input()\nsubprocess.run(command, shell=True)\n",
}
GIVEN_WHOLE = {
    "a parameter": "def f(cmd):\n    subprocess.run(cmd, shell=True)\n",
    "a parameter that is cleaned": (
        "def f(cmd):\n    cmd = cmd.strip()\n    subprocess.run(cmd, shell=True)\n"
    ),
    "each of a parameter": (
        "def f(commands):\n    for cmd in commands:\n        subprocess.run(cmd, shell=True)\n"
    ),
    "unpacked from a call": (
        "def f(cmd):\n    cmd, a = prepare(cmd)\n    subprocess.run(cmd, shell=True)\n"
        "def prepare(cmd):\n    return cmd, 1\n"
    ),
    "unpacked beside something else": (
        "def f(name):\n    cmd, _ = 'ls', name\n    subprocess.run(cmd, shell=True)\n"
    ),
    "a constant": "def f():\n    cmd = 'ls -l'\n    subprocess.run(cmd, shell=True)\n",
}


@pytest.mark.parametrize("what", FROM_OUTSIDE)
def test_a_variable_called_cmd_does_not_hide_what_is_put_into_it(case, ask, what):
    found = ask(RUFF, case({"a.py": RUN}, {"a.py": RUN + FROM_OUTSIDE[what]}))
    assert [one["rule_id"] for one in found] == ["ruff/S602"]


@pytest.mark.parametrize("what", GIVEN_WHOLE)
def test_a_command_that_the_caller_wrote_is_no_finding(case, ask, what):
    assert ask(RUFF, case({"a.py": RUN}, {"a.py": RUN + GIVEN_WHOLE[what]})) == []
