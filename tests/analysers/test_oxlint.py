"""Oxlint: JavaScript and TypeScript that fails, and nothing about style."""

from affidavit.analysers.oxlint import OXLINT

PLANTED = """\
const total = 1;
total = 2;
export function check(value: number) {
  if (value === NaN) { return { a: 1, a: 2 }; }
  for (let i = 0; i < 10; i--) { debugger; }
  new Error("not thrown");
  return "x".replaceAll(/x/, "y");
}
"""
HARMLESS = """\
import { unused } from "./b";
var old = 1
export const loose = (x: any) => { if (x == null) { console.log(old) } else { } };
let match; const pattern = /a/g;
while ((match = pattern.exec("aa"))) { loose(match!) }
export async function run() { for (const a of [1]) { await a; } }
while (true) { break }
"""


def test_planted_faults_are_found(case, ask):
    found = ask(OXLINT, case({"x": ""}, {"web/a.ts": PLANTED}))
    assert {(finding["rule_id"].removeprefix("oxlint/"), finding["line"]) for finding in found} == {
        ("eslint/no-const-assign", 2),
        ("eslint/use-isnan", 4),
        ("eslint/no-dupe-keys", 4),
        ("eslint/for-direction", 5),
        ("eslint/no-debugger", 5),
        ("oxc/missing-throw", 6),
        ("oxc/bad-replace-all-arg", 7),
    }


def test_style_draws_nothing(case, ask):
    assert ask(OXLINT, case({"x": ""}, {"web/a.ts": HARMLESS, "b.mjs": "export default 1\n"})) == []


def test_components_and_tests_are_read(case, ask):
    component = """\
import { useState } from "react";
export function Page({ gone }) {
  if (gone) { return null; }
  const [open] = useState(false);
  return <a href="1" href="2">{open}</a>;
}
"""
    files = {"page.jsx": component, "page.test.js": 'it.only("works", () => {});\n'}
    found = ask(OXLINT, case({"x": ""}, files))
    assert {(finding["rule_id"], finding["line"]) for finding in found} == {
        ("oxlint/react/rules-of-hooks", 4),
        ("oxlint/react/jsx-no-duplicate-props", 5),
        ("oxlint/jest/no-focused-tests", 1),
    }


def test_hooks_of_other_libraries_draw_nothing(case, ask):
    # honojs/hono 28a9c128912d, src/jsx/components.ts:61.
    text = """\
import { useContext } from "hono/jsx";
export const Page = async ({ gone }) => {
  if (gone) { return null; }
  return useContext(gone);
};
"""
    assert ask(OXLINT, case({"x": ""}, {"page.tsx": text})) == []


def test_a_hook_that_is_only_called_from_an_unusual_place_draws_nothing(case, ask):
    # preactjs/preact f6c6cda581e1, debug/test/browser/debug-hooks.test.jsx:99.
    text = """\
import { useEffect, useState } from "preact/hooks";
export function Foo(props) {
  useEffect(() => { useState(); });
  return props.children;
}
"""
    assert ask(OXLINT, case({"x": ""}, {"page.jsx": text})) == []


def test_a_file_that_does_not_parse_is_critical_unless_it_never_did(case, ask):
    before = {"b.js": "const = 1;\n"}
    after = {"a.js": "const = ;\n", "b.js": "const = 2;\nlet = ;\n"}
    found = ask(OXLINT, case(before, after))
    assert [(finding["file"], finding["severity"]) for finding in found] == [("a.js", "critical")]


def test_what_the_base_commit_turns_off_is_off(case, ask):
    rules = '"no-debugger": "off", "eslint/use-isnan": ["off"], "no-dupe-keys": 0'
    off = f'{{"rules": {{{rules}}}, "ignorePatterns": ["old/**"]}}'
    found = ask(OXLINT, case({".oxlintrc.json": off}, {"a.ts": PLANTED, "old/a.ts": PLANTED}))
    assert {(finding["file"], finding["line"]) for finding in found} == {("a.ts", n) for n in (2, 5, 6, 7)}


def test_a_base_configuration_that_is_no_json_is_passed_over(case, ask):
    assert len(ask(OXLINT, case({".oxlintrc.json": "// comment\n{"}, {"a.ts": PLANTED}))) == 7


def test_an_assignment_in_a_condition_counts_unless_it_keeps_what_is_tested(case, ask):
    text = """\
let a, b, m;
if (a = b) { m = 1; }
if (a = 5) { m = 2; }
if (m = a.match(/x/)) { b = m; }
while (m = b.exec(a)) { b = m; }
while (a = a.parent) { b = a; }
if (m = find(a)) { b = m; }
"""
    found = ask(OXLINT, case({"x": ""}, {"a.js": text}))
    assert [finding["line"] for finding in found] == [2, 3]


def test_text_that_is_written_where_it_is_evaluated_is_harmless(case, ask):
    # SCons/scons f544c9944e1a, SCons/Tool/docbook/docbook-xsl-1.76.1/slides/browser/xbDebug.js:192.
    text = "export function f(a) {\n  eval('this');\n  eval('a' + a);\n  return eval(a);\n}\n"
    assert [finding["line"] for finding in ask(OXLINT, case({"x": ""}, {"a.js": text}))] == [3, 4]
