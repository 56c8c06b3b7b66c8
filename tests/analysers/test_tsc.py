"""TypeScript: type errors that the change brings, and nothing that types of packages would settle."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from affidavit.analysers.engine.analyser import Printed
from affidavit.analysers.engine.execution import has_walls
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.tsc import TSC, read_tsc_files
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from page import WEB, build

pytestmark = pytest.mark.skipif(not has_walls(), reason="this system has no sandbox")
STRICT = '{"compilerOptions": {"strict": true}}\n'
OTHERS_OFF = ("hadolint", "kingfisher", "ruff", "shellcheck", "ty", "yamllint", "zizmor")


@pytest.fixture(scope="module")
def compiler() -> Path:
    """The compiler that builds our own page, as a user's."""
    build()
    program = WEB / "node_modules" / ".bin" / "tsc"
    if not program.exists():
        pytest.skip("the packages of the page are not installed")
    return program


@pytest.fixture
def tsc(compiler: Path):
    return replace(TSC, executable=str(compiler))


def rules(found) -> list[tuple[str, int]]:
    return [(one["rule_id"].removeprefix("tsc/"), one["line"]) for one in found]


def reviewed(one, program: str | None) -> Report:
    settings = Settings(analysers_off=OTHERS_OFF, typescript_server=program)
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


def test_errors_that_the_change_brings_are_found_and_older_ones_are_not(case, ask, tsc):
    old = "export const old: number = 'a';\n"
    new = (
        "import { gone } from './money';\n"
        "export function f(x: number): string {\n  return x;\n}\n"
        "f(1, 2);\n"
        "({ a: 1 }).b;\n"
        "undefd();\n"
        "export const fine = [1, 2].map((one) => one.toFixed(2));\n"
    )
    before = {"tsconfig.json": STRICT, "a.ts": old, "money.ts": "export const kept = 1;\n"}
    found = ask(tsc, case(before, {"a.ts": old + new}))
    assert rules(found) == [("TS2305", 2), ("TS2322", 4), ("TS2554", 6), ("TS2339", 7), ("TS2304", 8)]
    severities = {one["rule_id"]: one["severity"] for one in found}
    assert (severities["tsc/TS2304"], severities["tsc/TS2322"]) == ("high", "medium")


def test_a_caller_in_another_file_is_found_with_its_cause(case, ask, tsc):
    before = {
        "tsconfig.json": STRICT,
        "money.ts": "export function total(items: number[]) {\n  return items.length;\n}\n",
        "cart.ts": "import { total } from './money';\nexport const sum = total([1]);\n",
    }
    changed = before["money.ts"].replace("items: number[]", "items: string[]")
    (found,) = ask(tsc, case(before, {"money.ts": changed}))
    assert (found["file"], found["line"]) == ("cart.ts", 2)
    assert found["verification"]["caused_by"]["file"] == "money.ts"


def test_what_types_of_packages_would_settle_draws_nothing_and_is_said(case, compiler):
    text = (
        "import React from 'react';\n"
        "import type { ButtonProps } from 'widgets';\n"
        "export interface Props extends ButtonProps { label: string }\n"
        "export const Button = (props: Props) => <b onClick={props.onClick}>{props.label}</b>;\n"
        "describe('a', () => { process.exit(window.secretFlag); });\n"
        "export function two(a: number, b: number) { return a + b; }\n"
        "two(1);\n"
    )
    one = case(
        {"tsconfig.json": '{"compilerOptions": {"strict": true, "jsx": "react-jsx"}}'}, {"b.tsx": text}
    )
    report = reviewed(one, str(compiler))
    assert [found.finding.rule_id for found in report.shown if found.finding] == ["tsc/TS2554"]
    (covered,) = report.coverage
    said = "tsc could not check all of it: types of packages that it needs are not in the repository"
    assert (covered.state, covered.reason) == ("partly", said)
    assert (report.incomplete, report.gate.exit_code) == ((), 0)


def test_what_packages_add_to_known_types_and_globals_draws_nothing(case, ask, tsc):
    # honojs/hono 28a9c128912d, src/utils/mime.test.ts:10 (globals of vitest, which older tests use).
    # 00unnmd/frontend_pills_parser 4fbe89897ba5, src/utils/constants.ts:1 (`import.meta.env` of vite).
    # darkreader/darkreader 58ef40406a37, src/background/utils/network.ts:92 (`@types/chrome`).
    package = '{"devDependencies": {"@types/chrome": "0.2.5"}}\n'
    before = {"tsconfig.json": STRICT, "package.json": package, "old.test.ts": "expect(1);\n"}
    after = {
        "mime.test.ts": "expect(2);\n",
        "network.ts": "export const home = chrome.runtime.getURL('');\n",
        "constants.ts": "export const url: string = import.meta.env.PROD;\nurl.nope;\n",
    }
    assert rules(ask(tsc, case(before, after))) == [("TS2339", 2)]


