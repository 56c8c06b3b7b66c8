"""What servers outside and programs answered in a review is kept for whoever takes it over."""

from typing import Any

import pytest
from click.testing import CliRunner

from affidavit.minds.conversation_log import GivenLog
from affidavit.reviewing.options import ReviewOptions
from affidavit.service.commands.serve import command as serve
from affidavit.service.commands.worker import command as worker
from affidavit.tools.outside import OutsideTools


def test_an_answer_of_a_server_outside_is_kept_and_given_again() -> None:
    kept: list[dict[str, Any]] = []
    first = OutsideTools([], GivenLog([], lambda _key, body: kept.append(body)))
    answer = first.call("find_outside_tools", {"query": "search"})
    assert [one["outside"] for one in kept] == [answer]
    told = {**kept[0], "outside": {"tools": ["docs.search"]}}
    taken_over = OutsideTools([], GivenLog([told], lambda _key, _body: pytest.fail("it is asked again")))
    assert taken_over.call("find_outside_tools", {"query": "search"}) == {"tools": ["docs.search"]}


@pytest.mark.parametrize("command", [serve, worker])
def test_the_service_connects_models_to_no_server_outside(command: Any) -> None:
    refused = CliRunner().invoke(command, ["--mcp-servers", "servers.json"])
    assert refused.exit_code == 2
    assert "No such option" in refused.output
    settings = CliRunner(env={"AFFIDAVIT_MCP_SERVERS": "servers.json"})
    assert "mcp-servers" not in settings.invoke(command, ["--help"]).output
    assert ReviewOptions().mcp_servers is None
