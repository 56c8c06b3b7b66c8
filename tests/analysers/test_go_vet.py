"""Go: what does not compile and what vet names, with missing modules as a note."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from affidavit.analysers.engine.execution import has_walls
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.go_vet import GO_VET
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import Reply
from affidavit.reviewing.hold import assemble_crew
from python_changes import Case

pytestmark = pytest.mark.skipif(not has_walls(), reason="this system has no sandbox")
MODULE = "module example.com/shop\n\ngo 1.21\n"
MAIN = "package main\n\nfunc main() {\n}\n"
OTHERS_OFF = ("hadolint", "kingfisher", "oxlint", "ruff", "shellcheck", "ty", "yamllint", "zizmor")


def reply_to(case: Case) -> Reply:
    return asyncio.run(MechanicalSpecialist(GO_VET).examine(case.case))


def places(found) -> set[tuple[str, str, int]]:
    return {(one["rule_id"], one["file"], one["line"]) for one in found}


def test_what_does_not_compile_and_what_vet_names_is_found(case, ask):
    broken = "package main\n\nfunc main() {\n\tfmt.Println(undefd)\n}\n"
    printed = 'package log\n\nimport "fmt"\n\nfunc F() {\n\tfmt.Printf("%d", "x")\n}\n'
    tests = 'package log\n\nimport "testing"\n\nfunc TestF(t *testing.T) { gone() }\n'
    files = {"go.mod": MODULE, "main.go": broken, "log/a.go": printed}
    found = ask(GO_VET, case({"go.mod": MODULE, "main.go": MAIN}, files))
    assert places(found) == {
        ("go-vet/compile", "main.go", 4),
        ("go-vet/printf", "log/a.go", 6),
    }
    assert {one["severity"] for one in found if one["rule_id"] == "go-vet/compile"} == {"high"}
    later = ask(GO_VET, case({**files, "main.go": MAIN}, {"log/a_test.go": tests}))
    assert places(later) == {("go-vet/compile", "log/a_test.go", 5)}


def test_loose_files_are_compiled_without_a_module(case, ask):
    # TheAlgorithms/Go 86842bee8117, ciphers/xorCipher.go:34 and CaesarCipher.go:10 (a `main` in each file).
    files = {"a.go": "package main\n\nfunc main() { undefd() }\n", "b.go": MAIN}
    (found,) = ask(GO_VET, case({"README.md": "a\n"}, files))
    assert (found["file"], found["line"], found["title"]) == ("a.go", 3, "Compile error: undefined: undefd")


def test_a_caller_that_the_change_breaks_is_found_where_it_stands(case, ask):
    before = {
        "go.mod": MODULE,
        "price/price.go": "package price\n\nfunc Of(item int) int { return item }\n",
        "main.go": 'package main\n\nimport "example.com/shop/price"\n\nfunc main() { price.Of(1) }\n',
    }
    changed = {"price/price.go": before["price/price.go"].replace("item int)", "item, tax int)")}
    (found,) = ask(GO_VET, case(before, changed))
    assert (found["file"], found["line"]) == ("main.go", 5)
    assert found["verification"]["is_impact_finding"]


def test_what_did_not_compile_before_is_not_reported(case, ask):
    before = {"go.mod": MODULE, "main.go": "package main\n\nfunc main() { undefd() }\n"}
    assert ask(GO_VET, case(before, {"main.go": before["main.go"] + "\nfunc other() {}\n"})) == []


def test_a_missing_module_is_a_note_and_leaves_the_exit_code(case):
    text = 'package main\n\nimport "github.com/pkg/errors"\n\nfunc main() { errors.New(undefd) }\n'
    whole = "package money\n\nfunc Sum(a, b int) int { return a + b }\n"
    one = case({"go.mod": MODULE}, {"main.go": text, "money/sum.go": whole})
    settings = Settings(analysers_off=OTHERS_OFF)
    report = asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))
    covered = {file.path: file for file in report.coverage}
    said = "go-vet could not check all of it: packages that it imports are not in the repository"
    assert (covered["main.go"].state, covered["main.go"].reason) == ("partly", said)
    assert covered["money/sum.go"].state == "examined"
    assert "go-vet" in covered["money/sum.go"].hunks[0].examined_by
    assert (report.shown, report.incomplete, report.gate.exit_code) == ([], (), 0)


def test_nothing_is_read_from_a_folder_that_a_change_names(case, tmp_path: Path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "go.mod").write_text("module example.com/secret\n")
    (tmp_path / "secret" / "a.go").write_text('package secret\n\nconst Word int = "hunter2"\n')
    module = (
        f"{MODULE}\nrequire example.com/secret v0.0.0\n\nreplace example.com/secret => {tmp_path}/secret\n"
    )
    main = 'package main\n\nimport "example.com/secret"\n\nfunc main() { println(secret.Word) }\n'
    reply = reply_to(case({"a": ""}, {"go.mod": module, "main.go": main}))
    assert "hunter2" not in reply.model_dump_json()
    unread = {one.path: one.why for run in reply.analyser_runs for one in run.unread}
    assert unread["main.go"] == "unresolved"


def test_without_go_coverage_says_so_and_names_what_to_install(case):
    one = case({"a": ""}, {"go.mod": MODULE, "main.go": "package main\n\nfunc main() { undefd() }\n"})
    absent = replace(GO_VET, executable="go-that-is-not-installed")
    reply = asyncio.run(MechanicalSpecialist(absent).examine(one.case))
    (gap,) = reply.not_run
    assert (gap.reason, reply.incomplete) == ("go-vet is not installed", ())
    assert "https://go.dev/dl" in gap.advice
