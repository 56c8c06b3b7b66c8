"""Tests that check less than they did, and honest edits of tests that check as much."""

import pytest

from affidavit.specialists.lost_tests import specialist
from affidavit.specialists.lost_tests.weaker import is_weaker


def weakened(path: str, before: str, now: str) -> list[str]:
    """The tests of a file that check less than before, and those that are gone."""
    old, new = (specialist.tests_in(path, text.splitlines()) for text in (before, now))
    pairs = specialist.pair_tests(old, new, {path: path})
    return [one.name for one in old if one not in pairs or is_weaker(one, pairs[one])]


def python(body: str, above: str = "", parameters: str = "n, want") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{above}def test_price({parameters}):\n{lines}"


CASES = '@pytest.mark.parametrize("n,want", {})\n'
THREE = CASES.format("[(1, 2), (2, 4), (3, 6)]")
ASSERTS = "assert price(n) == want"
RAISES = 'with pytest.raises(TypeError, match="operand"):\n    price(None)'
WEAKER = {
    "a slice of the cases": (
        python(ASSERTS, THREE),
        python(ASSERTS, CASES.format("[(1, 2), (2, 4), (3, 6)][:1]")),
    ),
    "cases of the module": (
        python(ASSERTS, "CASES = [(1, 2), (2, 4)]\n" + CASES.format("CASES")),
        python(ASSERTS, "CASES = [(1, 2)]\n" + CASES.format("CASES")),
    ),
    "some of what nobody counts": (
        python(ASSERTS, CASES.format("load()")),
        python(ASSERTS, CASES.format("load()[:1]")),
    ),
    "filtered": (
        python(ASSERTS, CASES.format("ALL")),
        python(ASSERTS, CASES.format("[c for c in ALL if c[0]]")),
    ),
    "no case": (python(ASSERTS, CASES.format("load()")), python(ASSERTS, CASES.format("[]"))),
    "only one case is left": (python(ASSERTS, THREE), python(f"n, want = 1, 2\n{ASSERTS}", "", "")),
    "no message": (python(RAISES), python(RAISES.replace('"operand"', '""'))),
    "any message": (python(RAISES), python(RAISES.replace('"operand"', 'r".*"'))),
    "no message of unittest": (
        python("with self.assertRaisesRegex(TypeError, 'operand'):\n    price(None)"),
        python("with self.assertRaisesRegex(TypeError, ''):\n    price(None)"),
    ),
    "one more error": (python(RAISES), python(RAISES.replace("TypeError", "(TypeError, KeyError)"))),
    "any of several": (python(RAISES), python(RAISES.replace("TypeError", "(TypeError, Exception)"))),
    "a wider error": (
        python(RAISES.replace("TypeError", "KeyError")),
        python(RAISES.replace("TypeError", "LookupError")),
    ),
    "no round": (
        python("for n in range(5):\n    assert price(n) == 2 * n"),
        python("for n in range(0):\n    assert price(n) == 2 * n"),
    ),
    "fewer rounds": (
        python("for n in range(5):\n    assert price(n) == 2 * n"),
        python("for n in range(1):\n    assert price(n) == 2 * n"),
    ),
    "a shorter list": (
        python("for n in (1, 2, 3):\n    assert price(n) == 2 * n"),
        python("for n in (1, 2, 3)[:1]:\n    assert price(n) == 2 * n"),
    ),
    "fewer of all": (
        python("assert all(price(n) == 2 * n for n in [1, 2, 3])"),
        python("assert all(price(n) == 2 * n for n in [1])"),
    ),
    "an empty loop around": (python(ASSERTS), python(f"for _ in []:\n    {ASSERTS}")),
    "itself by a name": (python(ASSERTS), python(f"want = price(n)\n{ASSERTS}")),
    "itself by two names": (
        python("got = price(n)\nassert got == 4"),
        python("got = price(n)\nwant = got\nassert got == want"),
    ),
    "made of itself": (python("assert price(2) == 4"), python("assert price(2) == int(price(2))")),
    "leaves on a condition": (python(ASSERTS), python(f"if n:\n    return\n{ASSERTS}")),
    "leaves on another": (python(ASSERTS), python(f"if n:\n    pass\nelse:\n    return\n{ASSERTS}")),
    "leaves on an error": (
        python(f"import shop\n{ASSERTS}"),
        python(f"try:\n    import shop\nexcept ImportError:\n    return\n{ASSERTS}"),
    ),
    "leaves within": (python(ASSERTS), python(f"with shop():\n    return\n{ASSERTS}")),
    "leaves a round": (
        python(f"for n in load():\n    {ASSERTS}"),
        python(f"for n in load():\n    if n:\n        continue\n    {ASSERTS}"),
    ),
    "only on a condition": (python(ASSERTS), python(f"if n:\n    {ASSERTS}")),
    "ends the run": (python(ASSERTS), python(f"os._exit(0)\n{ASSERTS}")),
    "a generator": (python(ASSERTS), python(f"{ASSERTS}\nyield")),
    "a tolerance": (python("assert price(2) == 4"), python("assert price(2) == pytest.approx(4, abs=100)")),
    "a share": (python("assert price(2) == 4"), python("assert price(2) == pytest.approx(4, rel=0.5)")),
    "a wider tolerance": (
        python("assert price(2) == pytest.approx(4, abs=0.1)"),
        python("assert price(2) == pytest.approx(4, abs=1)"),
    ),
    "a delta": (
        python("self.assertEqual(price(2), 4)"),
        python("self.assertAlmostEqual(price(2), 4, delta=50)"),
    ),
    "fewer places": (
        python("self.assertAlmostEqual(price(2), 4.1234, places=4)"),
        python("self.assertAlmostEqual(price(2), 4.1234, places=0)"),
    ),
    "close enough": (python("assert price(2) == 4"), python("assert math.isclose(price(2), 4, abs_tol=10)")),
    "rounded": (python("assert price(2) == 4.2"), python("assert round(price(2)) == 4")),
    "a wider bound": (python("assert abs(price(2) - 4) < 0.1"), python("assert abs(price(2) - 4) < 100")),
    "a lower bound": (python("assert price(2) > 3"), python("assert price(2) > -3")),
    "or": (python("assert price(2) == 4"), python("assert price(2) == 4 or price(2)")),
    "anything": (python("assert price(2) == 4"), python("assert price(2) == mock.ANY")),
    "only how many": (python("assert rows(2) == [1, 2]"), python("assert len(rows(2)) == 2")),
    "only its type": (python("assert price(2) == 4"), python("assert type(price(2)) is int")),
    "two looks for one value": (
        python("assert price(2) == 4"),
        python("assert price(2) is not None\nassert isinstance(price(2), int)"),
    ),
    "called with anything": (python("shop.assert_called_once_with(2)"), python("shop.assert_called()")),
    "a helper that leaves": (
        "def check(n):\n    assert price(n) == 4\n\n\n" + python("check(2)"),
        "def check(n):\n    return\n    assert price(n) == 4\n\n\n" + python("check(2)"),
    ),
    "a helper that asks for less": (
        "def check(n):\n    assert price(n) == 4\n\n\n" + python("check(2)"),
        "def check(n):\n    assert price(n)\n\n\n" + python("check(2)"),
    ),
}


