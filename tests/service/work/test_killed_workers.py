"""Workers that die, end or lose their database in the middle of reviews: all go on, no call is paid twice."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from crew import WAIT_SECONDS, Crew, crew_on, what_happened
from long_tests import IS_LONG, seeded_chance, tell
from pausing_model import ROLES
from postgres_server import Server
from service_process import Answer

KILLS = 10 if IS_LONG else 3
"""At random moments, on each database."""
STAGES = ("open", "planner", "reviewer", "verifier", "reporter", "keep")
AT_STAGES = {
    "sqlite": ("planner", "verifier"),
    "postgresql": ("reviewer", "reporter"),
}


@dataclass(frozen=True)
class Undisturbed:
    """How it goes when nobody is killed."""

    crew: Crew
    calls: int
    events: Counter[tuple[str, str]]
    verdict: Answer

    @classmethod
    def seen_in(cls, crew: Crew, review_id: str) -> "Undisturbed":
        """Take a completed review as the example for others."""
        assert crew.finished(review_id)["status"] == "completed", crew.logs()
        events = what_happened(list(crew.client.stream(review_id)))
        return cls(crew, crew.calls(review_id), events, crew.client.get(f"/api/review/{review_id}"))

    @property
    def kind(self) -> str:
        """The kind of its database."""
        return "postgresql" if self.crew.cable else "sqlite"

    def check(self, review_id: str) -> None:
        """The review went as it does when nobody is killed, save for calls whose replies were lost."""
        summary = self.crew.finished(review_id)
        assert summary["status"] == "completed", (summary, self.crew.logs())
        assert self.crew.kept(review_id) == self.calls
        again = self.crew.calls(review_id) - self.calls
        assert 0 <= again <= self.crew.lost.get(review_id, 0), (self.crew.names[review_id], again)
        events = list(self.crew.client.stream(review_id))
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert what_happened(events) == self.events
        verdict = self.crew.client.get(f"/api/review/{review_id}")
        assert _timeless(verdict) == _timeless(self.verdict)


def _timeless(verdict: Answer) -> dict[str, object]:
    assert verdict.status == 200
    return {**verdict.json, "review_duration_ms": 0}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def undisturbed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Undisturbed]:
    is_file = request.param == "sqlite"
    database = None if is_file else request.getfixturevalue("postgres").new_store()
    folder: Path = tmp_path_factory.mktemp(request.param)
    with crew_on(folder, database) as crew:
        yield Undisturbed.seen_in(crew, crew.submit("named-undisturbed"))


def test_a_review_whose_worker_is_killed_at_a_stage_is_completed_elsewhere(undisturbed: Undisturbed) -> None:
    crew = undisturbed.crew
    roles = tuple(ROLES) if IS_LONG else AT_STAGES[undisturbed.kind]
    review_id = crew.submit("named-stages")
    for role in roles:
        crew.model.pause_at(role)
        assert crew.model.reached.wait(100), crew.logs()
        owner = crew.owner(review_id)
        assert owner is not None
        crew.kill(owner)
        crew.model.go_on()
        crew.wait_for_owner(review_id)
    undisturbed.check(review_id)
    assert crew.review(review_id).attempt == 1 + len(roles)


@pytest.mark.skipif(not IS_LONG, reason="minutes; see CONTRIBUTING.md")
def test_a_review_whose_worker_is_killed_at_each_stage_is_completed_elsewhere(
    undisturbed: Undisturbed,
) -> None:
    crew = undisturbed.crew
    review_id = crew.submit("named-each")
    for stage in STAGES:
        while (review := crew.review(review_id)).stage != stage and not review.is_finished:
            time.sleep(0.001)
        if owner := crew.owner(review_id):
            tell(f"{undisturbed.kind}: killed at {review.stage}")
            crew.kill(owner)
        crew.wait_for_owner(review_id)
    undisturbed.check(review_id)


def test_reviews_whose_workers_are_killed_at_random_moments_are_completed(undisturbed: Undisturbed) -> None:
    crew = undisturbed.crew
    chance = seeded_chance()
    reviews = {name: crew.submit(name) for name in ("named-0", "named-1", "named-2")}
    for number in range(3, 3 + KILLS):
        going = [one for one in reviews.values() if not crew.review(one).is_finished]
        if not going:
            going = [reviews.setdefault(f"named-{number}", crew.submit(f"named-{number}"))]
        chosen = chance.choice(going)
        # Anywhere in what is left of its story, however fast this machine is; nothing may be left of it.
        told = crew.review(chosen).events
        moment = chance.randint(told, max(told, undisturbed.events.total()))
        owner = crew.wait_for_owner(chosen, moment) or chance.choice(sorted(crew.workers))
        now = crew.review(chosen)
        tell(f"{undisturbed.kind}: {owner} is killed at {now.stage} after {now.events} events")
        crew.kill(owner)
    for review_id in reviews.values():
        undisturbed.check(review_id)


def test_a_review_whose_database_goes_away_is_completed_when_it_is_back(undisturbed: Undisturbed) -> None:
    crew = undisturbed.crew
    if crew.cable is None:
        pytest.skip("a file does not go away")
    # Who has not begun yet would wait, and not lose a connection.
    crew.wait_until_all_work()
    crew.model.pause_at("reviewer")
    review_id = crew.submit("named-cut")
    assert crew.model.reached.wait(100), crew.logs()
    assert crew.cable.cut() > 0
    crew.model.go_on()
    assert crew.client.get(f"/api/review/{review_id}").status == 503
    time.sleep(2.0)
    crew.cable.mend()
    crew.note_lost(review_id)
    undisturbed.check(review_id)
    assert all(worker.process.poll() is None for worker in crew.workers.values())
    # Those who lost it go on to work.
    undisturbed.check(crew.submit("named-after"))


def test_a_worker_that_is_asked_to_end_completes_its_review_first(undisturbed: Undisturbed) -> None:
    crew = undisturbed.crew
    crew.model.pause_at("verifier")
    review_id = crew.submit("named-drained")
    assert crew.model.reached.wait(100), crew.logs()
    owner = crew.wait_for_owner(review_id)
    assert owner is not None
    ending = crew.workers.pop(owner)
    ending.process.terminate()
    time.sleep(0.5)
    assert ending.process.poll() is None
    crew.model.go_on()
    undisturbed.check(review_id)
    assert crew.review(review_id).attempt == 1
    assert ending.process.wait(60) == 0
    ending.close()


def test_four_workers_complete_every_review_once_though_one_of_them_is_killed(
    tmp_path: Path, postgres: Server
) -> None:
    options = ("--reviews-at-once", "2", "--reviews-at-once-per-tenant", "8")
    with crew_on(tmp_path, postgres.new_store(), workers=4, options=options) as crew:
        crew.model.pause_at("reviewer")
        reviews = [crew.submit(f"named-of-four-{number}") for number in range(10)]
        until = time.monotonic() + WAIT_SECONDS
        while sum(crew.review(one).stage == "reviewer" for one in reviews) < 8:
            assert time.monotonic() < until, crew.logs()
            time.sleep(0.05)
        held = Counter(filter(None, map(crew.owner, reviews)))
        assert set(held.values()) == {2}
        crew.kill(max(held))
        crew.model.go_on()
        assert {crew.finished(one)["status"] for one in reviews} == {"completed"}, crew.logs()
        attempts = {one: crew.review(one).attempt for one in reviews}
        assert sorted(attempts.values()) == [1] * 8 + [2] * 2
        undisturbed = next(one for one, attempt in attempts.items() if attempt == 1)
        usual = Undisturbed.seen_in(crew, undisturbed)
        for review_id in reviews:
            usual.check(review_id)
        assert sorted(crew.store.reports.ids()) == sorted(reviews)
