"""The API against its own document: whatever is asked, no fault of the server, no undocumented answer."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import settings

from affidavit.service.api.app import api_document
from service_process import Client, serving

CHECKS = schemathesis.checks.CHECKS
HELD = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
SLOW = "recheck|ask|estimate|stream|map|file|webhook|metrics"
SCHEMA = schemathesis.openapi.from_dict(api_document()).exclude(path_regex=SLOW)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("document")
    with serving(folder, "--no-work", "--requests-per-minute", "100000") as (client, _):
        yield client


@SCHEMA.parametrize()
@settings(max_examples=8)
def test_every_answer_is_a_documented_one(case: schemathesis.Case, client: Client) -> None:
    case.call_and_validate(base_url=client.url, checks=[CHECKS.get_one(name) for name in HELD])
