"""A loop that is interrupted anywhere goes on where it was, and nothing is done twice."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.git.location import Allowed, find_repository
from affidavit.iterations.loop import (
    Budget,
    Journal,
    Loop,
    Turn,
    alone,
    best_of,
    keep_journal,
    read_journal,
)
from affidavit.iterations.workplace import Workplace, run_agent
from affidavit.pipeline import review
from affidavit.records.iteration import Earlier, IterationSummary
from affidavit.records.report import Report
from affidavit.stages.intake import ChangeRequest, open_change
from affidavit.stages.review import Crew
from repositories import Repo
from series import Analyser, Claim, claim


class Crash(BaseException):
    """The machine stops here."""


class World:
    """A repository whose file counts its faults, an agent that removes one a turn, and a crash at a step."""

    def __init__(self, repo: Repo, folder: Path, faults: int = 2) -> None:
        self.repo, self.folder = repo, folder
        repo.commit("Base", {"readme.txt": "a\n"})
        lines = [*(f"fault_{number} = 1" for number in range(faults)), "fine = 1", ""]
        repo.commit("Faults", {"app.py": "\n".join(lines)})
        self.workplace = Workplace(find_repository(repo.path), folder / "own.git", folder / "copy")
        self.steps = 0
        self.crash_at = 0
        self.reviewed: list[str] = []

    def step(self, _text: str = "") -> None:
        self.steps += 1
        if self.steps == self.crash_at:
            raise Crash

    def review(self, commit: str, earlier: Earlier | None, journal: Journal) -> Report:
        self.step()
        self.reviewed.append(commit)
        request = ChangeRequest(
            target=f"{journal.base}..{commit}", repo=self.workplace.own, allowed=Allowed(alternates=True)
        )
        with open_change(request) as opened:
            text = opened.repository.head.lines("app.py") or []
            crew = Crew([Analyser([_fault(at, line) for at, line in enumerate(text, 1) if "fault" in line])])
            return asyncio.run(review(opened.change, opened.repository, Settings(), crew, earlier=earlier))

    def run(self, agent: str = "sed -i '0,/fault_.*/{//d}' app.py", **fields: object) -> Journal:
        start, base = self.repo.git("rev-parse", "HEAD"), self.repo.git("rev-parse", "HEAD^")
        journal = read_journal(self.folder)
        if journal is None:
            self.workplace.prepare(start)
            journal = Journal(repository="r", target="t", base=base, start=start, agent="a", max=9)
            keep_journal(self.folder, journal)
        loop = Loop(
            self.folder,
            self.workplace,
            agent,
            self.review,
            lambda _journal, _commit, _first: [],
            lambda _summary, _journal: None,
            20,
            Budget(),
            self.step,
        )
        return loop.run(journal)


def _fault(line: int, text: str) -> Claim:
    return claim("app.py", line, text, rule_id="ruff/F821", title=f"`{text[:7]}` is not defined")


@pytest.fixture
def world(repo: Repo, tmp_path: Path) -> World:
    return World(repo, tmp_path / "state")


def test_the_loop_goes_on_until_nothing_is_left(world: World) -> None:
    journal = world.run()
    assert (journal.stopped, journal.best, len(journal.turns)) == ("accepted", 3, 3)
    scores = [one.summary.score for one in journal.turns if one.summary]
    assert scores == sorted(scores)


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6])
def test_a_loop_that_was_interrupted_goes_on_where_it_was(world: World, step: int) -> None:
    world.crash_at = step
    with pytest.raises(Crash):
        world.run()
    world.crash_at = 0
    journal = world.run()
    assert (journal.stopped, len(journal.turns)) == ("accepted", 3)
    assert len(set(world.reviewed)) == 3
    kept = read_journal(world.folder)
    assert kept == journal


def test_half_of_an_agents_work_is_not_taken_for_all_of_it(world: World) -> None:
    world.crash_at = 3
    with pytest.raises(Crash):
        world.run()
    (world.workplace.copy / "app.py").write_text("half written")
    world.crash_at = 0
    assert world.run().stopped == "accepted"


def test_the_same_score_three_times_is_a_plateau(world: World) -> None:
    journal = world.run("date +%N >> notes.txt")
    assert journal.stopped in ("plateau", "escalated")
    assert len(journal.turns) == 3


def test_back_and_forth_is_noticed(repo: Repo, tmp_path: Path) -> None:
    world = World(repo, tmp_path / "state", faults=1)
    forth, back = "fine = 1\\n\\nprint(other_fault_of_this)\\n", "fault_0 = 1\\nfine = 1\\n"
    journal = world.run(
        f"if grep -q fault_0 app.py; then printf '{forth}'; else printf '{back}'; fi > new; mv new app.py"
    )
    assert (journal.stopped, len(journal.turns)) == ("oscillation", 3)


def test_a_budget_ends_the_loop() -> None:
    journal = Journal(
        repository="", target="", base="", start="", agent="", max=1, spent_usd=1, spent_tokens=9
    )
    assert Budget(usd=1).is_spent(journal)
    assert Budget(tokens=9).is_spent(journal)
    assert not Budget(usd=2).is_spent(journal)
    assert not Budget().is_spent(journal)


def test_two_processes_do_not_run_the_same_loop(tmp_path: Path) -> None:
    folder = tmp_path / "loop"
    with alone(folder), pytest.raises(InputError, match="running already"), alone(folder):
        pass


def test_a_flood_of_output_ends_the_agent(tmp_path: Path) -> None:
    feedback = tmp_path / "feedback.json"
    feedback.write_text("{}")
    ended = asyncio.run(run_agent("head -c 30000000 /dev/zero", tmp_path, feedback, 20))
    assert ended.state == "flooded"
    failed = asyncio.run(run_agent("echo no >&2; exit 3", tmp_path, feedback, 20))
    assert (failed.state, failed.exit_code, failed.output) == ("failed", 3, "no")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux can adopt processes")
@pytest.mark.parametrize("ends", ["sleep 30", "true"])
def test_a_process_that_left_the_session_is_ended_with_its_agent(tmp_path: Path, ends: str) -> None:
    feedback, pids = tmp_path / "feedback.json", tmp_path / "pids"
    feedback.write_text("{}")
    # One leaves its session, and the other its session and its parent.
    forks = f'(setsid sh -c "echo \\$\\$ >> {pids}; exec sleep 60" &)'
    leaves = f"setsid sh -c 'echo $$ >> {pids}; {forks}; exec sleep 60' &"
    waits = f"while [ $(cat {pids} 2>/dev/null | wc -l) -lt 2 ]; do sleep 0.05; done"
    ended = asyncio.run(run_agent(f"{leaves}\n{waits}\n{ends}", tmp_path, feedback, 1))
    assert ended.state == ("ended" if ends == "true" else "timed_out")
    left = [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()]
    assert left == []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux can adopt processes")
def test_an_agent_is_ended_with_the_loop_that_was_killed(tmp_path: Path) -> None:
    feedback, pid = tmp_path / "feedback.json", tmp_path / "pid"
    feedback.write_text("{}")
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from affidavit.iterations.workplace import run_agent\n"
        "asyncio.run(run_agent(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), 60))\n"
    )
    agent = f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 60"
    loop = subprocess.Popen([sys.executable, "-c", code, agent, tmp_path, feedback])
    assert _soon(pid.exists)
    loop.kill()
    loop.wait()
    assert _soon(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())


def _soon(is_so: Callable[[], bool]) -> bool:
    for _ in range(200):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def test_an_iteration_whose_review_was_not_completed_is_no_better_than_a_whole_one() -> None:
    whole = IterationSummary(number=1, report_id="a", score=0.6, verdict="refine")
    half = IterationSummary(number=2, report_id="b", score=1, verdict="escalate", incomplete=("verifier",))
    turns = (Turn(number=1, commit="a", summary=whole), Turn(number=2, commit="b", summary=half))
    journal = Journal(repository="", target="", base="", start="", agent="", max=5, turns=turns)
    assert best_of(journal).number == 1
