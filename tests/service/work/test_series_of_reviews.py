"""Reviews of the same pull request or branch over the service: each follows the one before, and pays less."""

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from github_server import GitHubServer
from model_server import Exchange, Script, stating
from model_server import serving as model_serving
from pausing_model import PausingModel
from posting_flow import ALL_BUT_RUFF
from repositories import Repo
from scripted_model import CONFIRMED, NOTHING, model
from service_process import ONLY_RUFF, Client, make_token, operate, other_diff, serving, working

SECRET = "a secret of the webhook"
START, EMPTY, ROUND = "    result = 1", "    return sum(values) / len(values)", "    return int(value)"
MEAN = f"\n\ndef mean(values):\n{EMPTY}\n"
LOOP = "    for value in values:\n        result += value\n    return result\n"
TOTAL = "def total(values):\n    result = {}\n" + LOOP
LONG = "".join(f"\n\ndef step_{number}(value):\n    return value + {number}\n" for number in range(120))
FIRST = {"app.py": TOTAL.format(1) + MEAN, "steps.py": LONG.lstrip()}
SECOND = {"app.py": TOTAL.format(0) + MEAN, "round.py": f"def rounded(value):\n{ROUND}\n"}


def claim(file: str, line: int, quote: str, title: str) -> dict[str, Any]:
    proof = {
        "code_examined": quote,
        "line_range_examined": [line, line],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "an empty list",
        "wrong_outcome": "a wrong number",
    }
    words = {"title": title, "message": f"{title}: nothing else looks after it.", "file": file, "line": line}
    return {"id": title, "severity": "high", "category": "correctness", **words, "verification": proof}


CLAIMS = (
    claim("app.py", 2, START, "The sum starts at one"),
    claim("app.py", 9, EMPTY, "The mean of nothing divides by zero"),
    claim("round.py", 2, ROUND, "Rounding cuts the fraction off"),
)


