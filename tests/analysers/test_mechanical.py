"""A mechanical specialist from a change to its reply, with real analysers and with misbehaving ones."""

import asyncio
import json

import pytest

from affidavit.analysers.engine.analyser import Analyser, Invocation
from affidavit.analysers.engine.execution import Limits
from affidavit.analysers.engine.specialist import MechanicalSpecialist, mechanical_specialists
from affidavit.analysers.registry import all_analysers
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.ruff import read_ruff as read_list
from affidavit.analysers.rulebook import known_rules
from affidavit.analysers.ty import TY
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.errors import GitError
from affidavit.events import EventName
from affidavit.ports import Case, Entry
from affidavit.records.change import FileChange, FileStatus, SkipReason
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import ReviewResult

UNDEFINED = "def f():\n    return total\n"


def examine(specialist, one):
    return asyncio.run(specialist.examine(one.case))


def fake(tmp_path, script, **changes):
    """An analyser that is a small shell script."""
    place = tmp_path / "fake-analyser"
    place.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo fake 1.0; exit 0; fi\n{script}\n')
    place.chmod(0o755)
    description = {
        "name": "fake",
        "executable": str(place),
        "patterns": ("*.py",),
        "scope": "file",
        "invoke": lambda _base, _paths: Invocation(("check",)),
        "read_output": read_list,
        "rules": {"ruff/F821": known_rules()["ruff/F821"]},
        "elsewhere": "pip install fake",
    }
    return Analyser(**{**description, **changes})


def test_the_reply_is_a_whole_review_result(case):
    reply = examine(MechanicalSpecialist(RUFF), case({"a.py": ""}, {"a.py": UNDEFINED}))
    result = ReviewResult.model_validate_json(reply.text)
    assert (reply.kind, reply.specialist, reply.incomplete, reply.not_run) == ("mechanical", "ruff", (), ())
    assert result.schema_version == CURRENT_SCHEMA_VERSION
    finding = result.findings[0]
    assert finding.verification is not None
    assert finding.verification.line_range_examined == (1, 2)
    assert finding.verification.code_examined == "def f():\n    return total"
    assert "reports F821 at head and not at base" in finding.verification.verification_method
    assert finding.verification.checked_for_handling_elsewhere
    assert finding.verification.wrong_outcome == "NameError is raised."
    assert finding.title == "`total` is not defined"


def test_both_runs_are_recorded(case):
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    base, head = examine(MechanicalSpecialist(RUFF), one).analyser_runs
    assert (base.side, base.state, base.diagnostics) == ("base", "completed", 0)
    assert (head.side, head.state, head.diagnostics) == ("head", "completed", 1)
    assert head.tree == one.repository.head.revision
    assert head.command[0] == "ruff"


def test_a_clean_change_has_an_empty_result(case):
    reply = examine(MechanicalSpecialist(RUFF), case({"a.py": ""}, {"a.py": "VALUE = 1\n"}))
    assert json.loads(reply.text)["findings"] == []


def test_a_change_without_python_has_nothing_to_read(case):
    reply = examine(MechanicalSpecialist(RUFF), case({"a.md": ""}, {"a.md": "text\n"}))
    assert (reply.text, reply.incomplete, reply.not_run) == (None, (), ())


def test_a_tool_call_is_told(case):
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    examine(MechanicalSpecialist(RUFF), one)
    assert [(event.name, event.data["agent"], event.data["tool"]) for event in one.events] == [
        (EventName.TOOL_CALLED, "reviewer", "ruff")
    ]


def test_a_second_review_of_the_same_change_runs_nothing(case, tmp_path):
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    specialist = MechanicalSpecialist(RUFF, cache_dir=tmp_path / "cache")
    first, second = examine(specialist, one), examine(specialist, one)
    assert [run.is_cached for run in first.analyser_runs] == [False, False]
    assert [run.is_cached for run in second.analyser_runs] == [True, True]
    assert first.text == second.text


