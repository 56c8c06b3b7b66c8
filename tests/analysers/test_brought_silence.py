"""What a change silences by a comment, of whatever form, is withheld and listed."""

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR
from outcomes import all_are, outcomes
from python_changes import Open

TUPLE = 'assert (1, "x")'
SHELL = "import os\n\n\ndef f(a):\n    os.system('ls ' + a)"
LACKS = "def g(a):\n    return a\n\n\n"
DELETES = 'rm -rf "$x/"\n'
WORKFLOW = """\
on: issues
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{{{ github.event.issue.title }}}}{comment}
"""
FORMS: dict[str, tuple[Analyser, str, list[str]]] = {
    "ruff": (
        RUFF,
        "{}.py",
        [
            f"# ruff: file-ignore[F631]\n{TUPLE}\n",
            f"# ruff: disable[F631]\n{TUPLE}\n# ruff: enable[F631]\n",
            f"#ruff :disable[ F631 ]\n{TUPLE}\n",
            f"{TUPLE}  # ruff: ignore[F631]\n",
            f"# ruff: ignore[F631]\n{TUPLE}\n",
            f"{TUPLE}  # fmt: skip # ruff: ignore[F631]\n",
            f"# ruff: noqa: F631\n{TUPLE}\n",
            f"# flake8: noqa\n{TUPLE}\n",
            f"{TUPLE}  # NOQA :F631\n",
        ],
    ),
    "ty": (
        TY,
        "{}.py",
        [
            f"{LACKS}g()  # ty: ignore\n",
            f"{LACKS}g()  # ty: ignore[missing-argument]\n",
            f"{LACKS}# ty: ignore[missing-argument]\ng()\n",
            f"# ty: ignore[missing-argument]\n{LACKS}g()\n",
            f"# type: ignore\n{LACKS}g()\n",
            f"import typing\n{LACKS}@typing.no_type_check\ndef h():\n    g()\n",
            f"from typing import no_type_check\n{LACKS}@no_type_check\ndef h():\n    g()\n",
            f"from typing import no_type_check as n\n{LACKS}@n\ndef h():\n    g()\n",
        ],
    ),
    "bandit": (
        RUFF,
        "{}.py",
        [
            f"{SHELL}  # nosec\n",
            f"{SHELL}  # nosecB605\n",
            f"{SHELL}  #nosec:B605\n",
            f"{SHELL}  # nosec_x\n",
        ],
    ),
    "oxlint": (
        OXLINT,
        "{}.js",
        [
            "// oxlint-disable-next-line\ndebugger\n",
            "/* oxlint-disable */\ndebugger\n",
            "/*eslint-disable foo,\n no-debugger*/\ndebugger\n",
            "// eslint-disable no-debugger\ndebugger\n",
            "debugger // eslint-disable-line no-debugger\n",
        ],
    ),
    "shellcheck": (
        SHELLCHECK,
        "{}.sh",
        [
            f"#!/bin/sh\n# shellcheck disable=all\n{DELETES}",
            f"#!/bin/sh\n# shellcheck shell=bash disable=all\n{DELETES}",
            f"#!/bin/sh\n#shellcheck source=/dev/null disable=SC2000-SC2999\n{DELETES}",
            f'#!/bin/sh\n# shellcheck enable=all disable="SC2115" # why\n{DELETES}',
        ],
    ),
    "hadolint": (
        HADOLINT,
        "{}.dockerfile",
        [
            "# hadolint global ignore=DL3011\nFROM a:1\nEXPOSE 99999\n",
            "#hadolint  global  ignore = DL1000,DL3011\nFROM a:1\nEXPOSE 99999\n",
            "FROM a:1\n# hadolint ignore=DL3011\nEXPOSE 99999\n",
            "FROM a:1\n# hadolint shell=pwsh\nRUN a = 1\n",
        ],
    ),
    "yamllint": (
        YAMLLINT,
        "{}.yaml",
        [
            "# yamllint disable-file\na: 1\na: 2\n",
            "# yamllint disable\na: 1\na: 2\n",
            "# yamllint disable rule:key-duplicates\na: 1\na: 2\n",
            "a: 1\na: 2 # yamllint disable-line\n",
            "# yamllint disable-file\na: [\n",
        ],
    ),
    "zizmor": (
        ZIZMOR,
        ".github/workflows/{}.yml",
        [WORKFLOW.format(comment=" # zizmor: ignore[template-injection]")],
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_no_form_of_comment_silences_an_analyser_without_a_trace(case: Open, name: str) -> None:
    analyser, path, texts = FORMS[name]
    files = {path.format(number): text for number, text in enumerate(texts)}
    assert outcomes(analyser, case({"x": ""}, files)) == all_are("withheld", files)


OLD: dict[str, tuple[Analyser, str, str, list[str]]] = {
    "ruff": (
        RUFF,
        TUPLE,
        "x = 1",
        [
            "# ruff: file-ignore[F631]\n{}\n",
            "# ruff: disable[F631]\n{}\n# ruff: enable[F631]\n",
            "# ruff: ignore[F631]\n{}\n",
        ],
    ),
    "ty": (
        TY,
        "g()",
        "g(1)",
        [f"{LACKS}# ty: ignore[missing-argument]\n{{}}\n", f"# ty: ignore\n{LACKS}{{}}\n"],
    ),
    "ruff's, of what ty finds": (
        TY,
        "print(undefd)",
        "print(1)",
        [
            "# ruff: file-ignore[F821]\n{}\n",
            "# ruff: disable[F821]\n{}\n# ruff: enable[F821]\n",
            "# ruff: ignore[F821]\n\n{}\n",
        ],
    ),
}


@pytest.mark.parametrize("name", OLD)
def test_a_comment_that_stood_above_the_code_before_is_honoured(case: Open, name: str) -> None:
    analyser, fault, sound, texts = OLD[name]
    before = {f"{number}.py": text.format(sound) for number, text in enumerate(texts)}
    after = {f"{number}.py": text.format(fault) for number, text in enumerate(texts)}
    assert outcomes(analyser, case(before, after)) == {}


def test_a_comment_of_ruff_speaks_of_no_more_than_its_block(case: Open) -> None:
    inside = "def f():\n    # ruff: disable[F821]\n    pass\n"
    text = f"# ruff: disable[F821]\n{{}}\n# ruff: enable[F821]\n{{}}\n\n\n{inside}"
    after = {"a.py": text.format("x = 1", "print(undefd)") + "\n\nprint(undefd)\n"}
    assert outcomes(TY, case({"a.py": text.format("x = 1", "y = 1")}, after)) == {"a.py": "found"}


def test_a_comment_that_moves_to_other_code_is_a_new_one(case: Open) -> None:
    before = {"a.sh": "#!/bin/sh\n# shellcheck disable=SC2115\necho 1\necho 2\necho 3\n"}
    after = {"a.sh": f"#!/bin/sh\necho 1\necho 2\n# shellcheck disable=SC2115\n{DELETES}echo 3\n"}
    assert outcomes(SHELLCHECK, case(before, after)) == {"a.sh": "withheld"}


def test_a_comment_that_moves_with_its_code_is_the_old_one(case: Open) -> None:
    silent = f"# shellcheck disable=SC2115\n{DELETES}"
    before = {"a.sh": f"#!/bin/sh\n{silent}echo 1\necho 2\necho 3\n"}
    after = {"a.sh": f"#!/bin/sh\necho 1\necho 2\necho 3\n{silent}"}
    assert outcomes(SHELLCHECK, case(before, after)) == {}


@pytest.mark.parametrize("ending", ["", "x = 2\n# ruff: enable[F631]\n"])
def test_a_silence_that_ends_later_than_before_is_a_new_one(case: Open, ending: str) -> None:
    before = "# ruff: disable[F631]\nx = 1\n# ruff: enable[F631]\ny = 1\n"
    after = f"# ruff: disable[F631]\nx = 1\ny = 1\n{TUPLE}\n{ending}"
    assert outcomes(RUFF, case({"a.py": before}, {"a.py": after})) == {"a.py": "withheld"}