def reads_what_it_is_shown(exchange: Exchange) -> None:
    """A model that finds what is wrong in the code that its task has, and costs as much as it reads."""
    told = json.dumps(exchange.body["messages"])
    found = [one for one in CLAIMS if one["verification"]["code_examined"].strip() in told]
    usage = {"prompt_tokens": len(told) // 4, "completion_tokens": 10, "total_tokens": len(told) // 4 + 10}
    is_fixed = CLAIMS[0]["title"] in told and "result = 0" in told
    judged = {**CONFIRMED, "judgment": "REFUTED", "reason": "it starts at 0"} if is_fixed else CONFIRMED
    answers = {"review_result": {**NOTHING, "findings": found}, "verification_judgment": judged}
    stating(usage, model(**answers))(exchange)


@dataclass(frozen=True)
class Place:
    """A server with a forge and two tenants."""

    one: Client
    two: Client
    github: GitHubServer
    script: Script
    folder: Path

    def reviewed(self, client: Client, **body: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """How a review stands when it is done, and its report."""
        review_id = client.submit(**body)
        summary = client.finished(review_id)
        assert summary["status"] == "completed", summary
        return summary, client.get(f"/api/review/{review_id}/report").json

    def estimated(self, client: Client, **body: Any) -> dict[str, Any]:
        answer = client.post("/api/estimate", body)
        assert answer.status == 200, answer.text
        found: dict[str, Any] = answer.json
        return found

    def delivered(self, action: str) -> dict[str, Any]:
        pull = {"html_url": self.github.address.url, "head": {"sha": self.github.head}, "draft": False}
        body = json.dumps({"action": action, "pull_request": pull}).encode()
        headers = {
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": f"{action} {self.github.head}",
            "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
        }
        answer = self.one.ask("POST", "/api/webhook/github", body, headers)
        assert answer.status == 202, answer.text
        found: dict[str, Any] = answer.json
        return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("series")
    github = GitHubServer(folder / "forge")
    base = github.origin.commit("main", {"app.py": "def total(values):\n    return sum(values)\n"}, "Begin")
    github.open_pull(base, github.origin.commit("topic", dict(FIRST), "Sum by hand"))
    tokens = {name: make_token(folder / "data", name, "submit", tenant=name) for name in ("one", "two")}
    environment = {
        "AFFIDAVIT_GITHUB_HOSTS": github.url,
        "AFFIDAVIT_GITHUB_TOKEN": "read",
        "AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET,
        "AFFIDAVIT_WEBHOOK_TENANT": "one",
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
    }
    with (
        model_serving(reads_what_it_is_shown) as (address, script),
        serving(
            folder / "data",
            *("--host", "127.0.0.2", "--model", "openai:scripted", "--base-url", address),
            *("--repository-bytes", "2000000"),
            environment=environment,
        ) as (client, _),
    ):
        one, two = (Client(client.url, tokens[name]) for name in ("one", "two"))
        yield Place(one, two, github, script, folder / "data")
    github.stop()


@pytest.fixture(scope="module")
def estimates() -> dict[str, dict[str, Any]]:
    """What was said before each push was reviewed, and after."""
    return {}


@pytest.fixture(scope="module")
def pushes(place: Place, estimates: dict[str, dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Two pushes of one pull request, each reviewed: summary and report."""
    asked, github = {"github_url": place.github.address.url}, place.github
    estimates["first"] = place.estimated(place.one, **asked)
    first = place.reviewed(place.one, **asked)
    github.push(github.origin.commit("topic", dict(SECOND), "Start at zero, and round"))
    estimates["second"] = place.estimated(place.one, **asked)
    estimates["whole"] = place.estimated(place.one, **asked, all=True)
    estimates["of another"] = place.estimated(place.two, **asked)
    second = place.reviewed(place.one, **asked)
    estimates["done"] = place.estimated(place.one, **asked)
    estimates["again"] = place.estimated(place.one, **asked, again=True)
    return [first, second]


def fates(report: dict[str, Any]) -> dict[str, str]:
    return {one["title"]: one["fate"] for one in report["follow_up"]["decisions"]}


def shown(report: dict[str, Any]) -> dict[str, str]:
    return {one["finding"]["title"]: one["id"] for one in report["candidates"] if not one["withheld"]}


def test_the_second_push_says_what_is_fixed_still_open_and_new(place: Place, pushes: list[Any]) -> None:
    (before, first), (after, second) = pushes
    sum_title, mean_title, round_title = (one["title"] for one in CLAIMS)
    assert first["follow_up"] is None
    assert {sum_title, mean_title} <= {*shown(first)}
    assert fates(second) == {sum_title: "fixed", mean_title: "still_open"}
    assert second["follow_up"]["new"] == [shown(second)[round_title]]
    assert (second["follow_up"]["iteration"], second["follow_up"]["previous"]) == (2, before["review_id"])
    assert {mean_title, round_title} == {*shown(second)}
    url = place.github.address.url
    assert (before["series"], before["iteration"], before["follows"]) == (url, 1, None)
    assert (after["series"], after["iteration"], after["follows"]) == (url, 2, before["review_id"])


def test_what_did_not_change_is_not_paid_for_again(pushes: list[Any]) -> None:
    (before, _), (after, second) = pushes
    assert second["follow_up"]["scope"]["is_whole"] is False
    # Both read the instructions and the surroundings; the rest of the first is mostly its long diff.
    assert after["tokens"] < before["tokens"] * 0.6, (before["tokens"], after["tokens"])
    (steps,) = (one for one in second["coverage"] if one["path"] == "steps.py")
    assert all("logic" in str(hunk["examined_before"]) for hunk in steps["hunks"])


def test_an_estimate_says_what_the_next_review_of_its_series_will_pay(
    pushes: list[Any], estimates: dict[str, dict[str, Any]]
) -> None:
    (before, _), (after, _) = pushes
    told = {name: one["input_tokens"] for name, one in estimates.items()}
    assert told["second"] < told["first"] / 2, told
    assert told["second"] < told["whole"] / 2, told
    # Another tenant has reviewed nothing of it, and would pay for all.
    assert told["of another"] == pytest.approx(told["whole"], rel=0.3)
    said, paid = told["second"] / told["first"], after["tokens"] / before["tokens"]
    assert said == pytest.approx(paid, rel=0.5)


def test_an_estimate_of_what_is_reviewed_already_is_nothing_unless_it_is_asked_for_anew(
    pushes: list[Any], estimates: dict[str, dict[str, Any]]
) -> None:
    assert pushes
    assert (estimates["done"]["input_tokens"], estimates["done"]["cost_usd"]) == (0, 0)
    assert "`again`" in estimates["done"]["text"]
    # What was looked at then is looked at again.
    assert estimates["again"]["input_tokens"] == pytest.approx(estimates["second"]["input_tokens"], rel=0.2)


def test_the_next_planner_is_told_what_was_asked_before(place: Place, pushes: list[Any]) -> None:
    asked = [
        json.dumps(one["messages"]) for one in place.script.requests if "review_plan" in str(one.get("tools"))
    ]
    (before, _), _ = pushes
    assert before["iteration"] == 1
    assert not any("feedback_history" in one for one in asked[:1])
    assert any("feedback_history" in one and CLAIMS[0]["title"] in one for one in asked[1:])


def test_the_iterations_of_a_review_are_listed_side_by_side(place: Place, pushes: list[Any]) -> None:
    (before, _), (after, _) = pushes
    for name in (before["review_id"], after["review_id"]):
        listed = place.one.get(f"/api/review/{name}/iterations").json
        assert listed["series"] == place.github.address.url
        found = listed["iterations"][:2]
        assert [one["review"]["review_id"] for one in found] == [before["review_id"], after["review_id"]]
        counts = [(one["iteration"], one["fixed"], one["still_open"], one["new"]) for one in found]
        assert counts == [(1, 0, 0, 2), (2, 1, 1, 1)]
        assert found[1]["score"] == pytest.approx(found[0]["score"])
    assert place.two.get(f"/api/review/{before['review_id']}/iterations").status == 404


def test_the_same_head_asked_for_twice_is_one_review(place: Place, pushes: list[Any]) -> None:
    _, (after, _) = pushes
    answer = place.one.post("/api/review", {"github_url": place.github.address.url})
    assert (answer.status, answer.json["review_id"]) == (200, after["review_id"])


def test_another_tenants_review_of_the_same_pull_request_is_not_followed(
    place: Place, pushes: list[Any]
) -> None:
    _, (_, second) = pushes
    summary, report = place.reviewed(place.two, github_url=place.github.address.url)
    assert report["follow_up"] is None
    assert (summary["iteration"], summary["follows"]) == (1, None)
    listed = place.two.get(f"/api/review/{summary['review_id']}/iterations").json["iterations"]
    assert [one["report_id"] for one in listed] == [summary["review_id"]]
    assert report["id"] != second["id"]


def test_a_label_counts_in_the_quality_of_its_tenant_alone(place: Place, pushes: list[Any]) -> None:
    _, (after, second) = pushes
    before = [client.get("/api/quality").json for client in (place.one, place.two)]
    finding = shown(second)[CLAIMS[2]["title"]]
    path = f"/api/review/{after['review_id']}/findings/{finding}/label"
    assert place.two.ask("PUT", path, {"label": "wrong"}).status == 404
    assert place.one.ask("PUT", path, {"label": "wrong", "why": "it rounds on purpose"}).status == 200
    one, two = (client.get("/api/quality").json for client in (place.one, place.two))
    assert (before[0]["wrong"], before[0]["labelled"]) == (None, 0)
    assert (one["wrong"]["count"], one["wrong"]["n"]) == (1, 1)
    assert one["mistakes"][0]["why"] == "it rounds on purpose"
    assert two == before[1]


def test_a_push_that_a_webhook_tells_of_is_the_next_iteration_and_its_deleted_forerunner_breaks_nothing(
    place: Place, pushes: list[Any]
) -> None:
    (before, _), (after, _) = pushes
    github = place.github
    assert place.one.ask("DELETE", f"/api/review/{before['review_id']}").status == 204
    kept = place.one.get(f"/api/review/{after['review_id']}/report").json
    assert kept["follow_up"]["previous"] == before["review_id"]
    fixed = MEAN.replace(EMPTY, "    return sum(values) / max(len(values), 1)")
    github.push(github.origin.commit("topic", {"app.py": TOTAL.format(0) + fixed}, "Mean of nothing"))
    summary = place.one.finished(place.delivered("synchronize")["review_id"])
    assert (summary["iteration"], summary["follows"]) == (3, after["review_id"])
    report = place.one.get(f"/api/review/{summary['review_id']}/report").json
    assert fates(report)[CLAIMS[2]["title"]] == "still_open"
    listed = place.one.get(f"/api/review/{summary['review_id']}/iterations").json["iterations"]
    assert [one["iteration"] for one in listed] == [2, 3]


def test_a_label_is_of_one_review_and_what_people_dismiss_on_the_forge_is_withheld(
    place: Place, pushes: list[Any]
) -> None:
    title, github = CLAIMS[2]["title"], place.github
    _, (second, kept) = pushes
    path = f"/api/review/{second['review_id']}/findings/{shown(kept)[title]}/label"
    assert place.one.ask("PUT", path, {"label": "wrong", "why": "it rounds on purpose"}).status == 200
    github.push(github.origin.commit("topic", {"more.txt": "rounded\n"}, "Say more"))
    summary, report = place.reviewed(place.one, github_url=github.address.url)
    found = next(one for one in report["candidates"] if one["id"] == shown(report)[title])
    # A label is about one finding in one report.
    assert summary["iteration"] > second["iteration"]
    assert place.one.get(f"/api/review/{summary['review_id']}/labels").json["labels"] == []
    github.say("mel", f"/affidavit dismiss {found['fingerprint']} it rounds on purpose")
    github.push(github.origin.commit("topic", {"notes.txt": "rounded\n"}, "Say so"))
    after, next_report = place.reviewed(place.one, github_url=github.address.url)
    (dismissed,) = (one for one in next_report["candidates"] if one["fingerprint"] == found["fingerprint"])
    assert after["iteration"] == summary["iteration"] + 1
    assert dismissed["withheld"]["code"] == "dismissed"


def objects_in(folder: Path) -> set[Path]:
    """Everything that was fetched and is kept."""
    return {file for file in folder.rglob("*.git/objects/**/*") if file.is_file()}


def test_a_fetch_of_more_than_the_operator_allows_is_refused_with_what_to_do_and_nothing_of_it_stays(
    place: Place,
) -> None:
    github, asked = place.github, {"github_url": place.github.address.url}
    before, kept = github.head, objects_in(place.folder)
    large = base64.b64encode(os.urandom(2_500_000)).decode()
    github.push(github.origin.commit("topic", {"large.txt": large}, "Too much"))
    try:
        summary = place.one.finished(place.one.submit(**asked))
        assert (summary["status"], summary["stage"]) == ("failed", "open")
        assert "2,000,000 bytes" in summary["reason"]
        assert "--repository-bytes" in summary["reason"]
        refused = place.one.post("/api/estimate", asked)
        assert (refused.status, "--repository-bytes" in refused.text) == (413, True), refused.text
        assert objects_in(place.folder) == kept
    finally:
        github.push(github.origin.commit("topic", {}, "As it was", start=before))
    assert place.estimated(place.one, **asked)["input_tokens"] > 0


@pytest.fixture(scope="module")
def shop(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("registered") / "shop")
    repo.commit("start", {"app.py": "def total(values):\n    return sum(values)\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("by hand", dict(FIRST))
    done = operate(place.folder, "repository", "add", "shop", str(repo.path), "--tenant", "one")
    assert done.code == 0, done.err
    return repo


def test_a_branch_of_a_known_repository_is_a_series_and_all_looks_at_everything(
    place: Place, shop: Repo
) -> None:
    asked = {"repository": "shop", "base": "main", "head": "topic"}
    first, _ = place.reviewed(place.one, **asked)
    assert (first["series"], first["iteration"]) == ("topic", 1)
    shop.git("checkout", "-q", "main")
    shop.commit("elsewhere", {"README.md": "# Shop\n"})
    shop.git("checkout", "-q", "topic")
    shop.commit("round", dict(SECOND))
    second, report = place.reviewed(place.one, **asked)
    assert (second["iteration"], second["follows"]) == (2, first["review_id"])
    # The branch that it started from has moved on, and is still the same branch.
    assert report["follow_up"]["scope"]["is_whole"] is False
    whole, anew = place.reviewed(place.one, **asked, all=True)
    assert whole["review_id"] != second["review_id"]
    assert anew["follow_up"]["scope"]["is_whole"] is True
    assert whole["tokens"] > second["tokens"]
    # The same head: it takes the place of the one before, and decides what that one had decided.
    assert (whole["iteration"], fates(anew)) == (2, fates(report))
    listed = place.one.get(f"/api/review/{whole['review_id']}/iterations").json["iterations"]
    assert [one["report_id"] for one in listed] == [first["review_id"], whole["review_id"]]


def test_a_commit_or_a_diff_belongs_to_no_series_unless_one_is_named(place: Place, shop: Repo) -> None:
    by_commit = {"repository": "shop", "base": "main", "head": shop.git("rev-parse", "topic")}
    asked = (
        by_commit,
        {"diff_text": other_diff("a.txt")},
        {"diff_text": other_diff("a.txt"), "series": "my"},
    )
    found = []
    for body in asked:
        review_id = place.one.submit(**body)
        found.append(place.one.get(f"/api/review/{review_id}/iterations").json)
        place.one.post(f"/api/review/{review_id}/cancel")
    assert found == [{"series": name, "iterations": []} for name in (None, None, "my")]
    assert place.one.post("/api/review", {"diff_text": other_diff("c.txt"), "series": " "}).status == 422


def another(number: int) -> str:
    """The same change beside another new file."""
    text = f"+def other_{number}(value):\n+    return value * {number} + {number}"
    return other_diff(f"other_{number}.py").replace("+note", text).replace("+1 @@\n+def o", "+1,2 @@\n+def o")


def test_whoever_takes_over_follows_the_same_review_also_a_deleted_one_and_none_that_was_cancelled(
    postgres_url: str, tmp_path: Path
) -> None:
    pausing = PausingModel()
    with model_serving(pausing) as (address, _), ExitStack() as workers:
        arguments = ["--model", "openai:scripted", "--base-url", address, "--database", postgres_url]
        arguments += ["--dead-after-seconds", "60", "--drain-seconds", "1"]
        how = {"environment": ONLY_RUFF}
        client, _ = workers.enter_context(serving(tmp_path, "--no-work", *arguments, **how))
        dead = workers.enter_context(working(tmp_path, *arguments, **how))
        first = client.submit(diff_text=another(1), series="mine")
        assert client.finished(first)["status"] == "completed"

        pausing.pause_at("reviewer")
        cancelled = client.submit(diff_text=another(2), series="mine")
        assert pausing.reached.wait(60)
        assert client.post(f"/api/review/{cancelled}/cancel").status == 202
        pausing.go_on()

        # The cancelled one may still ask a reviewer once more.
        pausing.pause_at("reviewer", about="other_3")
        second = client.submit(diff_text=another(3), series="mine")
        assert pausing.reached.wait(60)
        assert client.get(f"/api/review/{second}/summary").json["follows"] == first
        assert client.ask("DELETE", f"/api/review/{first}").status == 204
        dead.kill()
        workers.enter_context(working(tmp_path, *arguments, **how))
        pausing.go_on()
        summary = client.finished(second)
        assert (summary["status"], summary["attempt"], summary["follows"]) == ("completed", 2, first)
        report = client.get(f"/api/review/{second}/report").json
        assert report["inputs"]["earlier"]["report_id"] == first
        assert [one["fate"] for one in report["follow_up"]["decisions"]] == ["still_open"]

        assert client.post(f"/api/review/{cancelled}/retry").status == 202
        retried = client.finished(cancelled)
        assert (retried["status"], retried["follows"]) == ("completed", first)
