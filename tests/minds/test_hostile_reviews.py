"""A whole review against a server that means harm: it ends, in little memory, with what the machine found."""

import json
import re
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from affidavit.minds.prices import estimate_tokens
from affidavit.records.report import Report
from affidavit.render.wording import spent_sentence
from commands import AFFIDAVIT, environment_of
from forks import content_of, forks
from hostile_server import BEHAVIOURS, USAGES, after_the_probe, reads_forever
from model_server import Act, serving
from repositories import Repo

MOST_MEGABYTES = 600
FOUND = "`itms` is not defined"


@dataclass(frozen=True)
class Reviewed:
    """How a review ended, and the most memory that it ever had."""

    code: int
    report: Report
    errors: str
    megabytes: float
    requests: int
    sent_tokens: int
    """What the server got, by the count that requests are estimated with."""

    @property
    def titles(self) -> list[str]:
        """What it shows."""
        return [each.finding.title for each in self.report.shown if each.finding]


def reviewed(repo: Repo, act: Act, *options: str) -> Reviewed:
    with serving(act) as (address, script):
        asked = ("--model", "hostile", "--base-url", address, "--model-timeout-seconds", "20")
        review = ("review", "HEAD", "--format", "report", "--analysers-off", "ty")
        command = [str(AFFIDAVIT), *review, *asked, *options]
        with ExitStack() as closing:
            streams = [closing.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            environment = environment_of(repo.path.parent / "affidavit-data")
            process = forks().start(command, streams, cwd=repo.path, env=environment)
            peaks: list[float] = []
            watch = threading.Thread(target=_watch, args=(process.pid, peaks), daemon=True)
            watch.start()
            process.wait(300)
            watch.join()
            out, errors = (content_of(stream) for stream in streams[1:])
    return Reviewed(
        code=process.wait(),
        report=Report.model_validate_json(out),
        errors=errors.decode(),
        megabytes=max(peaks),
        requests=len(script.requests),
        sent_tokens=sum(estimate_tokens(json.dumps(each["messages"])) for each in script.requests),
    )


def _watch(pid: int, peaks: list[float]) -> None:
    """Note the peak of a process until it has ended."""
    while found := re.search(r"VmHWM:\s+(\d+) kB", _status(pid)):
        peaks.append(int(found[1]) / 1024)
        time.sleep(0.02)


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("Sum", {"app.py": "def total(items):\n    return sum(itms)\n"})
    return repo


@pytest.mark.parametrize("name", ["endless_line", "endless_error", "gzip_bomb", "deep_json"])
def test_the_machines_findings_are_reported_in_little_memory_whatever_the_server_sends(
    changed: Repo, name: str
) -> None:
    ended = reviewed(changed, BEHAVIOURS[name])
    assert FOUND in ended.titles
    assert ended.code in {1, 3}
    assert ended.report.incomplete[0].name == "verifier"
    assert "unexpected" not in ended.errors
    assert ended.megabytes < MOST_MEGABYTES


@pytest.mark.parametrize("name", ["endless_text", "endless_calls_of_no_tool"])
def test_a_server_that_floods_only_those_who_review_ends_no_review(changed: Repo, name: str) -> None:
    # The planner reads as much as ever, which shows the memory; the others need not, which takes long.
    ended = reviewed(changed, after_the_probe(BEHAVIOURS[name]), "--specialist-max-tokens", "500")
    assert FOUND in ended.titles
    assert ended.code in {1, 3}
    assert {"planner", "logic"} <= {gap.name for gap in ended.report.incomplete}
    assert ended.megabytes < MOST_MEGABYTES


def test_a_budget_is_kept_and_said_against_a_server_that_reports_one_token_a_reply(changed: Repo) -> None:
    budget = 60_000
    act = after_the_probe(reads_forever(USAGES["one_token"]))
    ended = reviewed(changed, act, "--budget-tokens", str(budget))
    assert FOUND in ended.titles
    assert ended.code in {1, 3}
    assert ended.sent_tokens <= budget
    assert sum(each.input_tokens + each.output_tokens for each in ended.report.usage) <= budget
    # The question whether the verifier is there is answered properly, and believed.
    others = ended.requests - 1
    requests = f"{others} of {ended.requests} requests"
    said = f"estimated for {requests}, for which the server reported {2 * others} tokens"
    assert said in spent_sentence(ended.report)