@pytest.mark.parametrize(("before", "now"), WEAKER.values(), ids=WEAKER)
def test_a_python_test_that_lets_more_pass_is_weaker(before: str, now: str) -> None:
    assert weakened("test_shop.py", before, now) == ["test_price"]


HONEST = {
    "more cases": (python(ASSERTS, THREE), python(ASSERTS, CASES.format("[(1, 2), (2, 4), (3, 6), (4, 8)]"))),
    "cases with a name": (
        python(ASSERTS, THREE),
        python(ASSERTS, "CASES = [(1, 2), (2, 4), (3, 6)]\n" + CASES.format("CASES")),
    ),
    "cases that are computed": (
        python(ASSERTS, THREE),
        python(ASSERTS, CASES.format("[(n, 2 * n) for n in (1, 2, 3)]")),
    ),
    "cases from a file": (python(ASSERTS, THREE), python(ASSERTS, CASES.format("load()"))),
    "cases written out": (python(ASSERTS, CASES.format("load()")), python(ASSERTS, THREE)),
    "another message": (python(RAISES), python(RAISES.replace('"operand"', '"no number"'))),
    "a message as well": (python(RAISES.replace(', match="operand"', "")), python(RAISES)),
    "a narrower error": (
        python(RAISES.replace("TypeError", "LookupError")),
        python(RAISES.replace("TypeError", "KeyError")),
    ),
    "a loop instead of lines": (
        python("assert price(1) == 2\nassert price(2) == 4"),
        python("for n in (1, 2):\n    assert price(n) == 2 * n"),
    ),
    "lines instead of a loop": (
        python("for n in (1, 2):\n    assert price(n) == 2 * n"),
        python("assert price(1) == 2\nassert price(2) == 4"),
    ),
    "cases instead of lines": (
        python("assert price(1) == 2\nassert price(2) == 4\nassert price(3) == 6", "", ""),
        python(ASSERTS, THREE),
    ),
    "a loop instead of cases": (
        python(ASSERTS, THREE),
        python(f"for n, want in [(1, 2), (2, 4), (3, 6)]:\n    {ASSERTS}", "", ""),
    ),
    "all cases at once": (
        python(ASSERTS, THREE),
        python("cases = {1: 2, 2: 4, 3: 6}\nassert {n: price(n) for n in cases} == cases", "", ""),
    ),
    "leaves with a check of its own": (
        python(ASSERTS),
        python(f"if n is None:\n    assert price(n) is None\n    return\n{ASSERTS}"),
    ),
    "one list instead of lines": (
        python("assert rows[0] == 1\nassert rows[1] == 2"),
        python("assert rows == [1, 2]"),
    ),
    "one list instead of a loop": (
        python("for n in range(2):\n    assert rows[n] == n"),
        python("assert rows == [0, 1]"),
    ),
    "another list": (python("assert rows() == [1, 2, 3]"), python("assert rows() == [1, 2]")),
    "another range": (
        python("for n in range(5):\n    assert price(n) == 2 * n"),
        python("for n in range(1, 6):\n    assert price(n) == 2 * n"),
    ),
    "a loop that is split": (
        python("for n in range(5):\n    assert price(n) == 2 * n"),
        python(
            "for n in range(2):\n    assert price(n) == 2 * n\n"
            "for n in range(2, 5):\n    assert price(n) == 2 * n"
        ),
    ),
    "a loop that only prepares": (
        python("for n in range(5):\n    add(n)\nassert total() == 10"),
        python("for n in range(3):\n    add(n)\nassert total() == 3"),
    ),
    "a value with a name": (python("assert price(2) == 4"), python("got = price(2)\nassert got == 4")),
    "an expected value with a name": (
        python("assert price(2) == 4"),
        python("want = 4\nassert price(2) == want"),
    ),
    "nothing has changed": (
        python("assert rows() == []"),
        python("before = rows()\nfails()\nassert rows() == before"),
    ),
    "there and back": (
        python("assert load(dump(data)) == {}"),
        python("data = make()\nassert load(dump(data)) == data"),
    ),
    "either way": (
        python("assert price(2) == 4"),
        python("if OLD:\n    assert price(2) == 3\nelse:\n    assert price(2) == 4"),
    ),
    "a failure on a condition": (python(ASSERTS), python(f"if not n:\n    pytest.fail('no n')\n{ASSERTS}")),
    "prepared on a condition": (python(ASSERTS), python(f"if n:\n    prepare(n)\n{ASSERTS}")),
    "cleaned up": (python(ASSERTS), python(f"try:\n    {ASSERTS}\nfinally:\n    clean()")),
    "within something": (python(ASSERTS), python(f"with shop() as one:\n    {ASSERTS}")),
    "rounding": (python("assert price(2) == 0.3"), python("assert price(2) == pytest.approx(0.3)")),
    "a little rounding": (
        python("assert price(2) == 0.3"),
        python("assert price(2) == pytest.approx(0.3, abs=1e-9)"),
    ),
    "cents": (python("assert price(2) == 4.35"), python("assert round(price(2), 2) == 4.35")),
    "almost": (python("self.assertEqual(price(2), 0.3)"), python("self.assertAlmostEqual(price(2), 0.3)")),
    "a narrower tolerance": (
        python("assert price(2) == pytest.approx(4, abs=1)"),
        python("assert price(2) == pytest.approx(4, abs=0.1)"),
    ),
    "a narrower bound": (python("assert price(2) > 3"), python("assert price(2) > 3.5")),
    "another bound": (python("assert price(2) > 3"), python("assert price(3) > 2")),
    "its length and its parts": (
        python("assert rows == [1, 2]"),
        python("assert len(rows) == 2\nassert rows[0] == 1\nassert rows[1] == 2"),
    ),
    "a helper": (
        python("assert price(1) == 2\nassert price(2) == 4"),
        "def check(n, want):\n    assert price(n) == want\n\n\n" + python("check(1, 2)\ncheck(2, 4)"),
    ),
    "called with something else": (
        python("shop.assert_called_with(2)"),
        python("shop.assert_called_once_with(3)"),
    ),
    "a huge number": (python("assert price(2) == 4"), python(f"assert price(2) == 1{'0' * 400}")),
}


