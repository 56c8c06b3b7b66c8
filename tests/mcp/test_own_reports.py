"""Reports over MCP: those of the server's own repository alone."""

import asyncio
import json
from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest

from affidavit.errors import InputError
from affidavit.mcp.reports import ReportDesk
from affidavit.mcp.reviews import BackgroundReviews
from affidavit.reviewing.options import ReviewOptions
from affidavit.store.open import open_store
from agent_client import answer_of, over_stdio, review_result
from commands import affidavit
from repositories import Repo

GITHUB = "ghp" + "_" + "".join(Random(7).choices(ascii_letters + digits, k=36))


def reviewed(place: Path, data: Path, *options: str) -> Repo:
    repo = Repo(place)
    repo.commit("Start", {"app.py": f"# {place}\nprint(1)\n"})
    repo.commit("Token", {"app.py": f"# {place}\nprint(1)\nTOKEN = '{GITHUB}'\n"})
    done = affidavit("review", "HEAD", "--data", str(data), *options, cwd=repo.path)
    assert done.code in (0, 1), done.err
    return repo


@pytest.mark.parametrize("other_name", ["other", "ours"])
def test_a_server_serves_no_report_of_another_repository(tmp_path: Path, other_name: str) -> None:
    data = tmp_path / "data"
    reviewed(tmp_path / "elsewhere" / other_name, data, "--analysers-off", "ty,kingfisher")
    ours = Repo(tmp_path / "ours")
    ours.commit("Start", {"a.py": "print(1)\n"})
    with open_store(data) as store:
        (kept,) = store.reports.ids()
        reports = ReportDesk(ours.path, store, BackgroundReviews(ours.path, ReviewOptions()))
        for name in ("last", kept, kept[:6]):
            with pytest.raises(InputError, match="report"):
                reports.find(name)


def test_no_tool_serves_a_secret_of_the_diff_and_its_report_can_still_be_proven(tmp_path: Path) -> None:
    data = tmp_path / "data"
    repo = reviewed(tmp_path / "ours", data)

    async def run() -> None:
        async with over_stdio(repo.path, "--data", str(data)) as client:

            async def call(tool: str, **arguments: object) -> dict[str, object]:
                answer = answer_of(await client.call_tool(tool, arguments))
                assert GITHUB not in json.dumps(answer)
                return answer

            assert (await call("recheck", report="last"))["not_holding"] == []
            await call("open_change", target="HEAD")
            await call("get_map")
            result = review_result("TOKEN = 'REDACTED_token_0'")
            result["findings"][0]["file"] = "app.py"
            await call("submit_findings", result=result)
            assert (await call("explain", report="last", finding="one"))["place"] == "app.py:3"

    asyncio.run(run())


def test_a_report_of_another_release_is_proven_by_nobody(tmp_path: Path) -> None:
    data = tmp_path / "data"
    repo = reviewed(tmp_path / "ours", data)
    with open_store(data) as store:
        reports = ReportDesk(repo.path, store, BackgroundReviews(repo.path, ReviewOptions()))
        other = reports.find("last").model_copy(update={"affidavit_version": "9.9.1"})
        reports.keep(other)
        with pytest.raises(InputError, match=r"pip install affidavit==9\.9\.1"):
            asyncio.run(reports.prove_again(other.id))
