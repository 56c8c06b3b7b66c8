"""No words of a change excuse it: what a file says of itself counts where base says the same."""

import asyncio
import json

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from outcomes import all_are, each, outcomes
from python_changes import Open

USES = "def g():\n    return undefd\n"
ONLY_WORDS = {
    "a comment": f"{USES}# see globals()\n",
    "a text": f'{USES}S = "globals().update(x)"\n',
    "documentation": f'"""exec(code)"""\n{USES}',
    "exec in a comment": f"{USES}# exec(\n",
    "a name": f"{USES}def exec_all():\n    pass\n",
    "a star in a text": f'{USES}S = """\nfrom nowhere import *\n"""\n',
}
CANNOT_GIVE_IT = {
    "exec in a function": f"{USES}def h(code):\n    exec(code)\n",
    "locals of a function": f"{USES}def h(names):\n    locals().update(names)\n",
    "names of an object": f"{USES}print(vars(g))\n",
}
MAY_GIVE_IT = {
    "it is read": f"{USES}print(globals()['a'], 'b' in globals(), globals().get('c'))\n",
    "another name is set": f"{USES}globals()['other'] = 1\n",
    "exec of a text": f"{USES}exec('a = 1')\n",
    "update": f"{USES}globals().update(names)\nnames = {{}}\n",
    "by a variable": f"{USES}for n in 'ab':\n    globals()[n] = 1\n",
    "by its name": f"{USES}globals()['undefd'] = 1\n",
    "exec": f"{USES}exec(open('x').read())\n",
    "exec with a table": f"{USES}def h(code):\n    exec(code, globals())\n",
    "handed on": f"{USES}print(globals())\n",
    "vars": f"{USES}vars().update(a=1)\n",
    # psf/requests 1f6589ec3a1e: src/requests/packages.py:9
    "locals of the module": f"{USES}for n in 'ab':\n    locals()[n] = __import__(n)\n",
}


@pytest.mark.parametrize("analyser", [RUFF, TY])
def test_the_words_of_a_dynamic_call_excuse_no_undefined_name(case: Open, analyser: Analyser) -> None:
    files = each({**ONLY_WORDS, **CANNOT_GIVE_IT})
    assert outcomes(analyser, case({"x": ""}, files)) == all_are("found", files)


@pytest.mark.parametrize("analyser", [RUFF, TY])
def test_a_dynamic_call_that_the_change_adds_withholds_an_undefined_name(
    case: Open, analyser: Analyser
) -> None:
    files = each(MAY_GIVE_IT)
    assert outcomes(analyser, case({"x": ""}, files)) == all_are("withheld", files)


@pytest.mark.parametrize("analyser", [RUFF, TY])
def test_a_dynamic_call_of_base_excuses_an_undefined_name(case: Open, analyser: Analyser) -> None:
    before = each({name: text.replace("undefd", "1", 1) for name, text in MAY_GIVE_IT.items()})
    assert outcomes(analyser, case(before, each(MAY_GIVE_IT))) == {}


@pytest.mark.parametrize("analyser", [RUFF, TY])
def test_who_puts_a_name_among_the_builtins_in_the_change_withholds_it(
    case: Open, analyser: Analyser
) -> None:
    after = {"a.py": USES, "notes.txt": "builtins.undefd = 1\n"}
    assert outcomes(analyser, case({"x": ""}, after)) == {"a.py": "withheld"}


def test_a_star_import_that_the_change_adds_withholds_what_ty_does_not_know(case: Open) -> None:
    after = {"a.py": f"from nowhere import *\n{USES}"}
    assert outcomes(TY, case({"a.py": "x = 1\n"}, after)) == {"a.py": "withheld"}


def test_a_comment_does_not_give_a_module_the_name_that_is_imported(case: Open) -> None:
    before = {"pkg/__init__.py": "", "pkg/mod.py": "A = 1\n", "use.py": "from pkg.mod import A\n"}
    comment = {"pkg/mod.py": "A = 1\n# missing, see globals()\n", "use.py": "from pkg.mod import missing\n"}
    assert outcomes(TY, case(before, comment)) == {"use.py": "found"}
    text = {"pkg/mod.py": 'A = 1\nLAZY = ["missing"]\n', "use.py": "from pkg.mod import missing\n"}
    assert outcomes(TY, case(before, text)) == {"use.py": "withheld"}