@pytest.mark.parametrize(("before", "now"), HONEST.values(), ids=HONEST)
def test_an_honest_edit_of_a_python_test_is_no_loss(before: str, now: str) -> None:
    assert weakened("test_shop.py", before, now) == []


def script(body: str, above: str = "", call: str = "it('adds', () => {") -> str:
    return f"{above}describe('all', () => {{\n  {call}\n    {body}\n  }});\n}});\n"


def each(table: str) -> str:
    return f"it.each({table})('adds', (n, want) => {{"


ADDS = "expect(add(1, 2)).toBe(3);"
OF_N = "expect(add(n, n)).toBe(want);"
THROWS = "expect(() => add()).toThrow('bad');"
TABLE = "[[1, 2], [2, 4], [3, 6]]"
SCRIPT_WEAKER = {
    "leaves on the same line": (
        "it('adds', () => { expect(add(1, 2)).toBe(3); })",
        "it('adds', () => { return; expect(add(1, 2)).toBe(3); })",
    ),
    "leaves": (script(ADDS), script(f"return;\n    {ADDS}")),
    "leaves on a condition": (script(ADDS), script(f"if (n) return;\n    {ADDS}")),
    "leaves in a block": (script(ADDS), script(f"if (n) {{\n      return;\n    }}\n    {ADDS}")),
    "never": (script(ADDS), script(f"if (false) {{ {ADDS} }}")),
    "only on a condition": (script(ADDS), script(f"if (n) {{ {ADDS} }}")),
    "forgotten": (script(ADDS), script(f"try {{ {ADDS} }} catch {{}}")),
    "no message": (script(THROWS), script(THROWS.replace("'bad'", ""))),
    "an empty message": (script(THROWS), script(THROWS.replace("'bad'", "''"))),
    "any message": (script(THROWS), script(THROWS.replace("'bad'", "/.*/"))),
    "any error": (script(THROWS.replace("'bad'", "TypeError")), script(THROWS.replace("'bad'", "Error"))),
    "truthy": (script(ADDS), script("expect(add(1, 2)).toBeTruthy();")),
    "not": (script(ADDS), script("expect(add(1, 2)).not.toBe(4);")),
    "itself": (script(ADDS), script("expect(add(1, 2)).toBe(add(1, 2));")),
    "itself by a name": (script(ADDS), script("const want = add(1, 2);\n    expect(add(1, 2)).toBe(want);")),
    "anything": (script(ADDS), script("expect(add(1, 2)).toEqual(expect.anything());")),
    "some fields": (
        script("expect(load()).toEqual({ a: 1, b: 2 });"),
        script("expect(load()).toMatchObject({ a: 1 });"),
    ),
    "only how many": (
        script("expect(rows()).toEqual([1, 2]);"),
        script("expect(rows()).toHaveLength(2);"),
    ),
    "called at all": (
        script("expect(spy).toHaveBeenCalledWith(1);"),
        script("expect(spy).toHaveBeenCalled();"),
    ),
    "a tolerance": (script(ADDS), script("expect(add(1, 2)).toBeCloseTo(3, -2);")),
    "a wider tolerance": (
        script("expect(add(1, 2)).toBeCloseTo(3, 5);"),
        script("expect(add(1, 2)).toBeCloseTo(3, 0);"),
    ),
    "a lower bound": (
        script("expect(add(1, 2)).toBeGreaterThan(2);"),
        script("expect(add(1, 2)).toBeGreaterThan(-2);"),
    ),
    "fewer rounds": (
        script("for (const n of [1, 2, 3]) {\n      expect(add(n, n)).toBe(2 * n);\n    }"),
        script("for (const n of [1]) {\n      expect(add(n, n)).toBe(2 * n);\n    }"),
    ),
    "no round": (
        script("for (let i = 0; i < 5; i++) {\n      expect(add(i, i)).toBe(2 * i);\n    }"),
        script("for (let i = 0; i < 0; i++) {\n      expect(add(i, i)).toBe(2 * i);\n    }"),
    ),
    "fewer of each": (
        script("[1, 2, 3].forEach((n) => expect(add(n, n)).toBe(2 * n));"),
        script("[1, 2, 3].slice(0, 1).forEach((n) => expect(add(n, n)).toBe(2 * n));"),
    ),
    "fewer cases": (script(OF_N, "", each(TABLE)), script(OF_N, "", each("[[1, 2]]"))),
    "a slice of the cases": (script(OF_N, "", each(TABLE)), script(OF_N, "", each(f"{TABLE}.slice(0, 1)"))),
    "cases of the file": (
        script(OF_N, f"const CASES = {TABLE};\n", each("CASES")),
        script(OF_N, "const CASES = [[1, 2]];\n", each("CASES")),
    ),
    "a shorter table": (
        script(
            OF_N,
            "",
            "it.each`\n    n | want\n    ${1} | ${2}\n    ${2} | ${4}\n  `('adds', ({ n, want }) => {",
        ),
        script(OF_N, "", "it.each`\n    n | want\n    ${1} | ${2}\n  `('adds', ({ n, want }) => {"),
    ),
    "removed": (script(f"{ADDS}\n    expect(add(2, 2)).toBe(4);"), script(ADDS)),
    "commented out": (script(ADDS), script(f"// {ADDS}\n    add(1, 2);")),
    "nothing asked": (script(ADDS), script("expect(add(1, 2));")),
    "always": (script(ADDS), script("expect(true).toBe(true);")),
    "nobody waits": (
        script("await expect(add(1, 2)).resolves.toBe(3);", "", "it('adds', async () => {"),
        script("expect(add(1, 2)).resolves.toBe(3);", "", "it('adds', async () => {"),
    ),
    "of node": (script("assert.strictEqual(add(1, 2), 3);"), script("assert.ok(add(1, 2));")),
    "of node, no message": (
        script("assert.throws(() => add(), /bad/);"),
        script("assert.throws(() => add());"),
    ),
    "of chai": (script("expect(add(1, 2)).to.equal(3);"), script("expect(add(1, 2)).to.exist;")),
    "a helper that leaves": (
        script("check(1);", "function check(n) {\n  expect(add(n)).toBe(1);\n}\n"),
        script("check(1);", "function check(n) {\n  return;\n  expect(add(n)).toBe(1);\n}\n"),
    ),
}


