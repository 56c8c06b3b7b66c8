"""The imports of a module are those that Python's own parser finds."""

import ast
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.languages.grammars import parse
from affidavit.languages.python import GRAMMAR, extract_python
from long_tests import examples

PIECES = st.sampled_from(
    [
        *(
            "import a\n",
            "import a.b as c, d\n",
            "from a import b\n",
            "from . import b as c, d\n",
            "from .a import (b,\n  c)\n",
        ),
        *(
            "from a import (  # import z\n    b,  # )\n    c,\n)\n",
            "from a import *\n",
            "from a \\\n  import b\n",
        ),
        *("import a; import b\n", "x = 1; from a import b\n", "if x: import a\n", "if x:\n    import a\n"),
        *(
            "try:\n    from a import b\nexcept E:\n    pass\n",
            "def f():\n    import a  # import b\n",
            "class A:\n    import a\n",
        ),
        *(
            '"""import a\nimport b\n"""\n',
            "'''\nfrom a import b\n'''\n",
            'x = "import a"\n',
            "# import a\n",
            "#: import a\n",
        ),
        *(
            'x = \'"""\'\n',
            "y = \"'''\"\n",
            '# """\n',
            "z = '''a''' + \"\"\"\nimport a\n\"\"\"\n",
            'r"""\\"""\n',
            '"""\\""" import a"""\n',
        ),
        *(
            's = "\\\nimport a"\n',
            "importlib.import_module('a')\n",
            "important = 1\n",
            "f(\n  'x: import a')\n",
            "raise A from b\n",
        ),
        *(
            "import a\r\n",
            "from a import b;\n",
            "import a as b\n",
            "\timport a\n",
            "x = f'''{a}\nimport a\n'''\n",
            "\n",
            "pass\n",
        ),
        *(
            "print('''it's''')\n",
            "''''import a'''\n",
            "x = [\n'''\nimport a\n''', \"\"\"b\"\"\"]\n",
            "import größe\n",
            "from größe import a\n",
        ),
    ]
)


def python_imports(text: str) -> list[tuple[int, str, tuple[str, ...]]] | None:
    """What Python's own parser says, where it understands the text."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return None
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            found.append((node.lineno, name, tuple(alias.name for alias in node.names)))
    return sorted(found)


def without_lines(found: list[tuple[int, str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    return sorted((name, names) for _, name, names in found)


def extracted(text: bytes) -> list[tuple[str, tuple[str, ...]]]:
    found = extract_python(GRAMMAR, text)
    assert found is not None
    return sorted((one.name, one.names) for one in found.statements)


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=examples(400), deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
def test_imports_are_read_as_python_reads_them(text: str) -> None:
    expected, root = python_imports(text), parse(GRAMMAR, text.encode())
    if expected is not None and root is not None and not root.has_error:
        assert extracted(text.encode()) == without_lines(expected)


@given(st.text(alphabet="import from\n\"'#\\.,()*as;:ab\r\t", max_size=200))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = extract_python(GRAMMAR, text.encode())
    assert found is not None
    assert all(each.line >= 1 for each in found.statements)


@pytest.mark.parametrize("package", ["hypothesis", "rich", "click", "_pytest"])
def test_imports_of_real_packages_are_those_that_python_finds(package: str) -> None:
    module = pytest.importorskip(package)
    files = sorted(Path(module.__file__).parent.rglob("*.py"))[:60]
    for file in [one for one in files if one.stat().st_size < 60_000]:
        expected = python_imports(file.read_text("utf-8"))
        assert expected is not None
        assert extracted(file.read_bytes()) == without_lines(expected), file
