"""Modules that a change puts over others of their name: what Python imports counts, not what a stub says."""

import asyncio

import pytest

from affidavit.analysers.ty import TY
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.reviewing.hold import assemble_crew
from outcomes import outcomes

LIB = "def f():\n    return 1\n"
STUB = "def f() -> int: ...\n"
USER = "import lib\nfrom lib import f\n\n\ndef run():\n    return lib.f() + f()\n"
READER = "import json\n\n\ndef run(text):\n    return json.loads(text)\n"
SHADOWED = {
    "a module of the standard library": ({"app.py": READER}, {"json.py": "VALUE = 1\n"}, "app.py", "json.py"),
    "one that a package uses": (
        {"app/__init__.py": "", "app/read.py": READER},
        {"json.py": "VALUE = 1\n"},
        "app/read.py",
        "json.py",
    ),
    "one below src": (
        {"pyproject.toml": "", "src/app/__init__.py": "", "src/app/read.py": READER},
        {"src/json/__init__.py": ""},
        "src/app/read.py",
        "src/json/__init__.py",
    ),
    "a name of one": (
        {"app.py": "from json import loads\n\nprint(loads)\n"},
        {"json.py": "VALUE = 1\n"},
        "app.py",
        "json.py",
    ),
    "a module by a package": (
        {"lib.py": LIB, "app.py": USER},
        {"lib/__init__.py": ""},
        "app.py",
        "lib/__init__.py",
    ),
    "one that only its stub describes any more": (
        {"lib.py": LIB, "lib.pyi": STUB, "app.py": USER},
        {"lib.py": None},
        "app.py",
        "lib.py",
    ),
}
LIES = {
    "a new stub": ({"lib.py": LIB}, {"lib.pyi": STUB + "def g() -> int: ...\n"}),
    "an old stub": ({"lib.py": LIB, "lib.pyi": STUB + "def g() -> int: ...\n"}, {}),
    "the stub of a package": (
        {"lib/__init__.py": LIB},
        {"lib/__init__.pyi": STUB + "def g() -> int: ...\n"},
    ),
    "a new package of stubs": (
        {"lib.py": LIB},
        {"lib-stubs/__init__.pyi": STUB + "def g() -> int: ...\n"},
    ),
    "a new stub in a source folder that comes first": (
        {"src/lib.py": LIB},
        {"lib.pyi": STUB + "def g() -> int: ...\n"},
    ),
}
FINE = {
    "a module of a package": ({"app/__init__.py": "", "app/read.py": READER}, {"app/json.py": "VALUE = 1\n"}),
    "a module that has the name": ({"app.py": READER}, {"json.py": "def loads(text):\n    return text\n"}),
    "a module elsewhere": ({"app.py": READER}, {"scripts/json.py": "VALUE = 1\n"}),
    "a script elsewhere": ({"scripts/app.py": READER}, {"json.py": "VALUE = 1\n"}),
    "a module that becomes a package": (
        {"lib.py": LIB, "app.py": USER},
        {
            "lib.py": None,
            "lib/__init__.py": "from lib.core import f\n\n__all__ = ['f']\n",
            "lib/core.py": LIB,
        },
    ),
    # psf/requests d63e94f552eb
    "a package that moves below src": (
        {"pkg/__init__.py": LIB, "use.py": "import pkg\n\nprint(pkg.f())\n"},
        {"pkg/__init__.py": None, "src/pkg/__init__.py": LIB},
    ),
    "a package that moves out of src": (
        {"src/pkg/__init__.py": LIB, "use.py": "import pkg\n\nprint(pkg.f())\n"},
        {"src/pkg/__init__.py": None, "pkg/__init__.py": LIB},
    ),
    "a stub of what a build makes": (
        {"app.py": "VALUE = 1\n"},
        {"lib.c": "int f;\n", "lib.pyi": STUB, "app.py": USER},
    ),
    "a stub that tells the truth": ({"lib.py": LIB, "app.py": USER}, {"lib.pyi": STUB}),
    "a package whose names come from its stub": (
        {"app.py": "VALUE = 1\n"},
        {
            "lib/__init__.py": (
                "import lazy_loader\n\n"
                "__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)\n"
            ),
            "lib/__init__.pyi": "from .core import f\n",
            "lib/core.py": LIB,
            "app.py": USER,
        },
    ),
}


@pytest.mark.parametrize("what", SHADOWED)
def test_a_module_over_another_breaks_who_imports_it(case, ask, what):
    before, after, user, cause = SHADOWED[what]
    found = ask(TY, case(before, after))
    assert {one["file"] for one in found} == {user}
    assert {one["verification"]["caused_by"]["file"] for one in found} == {cause}
    assert {one["rule_id"] for one in found} <= {"ty/missing-attribute", "ty/import-not-found"}