def test_another_base_configuration_is_another_result(repo, case, tmp_path):
    specialist = MechanicalSpecialist(RUFF, cache_dir=tmp_path / "cache")
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    assert json.loads(examine(specialist, one).text)["findings"]
    configured = {"a.py": "", "ruff.toml": "[lint]\nignore = ['F821']\n"}
    assert json.loads(examine(specialist, case(configured, {"a.py": UNDEFINED})).text)["findings"] == []


def test_a_rule_that_is_off_is_dropped_and_said(case):
    specialist = MechanicalSpecialist(
        RUFF, why_off=lambda rule, path: "off" if (rule, path) == ("ruff/F821", "a.py") else None
    )
    reply = examine(specialist, case({"a.py": ""}, {"a.py": UNDEFINED}))
    assert json.loads(reply.text)["findings"] == []
    assert [diagnostic.code for diagnostic in reply.diagnostics] == [Reason.FINDING_DROPPED]
    assert "ruff/F821 at a.py:2" in reply.diagnostics[0].detail


def test_a_finding_without_a_cause_in_an_untouched_file_is_dropped_and_said(case, tmp_path):
    row = {
        "code": "F821",
        "message": "Undefined name `nothing`",
        "filename": "b.py",
        "location": {"row": 1, "column": 1},
        "end_location": {"row": 1, "column": 2},
    }
    script = f"test -e new.py && echo '{json.dumps([row])}' || echo '[]'"
    one = case({"a.py": "", "b.py": "nothing\n"}, {"new.py": "VALUE = 1\n"})
    reply = examine(MechanicalSpecialist(fake(tmp_path, script, scope="project")), one)
    assert json.loads(reply.text)["findings"] == []
    assert "no part of the change could be named" in reply.diagnostics[0].detail


def test_an_analyser_that_is_not_installed_is_not_run_with_a_hint(case, tmp_path):
    missing = fake(tmp_path, "", executable="no-such-analyser-anywhere")
    reply = examine(MechanicalSpecialist(missing), case({"a.py": ""}, {"a.py": UNDEFINED}))
    assert reply.text is None
    assert [(part.name, part.advice) for part in reply.not_run] == [("fake", "pip install fake")]
    assert {run.state for run in reply.analyser_runs} == {"not_installed"}


MISBEHAVING = {
    "crashed": ("echo 'it went wrong' >&2; exit 9", "exit code 9: it went wrong"),
    "timed_out": ("sleep 60", "took longer than 0.5 s"),
    "unreadable": ("echo garbage", "cannot be read"),
}


@pytest.mark.parametrize("state", MISBEHAVING)
def test_a_misbehaving_analyser_makes_the_review_incomplete(state, case, tmp_path):
    script, sentence = MISBEHAVING[state]
    specialist = MechanicalSpecialist(fake(tmp_path, script), limits=Limits(timeout_seconds=0.5))
    reply = examine(specialist, case({"a.py": ""}, {"a.py": UNDEFINED}))
    assert reply.text is None
    assert {run.state for run in reply.analyser_runs if run.side == "head"} == {state}
    assert any(sentence in part.reason for part in reply.incomplete)


@pytest.mark.parametrize("garbage", ["{}", "[1]", "[{}]", "null", "", '[{"code": {}}]', "[" * 100_000])
def test_any_garbage_is_unreadable_and_no_traceback(garbage, case, tmp_path):
    (tmp_path / "garbage").write_text(garbage)
    analyser = fake(tmp_path, f"cat {tmp_path / 'garbage'}")
    reply = examine(MechanicalSpecialist(analyser), case({"a.py": ""}, {"a.py": UNDEFINED}))
    assert {run.state for run in reply.analyser_runs if run.side == "head"} == {"unreadable"}


def test_a_changed_file_that_cannot_be_written_out_leaves_the_review_incomplete(case, tmp_path):
    name = "back\\slash.py"
    one = case({"a.py": "", name: ""}, {"a.py": UNDEFINED, name: UNDEFINED})
    specialist = MechanicalSpecialist(RUFF, cache_dir=tmp_path)
    for _again in range(2):
        reply = examine(specialist, one)
        assert [found.file for found in ReviewResult.model_validate_json(reply.text).findings] == ["a.py"]
        assert [part.reason.partition(":")[0] for part in reply.incomplete] == [f"ruff did not read {name}"]


