"""Each operator, on code that it breaks and on code that it must leave alone."""

import pytest
from grounds import BY_NAME, changed_lines, ground_of, mutants_of

# operator, file, code, the line as it was, the line with the bug
BROKEN = [
    (
        "moved_boundary",
        "a.py",
        "def f(n, most):\n    if n < most:\n        go()\n",
        "if n < most:",
        "if n <= most:",
    ),
    (
        "moved_boundary",
        "a.ts",
        "if (n >= most) { go() }\n",
        "if (n >= most) { go() }",
        "if (n > most) { go() }",
    ),
    ("reversed_comparison", "a.py", "if x is None:\n    go()\n", "if x is None:", "if x is not None:"),
    ("reversed_comparison", "a.py", "if x not in known:\n    go()\n", "if x not in known:", "if x in known:"),
    ("reversed_comparison", "a.js", "if (a === b) go()\n", "if (a === b) go()", "if (a !== b) go()"),
    ("dropped_await", "a.py", "async def f():\n    await save(x)\n", "await save(x)", "save(x)"),
    (
        "dropped_await",
        "a.js",
        "async () => {\n  const y = await load(x)\n}\n",
        "const y = await load(x)",
        "const y = load(x)",
    ),
    ("removed_escape", "a.py", "page = html.escape(name)\n", "page = html.escape(name)", "page = name"),
    (
        "removed_escape",
        "a.ts",
        "f(`?q=${encodeURIComponent(q)}`)\n",
        "f(`?q=${encodeURIComponent(q)}`)",
        "f(`?q=${q}`)",
    ),
    (
        "swallowed_exception",
        "a.py",
        "try:\n    go()\nexcept OSError as error:\n    raise Broken() from error\n",
        "raise Broken() from error",
        "pass",
    ),
]


@pytest.mark.parametrize(("name", "path", "code", "before", "after"), BROKEN)
def test_an_operator_changes_this_line_into_that_one(
    name: str, path: str, code: str, before: str, after: str
) -> None:
    ground = ground_of(path, code)
    made = [changed_lines(mutant, ground) for mutant in mutants_of(name, path, code)]

    assert ([before], [after]) in made


# operator, file, code, the lines that are gone
REMOVED = [
    (
        "removed_guard",
        "a.py",
        "def f(x):\n    if x < 0:\n        raise ValueError(x)\n    return go(x)\n",
        ["if x < 0:", "raise ValueError(x)"],
    ),
    (
        "removed_guard",
        "a.js",
        "function f(x) {\n  if (x === null) return 0\n  return x.size\n}\n",
        ["if (x === null) return 0"],
    ),
]


@pytest.mark.parametrize(("name", "path", "code", "gone"), REMOVED)
def test_an_operator_takes_these_lines_away(name: str, path: str, code: str, gone: list[str]) -> None:
    (mutant,) = mutants_of(name, path, code)

    assert changed_lines(mutant, ground_of(path, code)) == (gone, [])


# What breaks nothing, or nothing that a reviewer could see, or does not compile: operator, file, code, why.
LEFT_ALONE = [
    ("moved_boundary", "a.py", "if x > most:\n    most = x\n", "equal values give the same either way"),
    ("moved_boundary", "a.py", "y = x if x < most else most\n", "equal values give the same either way"),
    (
        "moved_boundary",
        "a.py",
        "if time.time() > deadline:\n    go()\n",
        "an instant more makes no difference",
    ),
    ("moved_boundary", "a.py", "if len(xs) > most:\n    xs = sorted(xs)[\n        -most:\n    ]\n", "a cap"),
    ("moved_boundary", "a.js", "if (n > most) { name = name.slice(0, most) }\n", "a cap"),
    ("moved_boundary", "a.py", "if len(xs) > 0:\n    go(xs)\n", "nothing is done with nothing"),
    ("moved_boundary", "a.py", "xs.sort(key=lambda a: a.n < 3)\n", "the order of equal items is free"),
    ("reversed_comparison", "a.py", "logger.info('%s', a == b)\n", "a message"),
    ("reversed_comparison", "a.py", "assert a == b\n", "an assertion"),
    ("reversed_comparison", "a.py", "if TYPE_CHECKING:\n    x = a == b\n", "it never runs"),
    ("reversed_comparison", "a.py", "def __repr__(self):\n    return str(self.a == 1)\n", "for people only"),
    ("reversed_comparison", "a.py", 'if __name__ == "__main__":\n    go()\n', "an idiom"),
    ("reversed_comparison", "a.ts", "if (x !== undefined) { go(x.y) }\n", "the compiler narrows by it"),
    (
        "removed_guard",
        "a.py",
        "def f(xs):\n    if not xs:\n        return []\n    return [x for x in xs]\n",
        "a short cut",
    ),
    ("removed_guard", "a.py", "def f(x):\n    if x:\n        raise E\n", "the function would be empty"),
    (
        "removed_guard",
        "a.py",
        "def f(x):\n    if x:\n        raise E\n    else:\n        go()\n    stay()\n",
        "it has an else",
    ),
    ("dropped_await", "a.js", "async () => {\n  return await f()\n}\n", "the caller waits just as well"),
    ("dropped_await", "a.js", "await f()\n", "the program waits before it ends"),
    ("removed_escape", "a.py", "x = html.escape('a')\n", "a constant"),
    (
        "swallowed_exception",
        "a.ts",
        "function f(): number {\n  try {\n    return g()\n  } catch (e) {\n    throw e\n  }\n}\n",
        "a return would be missing",
    ),
]


@pytest.mark.parametrize(("name", "path", "code", "why"), LEFT_ALONE)
def test_an_operator_leaves_alone_what_would_be_no_bug(name: str, path: str, code: str, why: str) -> None:
    assert mutants_of(name, path, code) == [], why


def test_every_operator_is_tried_here() -> None:
    shown = {row[0] for row in (*BROKEN, *REMOVED)}

    assert shown == set(BY_NAME)


def test_only_lines_that_the_commit_wrote_are_broken() -> None:
    code = "x = 1\nif a == b:\n    go()\nif c == d:\n    go()\n"
    (mutant,) = mutants_of("reversed_comparison", "a.py", code, lines={1, 4, 5})

    assert mutant.line == 4


def test_a_bug_is_placed_where_it_stands_in_the_new_text() -> None:
    code = "def f(x):\n    go()\n    if x < 0:\n        raise ValueError(x)\n    return go(x)\n"
    (mutant,) = mutants_of("removed_guard", "a.py", code)

    assert (mutant.line, mutant.end_line) == (3, 3)
    assert mutant.text.decode().splitlines()[2] == "    return go(x)"


def test_a_check_of_a_permission_is_a_matter_of_security() -> None:
    code = "def f(user):\n    if not user.has_perm('x'):\n        raise Denied\n    return go(user)\n"
    (mutant,) = mutants_of("removed_guard", "a.py", code)

    assert mutant.category == "security"


def test_a_description_quotes_the_code() -> None:
    (mutant,) = mutants_of("reversed_comparison", "a.py", "if a == b:\n    go()\n")

    assert "`a == b`" in mutant.description
    assert "`!=`" in mutant.description
