"""What must not change while the code does: reviews as data, apart from their words."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affidavit.records.report import Report
from commands import affidavit
from forge_http import Origin
from github_server import GitHubServer, opened_github
from golden import assert_data, assert_words, data_of_event
from model_server import serving
from panelists import claim, panelists, result, task_in
from panelists import review as review_with_model
from posting_flow import post, reviewed
from repositories import Repo
from sandboxes import needed_sandbox
from shop import BASE_FILES, HEAD_FILES

SAMPLE = Path(__file__).parents[2] / "sample"
FORMATS = {"verdict": "json", "feedback": "json", "sarif": "json", "gitlab": "json"}
FORMATS |= {"review-result": "json", "terminal": "txt", "markdown": "md", "junit": "xml", "agent": "txt"}


def essence(report: dict[str, Any]) -> dict[str, Any]:
    """What a report decides: findings with places and fates, gate, coverage, gaps."""
    return {
        "verdict": report["verdict"],
        "gate": report["gate"],
        "coverage": report["coverage"],
        "not_run": [one["name"] for one in report["not_run"]],
        "findings": sorted((finding_of(one) for one in report["candidates"]), key=json.dumps),
    }


def finding_of(candidate: dict[str, Any]) -> dict[str, Any]:
    finding = candidate["finding"]
    withheld = candidate["withheld"]
    return {
        **{key: finding[key] for key in ("rule_id", "file", "line", "end_line", "severity", "category")},
        **{key: candidate[key] for key in ("id", "specialist", "status", "fingerprint")},
        "withheld": withheld["code"] if withheld else None,
        "runs": [one["outcome"] for one in [candidate["reproduction"]] if one],
    }


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every format of the sample review, in a folder."""
    folder = tmp_path_factory.mktemp("golden")
    repo = Repo(folder / "shop")
    for side in ("before", "after"):
        shutil.copytree(SAMPLE / side, repo.path, dirs_exist_ok=True)
        repo.git("add", "--all")
        repo.git("commit", "--quiet", "--message", {"before": "A small shop"}.get(side, "Redeem coupons"))
    named = [f"{name}={folder / name}.{ending}" for name, ending in {**FORMATS, "report": "json"}.items()]
    asked = [word for one in named for word in ("--format", one)]
    done = affidavit("review", "HEAD~1..HEAD", "--no-store", *asked, cwd=repo.path)
    assert done.code == 1, done.err
    return folder


def test_the_sample_review_finds_the_same(sample: Path) -> None:
    assert_data("sample", essence(json.loads((sample / "report.json").read_text())))


@pytest.mark.parametrize("name", [name for name, ending in FORMATS.items() if ending == "json"])
def test_a_format_for_machines_has_the_same_data(sample: Path, name: str) -> None:
    assert_data(f"sample-{name}", json.loads((sample / f"{name}.json").read_text()))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_the_same_words(sample: Path, name: str) -> None:
    assert_words(f"sample-{name}.txt", (sample / f"{name}.{FORMATS[name]}").read_text())


BASE = "def total(prices):\n    return sum(prices)\n"
HEAD = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"
SHOWS = {
    "language": "python",
    "program": "from app import total\nprint(total([]))\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "IndexError"},
}


@pytest.mark.parametrize("options", [(), ("--run",)], ids=["reading", "running"])
def test_a_review_with_a_scripted_model_finds_the_same(
    repo: Repo, tmp_path: Path, options: tuple[str, ...]
) -> None:
    if options:
        needed_sandbox()
    repo.commit("base", {"app.py": BASE})
    repo.commit("head", {"app.py": HEAD})
    found = claim(
        "app.py",
        2,
        "    return prices[0] + sum(prices[1:])",
        evidence={"reproduction": SHOWS} if options else {},
    )
    says = panelists(
        lambda told: {**result(*[found] * (task_in(told) == "logic")), "schema_version": "1.2"},
    )
    report, log = tmp_path / "report.json", tmp_path / "events.jsonl"
    with serving(says) as (address, _script):
        files = ("--format", f"report={report}", "--events", str(log))
        done = review_with_model(repo.path, address, *files, *options)
    assert report.exists(), done.err
    name = "model-running" if options else "model-reading"
    assert_data(name, essence(json.loads(report.read_text())))
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert_data(f"{name}-events", sorted({json.dumps(data_of_event(one), sort_keys=True) for one in events}))


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    folder = tmp_path / "begun"
    origin = Origin(folder / "cart.git", folder / "work")
    base = origin.commit("main", dict(BASE_FILES), "Begin")
    head = origin.commit("topic", dict(HEAD_FILES), "Add prices in several currencies")
    server = opened_github(tmp_path / "github", (folder, base, head))
    yield server
    server.stop()


def test_a_posted_review_says_the_same_at_the_same_places(github: GitHubServer, tmp_path: Path) -> None:
    report: Report = reviewed(github.address, tmp_path / "cache")
    post(github.address, report)
    places = [{key: one[key] for key in ("path", "line", "side")} for one in github.inline]
    assert_data("posted", {"inline": places, "states": [one["state"] for one in github.reviews]})
    bodies = [one["body"] for one in (*github.inline, *github.comments)]
    assert_words("posted.txt", "\n----\n".join(bodies).replace(github.address.url, "URL"))
