"""The API against its own document: whatever is asked, no fault of the server, no undocumented answer."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import settings

from affidavit.service.app import api_document
from service_process import DIFF, Client, serving

CHECKS = schemathesis.checks.CHECKS
HELD = (
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
DOCUMENT = api_document()


def without_tokens(document: dict[str, Any]) -> dict[str, Any]:
    """The document for who needs no token: those that are made up are refused before anything is tried."""
    paths = {
        path: {method: {**about, "security": []} for method, about in methods.items()}
        for path, methods in document["paths"].items()
    }
    return {**document, "paths": paths}


SCHEMA = schemathesis.openapi.from_dict(without_tokens(DOCUMENT))
LIVELY = "stream|recheck|estimate|/map"
"""With a review that is there: one never ends by itself, the others take a process each, for seconds."""
ABOUT_ONE = SCHEMA.include(method="GET", path_regex="review_id").exclude(path_regex=LIVELY)


def broken_promise(case: schemathesis.Case, client: Client) -> str:
    """What of the answer the document does not promise; empty where the answer is a documented one."""
    response = case.call(base_url=client.url)
    if response.status_code == 500:
        return str(response.text)
    try:
        case.validate_response(response, checks=[CHECKS.get_one(name) for name in HELD])
    except (AssertionError, ExceptionGroup) as broken:
        return str(broken)
    return ""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server that does no reviews, and can reach no forge."""
    folder = tmp_path_factory.mktemp("document")
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "AFFIDAVIT_GITHUB_WEBHOOK_SECRET": "secret"}
    options = ("--no-work", "--requests-per-minute", "100000", "--queued-per-tenant", "100000")
    with serving(folder, *options, environment=nowhere) as (client, _):
        yield client


@SCHEMA.parametrize()
@settings(max_examples=8)
def test_every_answer_is_a_documented_one(case: schemathesis.Case, alone: Client) -> None:
    assert broken_promise(case, alone) == ""


def test_the_document_says_who_needs_a_token() -> None:
    (name,) = DOCUMENT["components"]["securitySchemes"]
    open_to_all = {
        path
        for path, methods in DOCUMENT["paths"].items()
        for about in methods.values()
        if about.get("security") != [{name: []}]
    }
    assert open_to_all == {"/api/health", "/api/ready", "/api/webhook/github", "/api/webhook/gitlab"}


@pytest.fixture(scope="module")
def done(client: Client) -> str:
    review_id = client.submit(diff_text=DIFF)
    assert client.finished(review_id)["status"] == "completed"
    return review_id


@ABOUT_ONE.parametrize()
@settings(max_examples=4)
def test_every_answer_about_a_review_is_a_documented_one(
    case: schemathesis.Case, client: Client, done: str
) -> None:
    case.path_parameters["review_id"] = done
    assert broken_promise(case, client) == ""


def test_a_forge_that_cannot_be_reached_is_told_soon_and_nothing_is_queued(alone: Client) -> None:
    before = len(alone.get("/api/review?limit=100").json["reviews"])
    began = time.monotonic()
    answer = alone.post("/api/review", {"github_url": "https://github.com/owner/name/pull/1"})
    assert time.monotonic() - began < 5
    assert answer.status == 503
    assert "github.com cannot be reached" in answer.json["detail"]
    assert len(alone.get("/api/review?limit=100").json["reviews"]) == before


def test_every_reference_of_the_document_leads_somewhere() -> None:
    def references(part: Any) -> Iterator[str]:
        for name, value in part.items() if isinstance(part, dict) else enumerate(part):
            if name == "$ref":
                yield value
            elif isinstance(value, dict | list):
                yield from references(value)

    def leads_to(reference: str) -> Any:
        found: Any = DOCUMENT
        for name in reference.removeprefix("#/").split("/"):
            found = found.get(name, {})
        return found

    dead = [one for one in references(DOCUMENT) if not leads_to(one)]
    assert not dead, f"{len(dead)} dead references: {sorted(set(dead))}"