def test_what_could_not_be_read_at_base_is_not_called_new(case):
    text = "".join(f"x{number} = {number}\n" for number in range(30)) + "y = total\n"
    one = case({"a\\b.py": text}, {"a\\b.py": None, "b.py": text + "z = 1\n"})
    reply = examine(MechanicalSpecialist(RUFF), one)
    assert [file.old_path for file in one.case.change.files] == ["a\\b.py"]
    assert ReviewResult.model_validate_json(reply.text).findings == ()
    (part,) = reply.incomplete
    assert part.reason == "ruff could not compare b.py: a\\b.py of base cannot be written out"


def test_a_file_that_cannot_be_written_out_and_is_deleted_is_not_missed(case):
    one = case({"a.py": "", "a\\b.py": UNDEFINED}, {"a.py": UNDEFINED, "a\\b.py": None})
    reply = examine(MechanicalSpecialist(RUFF), one)
    assert [run.refused for run in reply.analyser_runs] == [("a\\b.py",), ()]
    assert reply.incomplete == ()


class LostTree:
    """A tree whose objects cannot be read, as in a damaged or partial clone."""

    revision = "lost"

    def entries(self):
        return {"a.py": Entry("a.py", b"a.py", "100644", "0" * 40)}

    def entry(self, path):
        return self.entries().get(path)

    def read(self, path):
        raise GitError(f"the object of {path} is missing")


class LostRepository:
    """A repository with nothing but lost trees."""

    base = head = LostTree()
    tip = folder = None

    def side(self, _side):
        return self.head


@pytest.mark.parametrize("analyser", [RUFF, TY], ids=["ruff", "ty"])
def test_objects_that_cannot_be_read_make_the_review_incomplete(analyser, case):
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    given = Case(one.change, LostRepository(), one.events.append)
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(given))
    assert reply.text is None
    assert "is missing" in reply.incomplete[0].reason


def test_an_analyser_that_floods_is_unreadable(case, tmp_path):
    specialist = MechanicalSpecialist(fake(tmp_path, "yes"), limits=Limits(output_mb=1))
    reply = examine(specialist, case({"a.py": ""}, {"a.py": UNDEFINED}))
    assert any("more than 1 MB" in part.reason for part in reply.incomplete)


def test_a_result_of_a_failed_run_is_not_kept(case, tmp_path):
    one = case({"a.py": ""}, {"a.py": UNDEFINED})
    examine(MechanicalSpecialist(fake(tmp_path, "exit 9"), cache_dir=tmp_path / "cache"), one)
    reply = examine(MechanicalSpecialist(fake(tmp_path, "echo '[]'"), cache_dir=tmp_path / "cache"), one)
    assert json.loads(reply.text)["findings"] == []


def test_an_analyser_sees_regular_files_of_the_commit_only(repo, case, tmp_path):
    seen = []

    def note(text):
        seen.extend(text.split())
        return []

    (repo.path / "link.py").symlink_to("/etc/passwd")
    one = case({"a.py": ""}, {"a.py": UNDEFINED, "ruff.toml": "x", "note.txt": "y"})
    printing = fake(tmp_path, "find . -mindepth 1", scope="project", read_output=note)
    examine(MechanicalSpecialist(printing), one)
    assert set(seen) == {"./a.py"}


def partial(one):
    """The case as a bare diff without its repository would show it."""
    files = tuple(file.model_copy(update={"is_partial": True}) for file in one.change.files)
    one.change = one.change.model_copy(update={"files": files})
    return one


@pytest.mark.parametrize("analyser", [RUFF, TY], ids=["ruff", "ty"])
def test_a_file_of_which_only_hunks_are_known_is_not_run(analyser, case):
    one = partial(case({"a.py": "", "b.py": "import a\n"}, {"a.py": UNDEFINED}))
    specialist = MechanicalSpecialist(analyser)
    assert not specialist.examines(one.change.files[0])
    assert examine(specialist, one).text is None