def test_a_file_that_builds_on_one_with_missing_types_is_not_judged(case, ask, tsc):
    # cline/cline 21cb8d2525bc, apps/vscode/webview-ui/src/components/chat/CompletionOutputRow.tsx:6.
    files = {
        "props.ts": "import type { Base } from 'widgets';\nexport interface Props extends Base {}\n",
        "use.ts": "import type { Props } from './props';\nexport const f = (props: Props) => props.b;\n",
    }
    assert ask(tsc, case({"tsconfig.json": STRICT}, files)) == []


def test_only_the_options_of_the_base_commit_count_and_none_from_packages(case, ask, tsc):
    shared = '{"compilerOptions": {"strict": true, "paths": {"@/*": ["./src/*"]}}}'
    options = '"compilerOptions": {"plugins": [{"name": "x"}]}'
    extending = f'{{"extends": ["./shared.json", "@tsconfig/strictest"], {options}}}'
    before = {"tsconfig.json": extending, "shared.json": shared, "src/m.ts": "export const m = 1;\n"}
    text = "import { m } from '@/m';\nexport const n: string = m;\n"
    text += "export const f = (a: string | null) => a.length;\n"
    after = {"src/a.ts": text, "tsconfig.json": '{"files": [], "compilerOptions": {"strict": false}}'}
    assert rules(ask(tsc, case(before, after))) == [("TS2322", 2), ("TS18047", 3)]


def test_each_project_of_a_repository_has_its_own_options(case, ask, tsc):
    before = {"web/tsconfig.json": STRICT, "api/tsconfig.json": "{}", "README.md": "a\n"}
    text = "export const f = (a: string | null) => a.length;\n"
    found = ask(tsc, case(before, {"web/a.ts": text, "api/a.ts": text}))
    assert [(one["file"], one["rule_id"]) for one in found] == [("web/a.ts", "tsc/TS18047")]


def test_a_project_without_a_target_has_the_newest_libraries(case, tsc):
    """Older compilers take ES5 for the target, which has no promises."""
    one = case({"tsconfig.json": "{}"}, {"a.ts": "export const f = async () => new Map<string, 1>();\n"})
    base = one.repository.base
    (project,) = (json.loads(text) for text in tsc.invoke(base, ["a.ts"]).files.values())
    assert project["compilerOptions"]["target"] == "esnext"


def test_a_global_that_is_missing_does_not_stop_the_compiler():
    printed = "error TS2468: Cannot find global value 'Promise'.\n/checkout/a.ts\n"
    assert read_tsc_files(Printed(printed, "", 2)).read == {"/checkout/a.ts"}


@pytest.mark.parametrize(
    ("printed", "named"),
    [
        ("tsconfig.json(1,9): error TS5023: Unknown compiler option 'x'.", "Unknown compiler option `x`."),
        ("error TS5103: Invalid value for 'a'.", "Invalid value for `a`."),
        ("src/a.ts(3,4): error TS1005: ';' expected.", "src/a.ts:3: `;` expected."),
    ],
)
def test_what_stopped_the_compiler_is_named(printed: str, named: str):
    reading = read_tsc_files(Printed(f"{printed}\n", "", 2))
    assert reading.others == ("unresolved", f"the compiler stopped: {named}")


def test_no_file_of_the_machine_is_read(case, tsc, tmp_path: Path):
    (tmp_path / "secret.d.ts").write_text("declare const secret: 'hunter2';\n")
    (tmp_path / "secret.json").write_text('{"word": "hunter2"}\n')
    text = (
        f"/// <reference path='{tmp_path}/secret.d.ts' />\n"
        f"import words from '{tmp_path}/secret.json';\n"
        "export const a: number = secret;\nexport const b: 1 = words;\n"
    )
    reply = asyncio.run(MechanicalSpecialist(tsc).examine(case({"a": ""}, {"a.ts": text}).case))
    assert "hunter2" not in reply.model_dump_json()
    assert reply.incomplete == ()


def test_a_compiler_in_the_reviewed_repository_is_never_run(case, tmp_path: Path):
    one = case({"a": ""}, {"a.ts": "export const a: number = 'a';\n"})
    program = one.repo.path / "node_modules" / ".bin" / "tsc"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    report = reviewed(one, str(program))
    assert not (tmp_path / "was-run").exists()
    (covered,) = report.coverage
    said = "tsc is not installed, so that nobody looked for type errors of TypeScript"
    assert (covered.state, covered.reason) == ("partly", said)
    assert (report.incomplete, report.gate.exit_code) == ((), 0)
    assert "npm install" in next(gap.advice for gap in report.not_run if gap.name == "tsc")