BROKEN: dict[str, tuple[Analyser, str, dict[str, str]]] = {
    "ruff": (
        RUFF,
        "x = 1\n\n\ndef f():\n    return 1\n",
        {
            "a.py": "def f(:  # {{ n }}\n    return 1\n",
            "b.py": "%time\ndef f():\n    return 1\n",
            "c/__init__.py": "!ls\n",
            "e.py": "# {% if x %}\ndef f(:\n    return 1\n",
        },
    ),
    "oxlint": (
        OXLINT,
        "export const a = 1;\n",
        {
            "a.js": "export const a = ; // {{ x }} <%= y %>\n",
        },
    ),
    "shellcheck": (
        SHELLCHECK,
        "#!/bin/sh\necho 1\n",
        {
            "a.sh": "#!/bin/sh\nif true; then # {{ x }}\n",
        },
    ),
    "hadolint": (
        HADOLINT,
        "FROM a:1\nRUN b\n",
        {
            "b.dockerfile": "FROM a:1\n# {{ x }}\nBADINSTR x\n",
        },
    ),
    "yamllint": (
        YAMLLINT,
        "a: 1\n",
        {"a.yaml": "a: [ # {{ x }}\n", "c.yaml": "a: @x.y@\n"},
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_marks_that_the_change_adds_excuse_no_file_that_parsed_before(case: Open, name: str) -> None:
    analyser, sound, files = BROKEN[name]
    before = dict.fromkeys(files, sound)
    assert outcomes(analyser, case(before, files)) == all_are("found", files)


@pytest.mark.parametrize("name", BROKEN)
def test_marks_of_a_new_file_withhold_what_is_found_in_it(case: Open, name: str) -> None:
    analyser, _, files = BROKEN[name]
    assert outcomes(analyser, case({"x": ""}, files)) == all_are("withheld", files)


def test_a_template_that_parsed_as_its_language_is_withheld_and_not_approved_in_silence(case: Open) -> None:
    before = {"a.py": 'NAME = "{{ name }}"\n'}
    assert outcomes(RUFF, case(before, {"a.py": "class {{ name }}:\n    pass\n"})) == {"a.py": "withheld"}


def test_what_hadolint_cannot_read_is_withheld(case: Open) -> None:
    before = {"Dockerfile": "FROM a:1\nRUN b\n"}
    after = {"Dockerfile": "FROM a:1\nRUN cat <<EOF\nx\nEOF\nBADINSTR x\n"}
    assert outcomes(HADOLINT, case(before, after)) == {"Dockerfile": "withheld"}


def test_a_flow_file_of_a_flow_project_draws_nothing(case: Open) -> None:
    after = {"a.js": "// @flow\nexport const a = (b: ?string, c: {| d: 1 |}) => b;\n"}
    assert outcomes(OXLINT, case({".flowconfig": ""}, after)) == {}


EXCUSED_BY_WORDS = {
    "raises in a text": 'def g(a):\n    with open("raises NameError"):\n        return undefd\n',
    "type checkers in a text": 'def g():\n    if "TYPE_CHECKING":\n        return undefd\n',
    "not for type checkers": (
        "from typing import TYPE_CHECKING\n\n\ndef g():\n    if not TYPE_CHECKING:\n        return undefd\n"
    ),
    "future in a comment": "# from __future__ import annotations\ndef g(a: undefd):\n    return a\n",
}


def test_words_beside_code_do_not_say_that_a_failure_is_expected(case: Open) -> None:
    files = each(EXCUSED_BY_WORDS)
    assert outcomes(RUFF, case({"x": ""}, files)) == all_are("found", files)


def test_a_comment_inside_a_call_does_not_make_it_harmless(case: Open) -> None:
    text = (
        "import os\nimport yaml\n\n\ndef f(a):\n    os.system(  # constant\n        'ls ' + a\n    )\n\n\n"
        "def h(a):\n    return yaml.load(a,  # Loader=SafeLoader\n        Loader=yaml.Loader)\n"
    )
    reply = asyncio.run(MechanicalSpecialist(RUFF).examine(case({"x": ""}, {"a.py": text}).case))
    rules = {one["rule_id"] for one in json.loads(reply.text or "{}")["findings"]}
    assert rules == {"ruff/S605", "ruff/S506"}


def test_a_script_that_the_change_gives_to_another_shell_is_one_that_was_not_read(case: Open) -> None:
    after = {"a.sh": '#!/usr/bin/env zsh\nrm -rf "$x/"\n', "b.sh": "#!/usr/bin/env zsh\necho 2\n"}
    one = case({"a.sh": "#!/bin/sh\necho 1\n"}, after)
    reply = asyncio.run(MechanicalSpecialist(SHELLCHECK).examine(one.case))
    (head,) = (run for run in reply.analyser_runs if run.side == "head")
    assert {unread.path: unread.why for unread in head.unread} == {"a.sh": "left_out", "b.sh": "foreign"}