@pytest.mark.parametrize("what", LIES)
def test_what_a_stub_says_and_the_module_lacks_is_missing(case, ask, what):
    before, after = LIES[what]
    found = ask(TY, case({"app.py": USER, **before}, {"app.py": USER.replace("lib.f()", "lib.g()"), **after}))
    assert [(one["file"], one["line"]) for one in found] == [("app.py", 6)]


def test_the_parameters_of_a_function_are_those_of_the_module(case, ask):
    after = {"lib.pyi": "def f(a: int) -> int: ...\n", "app.py": USER.replace("lib.f()", "lib.f(1)")}
    (found,) = ask(TY, case({"app.py": USER, "lib.py": LIB}, after))
    assert found["rule_id"] == "ty/too-many-positional-arguments"


@pytest.mark.parametrize("what", FINE)
def test_a_module_that_takes_nothing_away_breaks_nobody(case, what):
    assert outcomes(TY, case(*FINE[what])) == {}


@pytest.mark.parametrize("what", SHADOWED)
def test_a_review_ends_with_1_and_has_read_the_stubs(case, what):
    before, after, *_ = SHADOWED[what]
    opened = case(before, {"lib.pyi": STUB + "A: int\n", **after})
    settings = Settings(analysers_off=("kingfisher",))
    report = asyncio.run(review(opened.change, opened.repository, settings, assemble_crew(settings, None)))
    assert (report.gate.exit_code, report.incomplete) == (1, ())


PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/lib.py": LIB,
    "pkg/user.py": "from pkg import lib\nfrom pkg.lib import f\n\n\ndef run():\n    return lib.f() + f()\n",
    "app.py": "VALUE = 1\n",
    "core.py": LIB,
    "core.pyi": STUB,
    "main.py": USER.replace("lib", "core"),
}
WRONG = "import json\nimport os\n\nprint(os.getcwdx(), json.loadx('1'))\n"
STUBS = {"os.pyi": "def getcwdx() -> str: ...\n", "json.pyi": "def loadx(text: str) -> str: ...\n"}
EXCUSED_BY_THE_CHANGE = {
    "an empty module of the name of a changed one": (
        {"pkg/lib.py": "def g():\n    return 1\n"},
        {"other/pkg/lib.py": ""},
        "pkg/user.py",
    ),
    "an empty module of the name of a deleted one": (
        {"pkg/lib.py": None},
        {"other/pkg/lib.py": ""},
        "pkg/user.py",
    ),
    "a source of the name of a deleted module": (
        {"pkg/lib.py": None},
        {"other/pkg/lib.c": ""},
        "pkg/user.py",
    ),
    "what a build makes of a deleted module": ({"core.py": None}, {"core.pyx": LIB}, "main.py"),
    "a module of the name of one of Python": ({"app.py": WRONG}, {"x/os.py": "", "x/json.py": ""}, "app.py"),
    "stubs of modules of Python": ({"app.py": WRONG}, STUBS, "app.py"),
    "stubs in a folder of their own": (
        {"app.py": WRONG},
        {f"typings/{name}": text for name, text in STUBS.items()},
        "app.py",
    ),
    "a text in an old file": ({"app.py": WRONG}, {"main.py": "'getcwdx', 'loadx'\n"}, "app.py"),
    "a text with the name that is missing": ({"app.py": WRONG}, {"x.py": "'getcwdx', 'loadx'\n"}, "app.py"),
}


@pytest.mark.parametrize("what", EXCUSED_BY_THE_CHANGE)
def test_what_the_change_writes_withholds_what_they_excuse(case, what):
    fault, excuse, user = EXCUSED_BY_THE_CHANGE[what]
    assert outcomes(TY, case(PACKAGE, fault)) == {user: "found"}
    assert outcomes(TY, case(PACKAGE, {**fault, **excuse})) == {user: "withheld"}


def test_a_module_that_is_renamed_to_a_text_breaks_who_imports_it(case):
    assert outcomes(TY, case(PACKAGE, {"pkg/lib.py": None, "notes.txt": LIB})) == {"pkg/user.py": "found"}


def test_files_of_base_excuse_as_before(case):
    fault, excuse, _ = EXCUSED_BY_THE_CHANGE["an empty module of the name of a changed one"]
    assert outcomes(TY, case({**PACKAGE, **excuse}, fault)) == {}


def test_a_new_package_of_stubs_excuses_no_module_of_python(case):
    stubs = {f"{name.removesuffix('.pyi')}-stubs/__init__.pyi": text for name, text in STUBS.items()}
    assert outcomes(TY, case(PACKAGE, {"app.py": WRONG, **stubs})) == {"app.py": "found"}


def test_a_new_empty_stub_of_a_module_of_python_takes_nothing_away(case):
    after = {"app.py": "import os\n\nprint(os.getcwd())\n", "os.pyi": ""}
    assert outcomes(TY, case(PACKAGE, after)) == {}
