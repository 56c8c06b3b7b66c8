"""Python imports, on small repositories."""

import pytest

from import_edges import Graph, taken, targets


def test_every_form_of_import_names_what_it_takes(graph: Graph) -> None:
    found = graph(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/b.py": "",
            "pkg/main.py": """\
import pkg.a
import pkg.a as x, pkg.sub.b
from pkg import a, helper
from .sub import b as c, thing
from . import a
from .. import nothing
from pkg.a import *
from pkg.sub.b import (
    one,  # import two
    three as four,
)
from pkg \\
    import a
import os; import pkg.a
""",
        }
    )
    assert taken(found, "pkg/main.py") == [
        ("pkg.a", "pkg/a.py", ()),
        ("pkg.a", "pkg/a.py", ()),
        ("pkg.sub.b", "pkg/sub/b.py", ()),
        ("pkg", "pkg/__init__.py", ("helper",)),
        ("pkg", "pkg/a.py", ("a",)),
        (".sub", "pkg/sub/__init__.py", ("thing",)),
        (".sub", "pkg/sub/b.py", ("b",)),
        (".", "pkg/a.py", ("a",)),
        ("..", None, ("nothing",)),
        ("pkg.a", "pkg/a.py", ("*",)),
        ("pkg.sub.b", "pkg/sub/b.py", ("one", "three")),
        ("pkg", "pkg/a.py", ("a",)),
        ("os", None, ()),
        ("pkg.a", "pkg/a.py", ()),
    ]


def test_what_is_no_import_is_not_taken_for_one(graph: Graph) -> None:
    text = '''\
"""Use it so:

    import a
from a import b
"""
# import a
x = "import a"; y = 'x: import a'
z = f(
    """
import a
""", 'it''s', r"""\\""")
importlib.import_module(name)
s = "\\
import a"
'''
    assert graph({"a.py": "", "m.py": text}).imports_of("m.py") == ()


def test_a_re_export_leads_from_the_user_through_the_package_to_the_module(graph: Graph) -> None:
    found = graph(
        {
            "pkg/__init__.py": "from .core import helper\n",
            "pkg/core.py": "def helper(): ...\n",
            "app.py": "from pkg import helper\n",
        }
    )
    assert targets(found, "app.py") == ["pkg/__init__.py"]
    assert [each.path for each in found.importers_of("pkg/core.py")] == ["pkg/__init__.py"]


def test_a_source_layout_is_found_from_its_tests(graph: Graph) -> None:
    found = graph(
        {
            "pyproject.toml": "",
            "src/pkg/__init__.py": "",
            "src/pkg/a.py": "",
            "src/single.py": "",
            "tests/test_a.py": "from pkg.a import x\nimport single\nimport conftest\n",
            "tests/conftest.py": "",
        }
    )
    assert targets(found, "tests/test_a.py") == ["src/pkg/a.py", "src/single.py", "tests/conftest.py"]


def test_several_projects_of_a_repository_see_their_own_modules_first(graph: Graph) -> None:
    found = graph(
        {
            "one/pyproject.toml": "",
            "one/app/__init__.py": "",
            "one/app/models.py": "",
            "one/app/main.py": "from app.models import M\nimport shared.tool\n",
            "two/pyproject.toml": "",
            "two/app/__init__.py": "",
            "two/app/models.py": "",
            "two/app/main.py": "from app.models import M\n",
            "libs/shared/setup.py": "",
            "libs/shared/src/shared/__init__.py": "",
            "libs/shared/src/shared/tool.py": "",
        }
    )
    assert targets(found, "one/app/main.py") == ["one/app/models.py", "libs/shared/src/shared/tool.py"]
    assert targets(found, "two/app/main.py") == ["two/app/models.py"]


def test_namespace_packages_need_no_init_file(graph: Graph) -> None:
    found = graph(
        {
            "src/org/alpha/__init__.py": "",
            "src/org/alpha/a.py": "from org.beta.b import x\nfrom org.beta import b\n"
            "import org.beta\nfrom ..beta import b\n",
            "src/org/beta/b.py": "",
        }
    )
    assert targets(found, "src/org/alpha/a.py") == [
        "src/org/beta/b.py",
        "src/org/beta/b.py",
        None,
        "src/org/beta/b.py",
    ]


def test_a_neighbour_in_a_package_is_not_an_absolute_import(graph: Graph) -> None:
    found = graph({"pkg/__init__.py": "", "pkg/json.py": "", "pkg/main.py": "import json\n"})
    assert targets(found, "pkg/main.py") == [None]


def test_a_script_finds_its_neighbours(graph: Graph) -> None:
    found = graph({"tools/a.py": "", "tools/run.py": "import a\n"})
    assert targets(found, "tools/run.py") == ["tools/a.py"]


def test_a_package_of_the_tests_is_not_what_the_sources_mean(graph: Graph) -> None:
    found = graph(
        {
            "src/pkg/__init__.py": "import utils\n",
            "tests/utils/__init__.py": "",
            "tests/test_x.py": "import utils\n",
        }
    )
    assert targets(found, "src/pkg/__init__.py") == [None]
    assert targets(found, "tests/test_x.py") == ["tests/utils/__init__.py"]


def test_stubs_stand_in_where_there_is_no_module(graph: Graph) -> None:
    found = graph({"a.pyi": "import b\n", "b.py": "", "b.pyi": "", "m.py": "import a\nimport b\n"})
    assert targets(found, "m.py") == ["a.pyi", "b.py"]
    assert targets(found, "a.pyi") == ["b.py"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_as_they_like(graph: Graph, end: str) -> None:
    found = graph({"a.py": "", "m.py": end.join(["x = 1", "import a", "from a import b", ""])})
    assert targets(found, "m.py") == ["a.py", "a.py"]


def test_a_mark_of_byte_order_and_names_beyond_ascii_are_read(graph: Graph) -> None:
    found = graph({"größe.py": "", "m.py": "\ufeffimport größe\nfrom größe import länge\n"})
    assert taken(found, "m.py") == [("größe", "größe.py", ()), ("größe", "größe.py", ("länge",))]


def test_imports_beside_a_syntax_error_are_still_found(graph: Graph) -> None:
    found = graph({"a.py": "", "m.py": 'import a\ndef (:\n  """ x\nfrom a import b\n'})
    assert targets(found, "m.py")[0] == "a.py"


def test_a_name_of_the_standard_library_is_not_looked_for_in_other_projects(graph: Graph) -> None:
    found = graph(
        {
            "libs/own/setup.py": "",
            "libs/own/logging/__init__.py": "",
            "libs/own/telemetry/__init__.py": "",
            "app/main.py": "import logging\nimport telemetry\n",
        }
    )
    assert targets(found, "app/main.py") == [None, "libs/own/telemetry/__init__.py"]