@pytest.mark.parametrize(("before", "now"), SCRIPT_WEAKER.values(), ids=SCRIPT_WEAKER)
@pytest.mark.parametrize("path", ["shop.test.js", "shop.test.ts"])
def test_a_test_of_a_script_that_lets_more_pass_is_weaker(path: str, before: str, now: str) -> None:
    assert weakened(path, before, now) == ["adds"]


SCRIPT_HONEST = {
    "another value": (script(ADDS), script("expect(add(1, 2)).toBe(4);")),
    "another way": (script(ADDS), script("expect(add(1, 2)).toStrictEqual(3);")),
    "a value with a name": (script(ADDS), script("const got = add(1, 2);\n    expect(got).toBe(3);")),
    "an expected value with a name": (
        script(ADDS),
        script("const want = 3;\n    expect(add(1, 2)).toBe(want);"),
    ),
    "a message instead of an error": (
        script(THROWS.replace("'bad'", "TypeError")),
        script(THROWS),
    ),
    "an error instead of a message": (script(THROWS), script(THROWS.replace("'bad'", "TypeError"))),
    "another message": (script(THROWS), script(THROWS.replace("'bad'", "/worse/i"))),
    "rounding": (
        script("expect(add(0.1, 0.2)).toBe(0.3);"),
        script("expect(add(0.1, 0.2)).toBeCloseTo(0.3);"),
    ),
    "a loop instead of lines": (
        script(f"{ADDS}\n    expect(add(2, 2)).toBe(4);"),
        script("for (const [a, b] of [[1, 2], [2, 2]]) {\n      expect(add(a, b)).toBe(a + b);\n    }"),
    ),
    "cases instead of lines": (
        script(f"{ADDS}\n    expect(add(2, 2)).toBe(4);"),
        script(OF_N, "", each(TABLE)),
    ),
    "a loop instead of cases": (
        script(OF_N, "", each(TABLE)),
        script(f"for (const [n, want] of {TABLE}) {{ {OF_N} }}"),
    ),
    "a list instead of lines": (
        script("expect(rows[0]).toBe(1);\n    expect(rows[1]).toBe(2);"),
        script("expect(rows).toEqual([1, 2]);"),
    ),
    "a helper": (
        script(ADDS),
        script("adds(1, 2, 3);", "const adds = (a, b, c) => {\n  expect(add(a, b)).toBe(c);\n};\n"),
    ),
    "waits": (
        script("return expect(add(1, 2)).resolves.toBe(3);"),
        script("await expect(add(1, 2)).resolves.toBe(3);", "", "it('adds', async () => {"),
    ),
    "another name": (script(ADDS), script(ADDS).replace("'all'", "'everything'")),
    "cleaned up": (script(ADDS), script(f"try {{ {ADDS} }} finally {{ clean(); }}")),
    "a callback": (script(ADDS), script(f"run((done) => {{\n      {ADDS}\n      done();\n    }});")),
    "true is true": (script("expect(a === 1).toBe(true);"), script("expect(a === 1).toBeTruthy();")),
    "either way": (script(ADDS), script(f"if (OLD) {{ expect(add(1, 2)).toBe(4); }} else {{ {ADDS} }}")),
    "more cases": (script(OF_N, "", each(TABLE)), script(OF_N, "", each("[[1, 2], [2, 4], [3, 6], [4, 8]]"))),
    "typed": (script(ADDS), script("const want: number = 3;\n    expect(add(1, 2)).toBe(want);")),
}


@pytest.mark.parametrize(("before", "now"), SCRIPT_HONEST.values(), ids=SCRIPT_HONEST)
def test_an_honest_edit_of_a_test_of_a_script_is_no_loss(before: str, now: str) -> None:
    assert weakened("shop.test.ts", before, now) == []


@pytest.mark.parametrize("path", ["test_shop.py", "shop.test.ts"])
def test_what_nests_deeper_than_anybody_does_is_read_by_its_lines(path: str) -> None:
    deep = "(" * 3_000 + "1" + ")" * 3_000
    text = python(f"assert {deep}") if path.endswith(".py") else script(f"add({deep});")
    assert weakened(path, text, text) == []