def test_nothing_is_claimed_about_imports_where_the_tree_is_known_in_part(case):
    one = case({"p/__init__.py": "", "x.py": ""}, {"p/a.py": "from p.nope import x\n", "x.py": "y = 1\n"})
    files = tuple(file.model_copy(update={"is_partial": file.path == "x.py"}) for file in one.change.files)
    one.change = one.change.model_copy(update={"files": files})
    reply = examine(MechanicalSpecialist(TY), one)
    assert json.loads(reply.text)["findings"] == []


def test_a_skipped_file_draws_no_finding(case):
    one = case({"a.py": "", "b.py": ""}, {"a.py": UNDEFINED, "b.py": UNDEFINED})
    files = tuple(
        file.model_copy(update={"skipped": SkipReason.GENERATED if file.path == "a.py" else None})
        for file in one.change.files
    )
    one.change = one.change.model_copy(update={"files": files})
    for analyser in (RUFF, TY):
        found = json.loads(examine(MechanicalSpecialist(analyser), one).text)["findings"]
        assert [finding["file"] for finding in found] == ["b.py"]


@pytest.mark.parametrize(
    "text",
    ["def f(", "x = (\n\n\n", "\x00", "\ufeffx = y\n", "if x:\n", "print(a)\r\nprint(b)\r\n", "\x0cx = y"],
)
def test_a_finding_always_quotes_lines_that_stand_in_the_file(text, case):
    one = case({"a.py": ""}, {"a.py": text})
    for analyser in (RUFF, TY):
        reply = examine(MechanicalSpecialist(analyser), one)
        lines = one.repository.head.lines("a.py") or []
        for finding in json.loads(reply.text or '{"findings": []}')["findings"]:
            start, end = finding["verification"]["line_range_examined"]
            assert 1 <= start <= finding["line"] <= end <= len(lines)
            assert finding["verification"]["code_examined"] == "\n".join(lines[start - 1 : end])


def test_there_is_one_specialist_for_each_analyser_that_is_not_disabled():
    every = [analyser.name for analyser in all_analysers()]
    assert [one.name for one in mechanical_specialists()] == every
    rest = mechanical_specialists(disabled=frozenset({"ty", "kingfisher"}))
    assert [one.name for one in rest] == [name for name in every if name not in ("ty", "kingfisher")]


def test_a_link_is_not_looked_at() -> None:
    (ruff,) = (one for one in mechanical_specialists() if one.name == "ruff")
    link = FileChange(path="l.py", status=FileStatus.ADDED, new_mode="120000")
    assert not ruff.examines(link)
    assert ruff.examines(link.model_copy(update={"new_mode": "100644"}))


@pytest.mark.parametrize("analyser", [RUFF, TY], ids=lambda analyser: analyser.name)
def test_where_head_is_clean_base_is_spared_and_said(case, analyser):
    base, head = examine(
        MechanicalSpecialist(analyser), case({"a.py": UNDEFINED}, {"a.py": "x = 1\n"})
    ).analyser_runs
    assert (head.side, head.state, head.diagnostics) == ("head", "completed", 0)
    assert (base.side, base.state) == ("base", "nothing_to_do")
    assert "base was not run" in base.detail


def test_base_of_a_clean_project_is_read_for_the_files_that_the_change_deletes(case):
    one = case({"a.py": "x = 1\n", "b.py": "y = 1\n"}, {"a.py": "x = 1\n", "b.py": None})
    base, head = examine(MechanicalSpecialist(TY), one).analyser_runs
    assert (head.state, base.state, base.read) == ("completed", "completed", ("b.py",))


def test_the_reason_why_something_is_set_aside_is_told_without_secrets(case):
    secret = "ghp_" + "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaQz1"
    used = f"print(known)  # ty: ignore[unresolved-reference, {secret}]\n"
    one = case({"a.py": f"known = 1\n{used}"}, {"a.py": used})
    (note,) = examine(MechanicalSpecialist(RUFF), one).diagnostics
    assert "suppresses it since before the change" in note.set_aside.reason
    assert secret not in note.model_dump_json()
