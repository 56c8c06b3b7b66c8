"""The events of a review must not change while the code does."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from crew import Crew, crew_on
from golden import assert_data, data_of_event


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    with crew_on(tmp_path, None) as one:
        yield one


def test_a_review_that_is_killed_and_taken_over_reports_the_same_events(crew: Crew) -> None:
    undisturbed = crew.submit("golden-undisturbed")
    crew.finished(undisturbed)
    killed = crew.submit("golden-killed")
    crew.model.pause_at("verifier")
    assert crew.model.reached.wait(100), crew.logs()
    owner = crew.owner(killed)
    assert owner is not None
    crew.kill(owner)
    crew.model.go_on()
    crew.finished(killed)
    assert_data("stream", _logical_events(crew, undisturbed))
    assert _logical_events(crew, killed) == _logical_events(crew, undisturbed)


def _logical_events(crew: Crew, review_id: str) -> list[str]:
    """Each event once, however often it was tried."""
    events = crew.client.stream(review_id)
    seen = {json.dumps({"name": one.name, **data_of_event(one.data)}, sort_keys=True) for one in events}
    return sorted(seen)
