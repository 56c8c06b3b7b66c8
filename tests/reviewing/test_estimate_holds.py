"""The estimate against a review that goes as it assumes: every token that is sent is counted on the wire."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from affidavit.agents.model_agents import LENSES
from affidavit.ports import Role
from affidavit.reviewing.cost import BYTES_A_TOKEN, COURSES, FINDINGS_PER_CONVERSATION, WITHIN_FACTOR
from commands import affidavit
from model_server import Act, Exchange, calls, says, serving
from panelists import CONFIRMED, PLAN, WORDS, claim, result, review, task_in, told_in
from repositories import Repo
from scripted_model import JOINING, each_alone

ANSWERS: Mapping[str, Role] = {
    "review_plan": "planner",
    "review_result": "specialist",
    "verification_judgment": "verifier",
}
LOOKS = ("logic", "fit with the rest of the code", "security", "quality", "a second look")
READ = {"file_path": "app.py", "start_line": 1, "end_line": 120}
WHOLE = {**PLAN, "questions": {lens: [] for lens in LENSES}}


def line_of(number: int) -> str:
    return f"value_{number} = compute_{number}(first_{number}, {number})"


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("estimate") / "repo")
    old = [line_of(number) for number in range(1, 601)]
    repo.commit("base", {"app.txt": "x\n", "app.py": "\n".join(old) + "\n"})
    new = [line.replace("compute", "count") if index % 3 == 0 else line for index, line in enumerate(old)]
    repo.commit("Count", {"app.py": "\n".join(new) + "\n"})
    return repo


def found_by(told: str) -> dict[str, Any]:
    """As many findings of each look as the estimate assumes, none of them said twice."""
    look = next((at for at, name in enumerate(LOOKS) if task_in(told).startswith(name[:8])), len(LOOKS))
    lines = [1 + 3 * (30 * look + 12 * number) for number in range(FINDINGS_PER_CONVERSATION)]
    return result(
        *(
            claim("app.py", line, line_of(line).replace("compute", "count"), title=f"Wrong{line} alpha{line}")
            | {"message": f"beta{line} gamma{line} delta{line}"}
            for line in lines
        )
    )


def as_assumed(sent: Counter[str], asked: Counter[str]) -> Act:
    """A model that reads as often as the estimate assumes, and then answers."""

    def act(exchange: Exchange) -> None:
        body = exchange.body
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        answer = next((name for name in ANSWERS if name in names), None)
        is_joining = JOINING in json.dumps(body["messages"])
        role = ANSWERS[answer] if answer else "joiner" if is_joining else "reporter"
        sent[role] += len(json.dumps(body, ensure_ascii=False).encode()) // BYTES_A_TOKEN
        asked[role] += 1
        turns = sum(message["role"] == "tool" for message in body["messages"]) + 1
        if is_joining:
            says(json.dumps(each_alone(exchange)))(exchange)
        elif answer is None:
            says(json.dumps(WORDS))(exchange)
        elif turns < COURSES[role].requests:
            calls(("get_file_context", json.dumps(READ)))(exchange)
        else:
            last = {"planner": WHOLE, "verifier": CONFIRMED}.get(role) or found_by(told_in(body))
            calls((answer, json.dumps(last)))(exchange)

    return act


def test_a_review_that_goes_as_assumed_costs_what_was_estimated(changed: Repo) -> None:
    sent: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with serving(as_assumed(sent, asked)) as (address, _):
        options = ("--model", "tiny", "--base-url", address, "--analysers-off", "ty,ruff,kingfisher")
        foretold = affidavit("review", "HEAD", "--estimate", *options, cwd=changed.path)
        done = review(changed.path, address, "--analysers-off", "ty,ruff,kingfisher")
    assert done.code == 1, done.err
    for role in (*ANSWERS.values(), "joiner", "reporter"):
        (row,) = [line for line in foretold.out.splitlines() if line.startswith(f"{role} ")]
        requests, new, repeated = (int(cell.replace(",", "")) for cell in re.split(r" {2,}", row)[3:6])
        tokens = new + repeated
        # The reporter's share holds the question that tries the verifier, which has no tools either.
        assert requests == asked[role] - (role == "reporter"), role
        assert tokens / WITHIN_FACTOR <= sent[role] <= tokens * WITHIN_FACTOR, (role, tokens, sent[role])
