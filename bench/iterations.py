"""A second review of a change after a small push: what models read for it, against the first review."""

import asyncio
import json
import sys
import tempfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from affidavit.config.settings import Settings
from affidavit.iterations.following.earlier_review import earlier_of
from affidavit.minds.choice import choose_model
from affidavit.minds.ledger import Ledger
from affidavit.minds.roles import minds_from
from affidavit.pipeline import review
from affidavit.ports import Role
from affidavit.records.iteration import Earlier
from affidavit.records.report import Report
from affidavit.render.formats import render
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.panel import assemble_panel
from affidavit.stages.looking.intake import ChangeRequest, open_change
from bench.commits import git
from bench.model_review import FILES, Panelist, TokenRow, module_text
from bench.row import Row
from bench.slow_model import serve, serving

BOUND = 1 / 5
PUSHED = 7
"""The file in which the push changes one line."""


class Attentive(Panelist):
    """A panelist that speaks only of files whose diff it is shown."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        said = super().reply(body)
        calls = said.get("tool_calls") or [{"function": {"name": "", "arguments": "{}"}}]
        function = calls[0]["function"]
        if function["name"] != "review_result":
            return said
        result = json.loads(function["arguments"])
        told = json.dumps(body["messages"])
        result["findings"] = [one for one in result["findings"] if f"=== {one['file']}" in told]
        function["arguments"] = json.dumps(result)
        return said


def rows() -> list[Row]:
    """The tokens of the second review against those of the first."""
    with tempfile.TemporaryDirectory() as folder, serving("bench.iterations", 0) as url:
        repository = Path(folder) / "repo"
        _make(repository)
        first = _review(repository, Path(folder) / "cache", url, None)
        _push(repository)
        digest = sha256(render(first, "report").encode()).hexdigest()
        second = _review(repository, Path(folder) / "cache", url, earlier_of(first, digest))
    _check(first, second)
    what = "a second review after a small push"
    return [TokenRow(what, _tokens(second), "the first review of the change", _tokens(first), BOUND)]


def _make(repository: Path) -> None:
    """Some 2,000 changed lines in twenty files, on a branch."""
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    for message, wrong in (("Before", "item"), ("Add twice what is bought twice", "item * 2")):
        for number in range(FILES):
            (repository / f"m{number:02}.py").write_text(module_text(number, wrong))
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", message)
        if message == "Before":
            git(repository, "checkout", "-q", "-b", "topic")


def _push(repository: Path) -> None:
    file = repository / f"m{PUSHED:02}.py"
    file.write_text(file.read_text().replace("total += item * 2", "total += item * 3", 1))
    git(repository, "commit", "-q", "-a", "-m", "Three times")


def _review(repository: Path, cache: Path, url: str, earlier: Earlier | None) -> Report:
    roles = [role for role in get_args(Role) if role != "second_verifier"]
    choices = {role: choose_model("scripted", role, base_url=url) for role in roles}
    settings = Settings()
    panel = assemble_panel(minds_from(choices, ledger=Ledger()), cache)
    crew = replace(assemble_crew(settings, cache), panel=panel)
    with open_change(ChangeRequest(target="main...topic", repo=repository)) as opened:
        return asyncio.run(review(opened.change, opened.repository, settings, crew, earlier=earlier))


def _tokens(report: Report) -> int:
    return sum(one.input_tokens + one.output_tokens for one in report.usage)


def _check(first: Report, second: Report) -> None:
    scope = second.follow_up.scope if second.follow_up else None
    if first.incomplete or second.incomplete or scope is None or scope.touched != (f"m{PUSHED:02}.py",):
        raise SystemExit(
            f"the reviews did not go as planned: {first.incomplete}, {second.incomplete}, {scope}"
        )


if __name__ == "__main__":
    if "serve" in sys.argv:
        serve(Attentive, float(sys.argv[-1]))
    for row in rows():
        print(row.line())
