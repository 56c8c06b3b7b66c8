"""The table of a loop: whole at 80 columns and in a file."""

from pathlib import Path

from affidavit.cli.refine import loop_lines
from affidavit.iterations.loop import Journal, Turn
from affidavit.iterations.workplace import AgentRun
from affidavit.records.iteration import IterationSummary
from commands import affidavit
from repositories import Repo

COMMIT = "0123456789" * 4


def turn(number: int, **fields: object) -> Turn:
    summary = IterationSummary(number=number, report_id="r", tree="t", score=0.5, verdict="escalate")
    agent = AgentRun(state="timed_out")
    return Turn.model_validate(
        {"number": number, "commit": COMMIT, "summary": summary, "agent": agent, **fields}
    )


def lines(*turns: Turn, best: int = 1, stopped: str = "undone") -> list[str]:
    journal = Journal(repository="r", target="t", base="b", start="s", agent="a", max=100)
    found = journal.model_copy(update={"turns": turns, "best": best, "stopped": stopped})
    return list(loop_lines(found))


def test_the_longest_row_of_a_loop_fits_into_80_columns() -> None:
    heads, row, *_ = lines(turn(100, blocking=999, held_back=["edits a test: a.py"] * 999), best=100)
    assert max(len(heads), len(row)) <= 80
    assert row.split() == ["100", "best", "01234567", "0.50", "escalate", "999", "999", "timed", "out"]
    assert heads.split() == [
        "iteration", "commit", "score", "verdict", "blocking", "held", "back", "agent"
    ]  # fmt: skip


def test_what_is_held_back_is_named_with_its_diff() -> None:
    reasons = [f"edits a test: tests/test_{number}.py" for number in range(12)]
    text = lines(turn(2, held_back=reasons, diff="/state/iteration-2.diff"))
    assert "iteration 2 is held back: the agent's work edits a test: tests/test_9.py" in text
    assert "iteration 2 is held back for 2 more reasons" in text
    assert "all that the agent did until iteration 2: /state/iteration-2.diff" in text


def test_no_cell_and_no_sentence_is_cut_or_broken_in_a_narrow_place(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Base", {"a.txt": "a\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("More", {"app.py": "def total(items):\n    return sum(itms)\n"})
    done = affidavit(
        "refine", "main...topic", "--agent", "rm app.py", "--quiet", "--data", tmp_path / "data",
        cwd=repo.path, env={"COLUMNS": "40"},
    )  # fmt: skip
    _, row, *rest = done.out.splitlines()
    commit = repo.git("rev-parse", "topic")[:8]
    assert row.split()[:5] == ["1", "best", commit, "0.65", "refine"]
    assert (
        "stopped: the agent undid the change: its files are those of base, and nothing is left to review"
        in rest
    )
