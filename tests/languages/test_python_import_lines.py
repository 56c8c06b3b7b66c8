"""Reading lines and reading the syntax tree come to the same imports, or the lines are left to the tree."""

import ast
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.languages.grammars import parse
from affidavit.languages.language import Statement
from affidavit.languages.python import GRAMMAR, extract_python, read_lines
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


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=examples(400), deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
def test_lines_are_read_as_python_reads_them_or_not_at_all(text: str) -> None:
    expected = python_imports(text)
    read = read_lines(text.encode())
    if read is not None and expected is not None:
        assert without_lines([(each.line, each.name, each.names) for each in read]) == without_lines(expected)


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
def test_lines_and_tree_agree_where_the_tree_has_no_error(text: str) -> None:
    read, root = read_lines(text.encode()), parse(GRAMMAR, text.encode())
    if read is not None and root is not None and not root.has_error and python_imports(text) is not None:
        assert tuple(read) == extract_python(GRAMMAR, root, text.encode()).statements


@given(st.text(alphabet="import from\n\"'#\\.,()*as;:ab\r\t", max_size=200))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_read_without_an_error(text: str) -> None:
    read = read_lines(text.encode())
    assert read is None or all(isinstance(each, Statement) and each.line >= 1 for each in read)


@pytest.mark.parametrize("package", ["hypothesis", "rich", "click", "_pytest"])
def test_lines_and_tree_agree_on_real_packages(package: str) -> None:
    module = pytest.importorskip(package)
    files = sorted(Path(module.__file__).parent.rglob("*.py"))[:60]
    texts = {file: file.read_bytes() for file in files if file.stat().st_size < 60_000}
    read = {file: found for file, text in texts.items() if (found := read_lines(text)) is not None}
    # Hardly any file needs a tree: that is what makes it fast.
    assert len(read) >= len(texts) * 0.9
    for file, found in read.items():
        root = parse(GRAMMAR, texts[file])
        assert root is not None
        assert tuple(found) == extract_python(GRAMMAR, root, texts[file]).statements, file
