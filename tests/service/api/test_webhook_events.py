"""What deliveries of forges ask for, on the payloads that GitHub publishes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.errors import InputError
from affidavit.forges.address import GITHUB, GITLAB
from affidavit.service.api.webhook_events import RequestEvent, read_github_event, read_gitlab_event
from published import webhooks

HOSTS = (GITHUB, GITLAB)
REVIEWED = {"opened", "synchronize", "reopened", "ready_for_review"}


def examples(name: str) -> list[dict[str, Any]]:
    return webhooks()[name]


@pytest.mark.parametrize("payload", examples("pull_request"), ids=lambda one: one["action"])
def test_of_githubs_own_examples_those_that_matter_ask_for_a_review(payload: dict[str, Any]) -> None:
    event = read_github_event("pull_request", payload, HOSTS)
    action = payload["action"]
    if action in REVIEWED:
        assert event is not None
        assert event.wish == "review"
        assert event.address.url == payload["pull_request"]["html_url"]
        assert event.head == payload["pull_request"]["head"]["sha"]
    elif action in ("closed", "converted_to_draft"):
        assert event is not None
        assert event.wish == "cancel"
    else:
        assert event is None


def test_githubs_own_comments_that_do_not_speak_to_us_ask_for_nothing() -> None:
    for name in ("issue_comment", "pull_request_review_comment"):
        assert [read_github_event(name, one, HOSTS) for one in examples(name)] == [None] * len(examples(name))


def test_a_command_in_a_comment_on_a_line_asks_for_a_look_at_answers() -> None:
    payload = next(one for one in examples("pull_request_review_comment") if one["action"] == "created")
    payload = json.loads(json.dumps(payload))
    payload["comment"]["body"] = "/affidavit dismiss we know"
    event = read_github_event("pull_request_review_comment", payload, HOSTS)
    assert event is not None
    assert (event.wish, event.by) == ("dismiss", payload["sender"]["login"])
    payload["comment"]["body"] = "/affidavit explain"
    question = read_github_event("pull_request_review_comment", payload, HOSTS)
    assert question is not None
    assert question.wish == "answer"
    payload["sender"]["type"] = "Bot"
    assert read_github_event("pull_request_review_comment", payload, HOSTS) is None


def test_a_ping_and_a_comment_on_a_plain_issue_ask_for_nothing() -> None:
    assert read_github_event("ping", examples("ping")[0], HOSTS) is None
    payload = {"action": "created", "issue": {}, "comment": {"body": "/affidavit dismiss"}, "sender": {}}
    assert read_github_event("issue_comment", payload, HOSTS) is None


def test_an_event_of_a_host_that_nobody_named_is_refused() -> None:
    payload = {"action": "opened", "pull_request": {"html_url": "https://evil.example/o/r/pull/1"}}
    with pytest.raises(InputError, match="is not a known forge"):
        read_github_event("pull_request", payload, HOSTS)


def merge_request(**fields: Any) -> dict[str, Any]:
    about = {"url": "https://gitlab.com/g/p/-/merge_requests/7", "last_commit": {"id": "a" * 40}, **fields}
    return {"object_kind": "merge_request", "user": {"username": "ada"}, "object_attributes": about}


@pytest.mark.parametrize(
    ("fields", "wish"),
    [
        ({"action": "open"}, "review"),
        ({"action": "update", "oldrev": "b" * 40}, "review"),
        ({"action": "update"}, None),
        ({"action": "merge"}, "cancel"),
        ({"action": "approved"}, None),
    ],
)
def test_merge_request_events_ask_for_a_review_on_a_push(fields: dict[str, Any], wish: str | None) -> None:
    event = read_gitlab_event("Merge Request Hook", merge_request(**fields), HOSTS)
    assert (event.wish if event else None) == wish


@pytest.mark.parametrize("mark", ["draft", "work_in_progress"])
@pytest.mark.parametrize(("is_draft", "wish"), [(True, "cancel"), (False, "review")])
def test_a_merge_request_that_becomes_a_draft_is_let_alone_and_one_that_is_ready_is_reviewed(
    mark: str, is_draft: bool, wish: str
) -> None:
    payload = merge_request(action="update", **{mark: is_draft})
    payload["changes"] = {mark: {"previous": not is_draft, "current": is_draft}}
    event = read_gitlab_event("Merge Request Hook", payload, HOSTS)
    assert event is not None
    assert (event.wish, event.is_draft) == (wish, is_draft)


def test_a_note_that_speaks_to_us_asks_for_a_look_at_answers() -> None:
    payload = merge_request(note="/affidavit explain", url="https://gitlab.com/g/p/-/merge_requests/7#note_1")
    payload["merge_request"] = {"iid": 7}
    event = read_gitlab_event("Note Hook", payload, HOSTS)
    assert event is not None
    assert (event.wish, event.address.number) == ("answer", 7)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def is_read_or_refused(read: Callable[..., RequestEvent | None], name: str, payload: Any) -> bool:
    try:
        event = read(name, payload, HOSTS)
    except InputError:
        return True
    return event is None or isinstance(event, RequestEvent)


@given(st.sampled_from(["pull_request", "issue_comment", "Merge Request Hook", "Note Hook"]), json_values)
def test_any_payload_is_read_or_refused_and_never_breaks_anything(name: str, payload: Any) -> None:
    for read in (read_github_event, read_gitlab_event):
        assert is_read_or_refused(read, name, payload)
