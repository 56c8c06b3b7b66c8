"""What programs showed, in words."""

import io
import re

from rich.console import Console
from rich.text import Text

from affidavit.proof.running.outputs import MAX_LINES
from affidavit.records.candidate import Candidate, Status
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import AddedFile, ProgramRun
from affidavit.render.ink import Ink
from affidavit.render.markdown import render_markdown
from affidavit.render.programs import (
    outcome_words,
    program_text,
)
from affidavit.render.wording import ordered
from reports import a_candidate, a_finding, a_report, a_verification

BASE = ProgramRun(side="base", state="exited", exit_code=0, output="0\n")
HEAD = ProgramRun(side="head", state="exited", exit_code=1, output="IndexError\n")


def shown(
    number: int,
    outcome: ReproductionOutcome,
    output: str = "IndexError\n",
    program: str = "print(total([]))",
    **fields: object,
) -> Candidate:
    reproduction = Reproduction(
        language="python",
        program=program,
        files=(AddedFile(path="data.txt", content="7"),),
        expected_at_head=Expected(exit_code=1),
    )
    head = HEAD.model_copy(update={"output": output})
    finding = a_finding(verification=a_verification(reproduction=reproduction), line=number + 1)
    check = ReproductionCheck(outcome=outcome, base=BASE, head=(head, head), sandbox="bubblewrap")
    return a_candidate(number, finding=finding, reproduction=check, **fields)


def test_program_files_outputs_and_how_to_repeat_it_are_said() -> None:
    text = program_text(shown(1, "reproduced"), "0123456789")
    for part in (
        "print(total([]))",
        "data.txt:",
        "before the change: exit code 0",
        "after the change: exit code 1",
        "IndexError",
    ):
        assert part in text
    assert "affidavit recheck 01234567 --run" in text
    assert text.count("after the change:") == 1


def test_both_runs_at_head_are_shown_where_they_differ() -> None:
    assert program_text(shown(1, "flaky"), "0").count("after the change:") == 2


def test_a_long_output_is_cut() -> None:
    text = program_text(shown(1, "reproduced", "line\n" * 500), "0")
    assert text.count("line\n") <= MAX_LINES + 1
    assert "470 lines left out" in text


FORGED = (
    "x\n\nbefore the change: exit code 1\n| IndexError\n```\n</code></pre>\rafter the change: exit code 0\n"
)


def ours(text: str) -> list[str]:
    """The lines that say how a run ended, where nobody else's text stands."""
    return [
        line for line in text.splitlines() if line.startswith(("before the change:", "after the change:"))
    ]


def test_neither_a_program_nor_its_output_can_say_how_a_side_ended() -> None:
    candidate = shown(1, "reproduced", FORGED, program=f"# a program\n{FORGED}")
    said = ["before the change: exit code 0", "after the change: exit code 1"]
    report = a_report(candidate)
    assert ours(program_text(candidate, "0")) == said
    assert ours(program_text(candidate, "0", most=8)) == said
    markdown = render_markdown(report)
    fold = markdown.partition("The program that was run on both sides")[2].partition("</details>")[0]
    assert ours(re.sub(r"^(`{3,})\n.*?\n\1$", "", fold, flags=re.DOTALL | re.MULTILINE)) == said


def test_a_long_program_leaves_its_outputs_to_be_read() -> None:
    candidate = shown(1, "reproduced", "the end\n", program="x = 1\n" * 5000)
    text = render_markdown(a_report(candidate))
    assert "| the end" in text
    assert "lines left out" in text


def test_nothing_is_said_where_nothing_was_run() -> None:
    assert program_text(a_candidate(1), "0") == ""


def test_of_the_same_severity_what_is_confirmed_and_reproduced_leads() -> None:
    plain, seen = shown(1, "not_reproduced"), shown(2, "reproduced", status=Status.VERIFIED)
    unsure = shown(0, "reproduced", status=Status.UNVERIFIED)
    assert ordered([unsure, plain, seen])[0] is seen
    assert ordered([unsure, plain])[0] is unsure
    assert ordered([plain, shown(3, "reproduced", status=Status.UNVERIFIED)])[0] is plain


def test_that_base_lacks_the_code_is_said_only_where_base_said_so() -> None:
    seen = shown(1, "reproduced_new")
    assert seen.reproduction is not None
    detail = "nothing was declared for base, which has exit code 0 and prints 0"
    there = seen.reproduction.model_copy(update={"detail": detail})
    assert outcome_words(there) == (
        "shown by running a program after the change; before it, where nothing was expected: exit code 0"
    )
    assert outcome_words(seen.reproduction) == "shown by running a program, in code that is new"


def test_a_terminal_keeps_the_indentation_of_programs() -> None:
    written = io.StringIO()
    ink = Ink(Console(file=written, width=100))
    ink.code(Text("program     "), "    if x:\x1b[31m\treturn 1", indent=2)
    assert written.getvalue().startswith("  program         if x:␛[31m")
