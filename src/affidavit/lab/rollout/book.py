"""The book of rollouts: what is under way, what was decided and why, for reviews that may have no store."""

from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import InputError
from affidavit.lab.labels.book import newest_by_problem
from affidavit.records.lab.rollout import (
    Decision,
    Rollout,
    RolloutPlan,
    RolloutReview,
    RolloutState,
    Versions,
)
from affidavit.store.open import Store

BUILT_IN = Versions(prompt=CURRENT_PROMPT_VERSION, schema_version=ASKED_SCHEMA_VERSION)
"""What every review uses where nothing was promoted."""


class RolloutBook:
    """The rollouts of one store. Reading a store that is not there makes none."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def running(self) -> Rollout | None:
        """The rollout that is under way; there is at most one."""
        return self._newest("running")

    def last_promoted(self) -> Rollout | None:
        """The newest promotion that stands."""
        return self._newest("promoted")

    def last(self) -> Rollout | None:
        """The newest rollout, whatever became of it."""
        return self._newest(None)

    def numbered(self, number: int) -> Rollout | None:
        """The rollout with this number."""
        return self._store.rollouts.numbered(number) if self._store.exists() else None

    def current(self) -> Versions:
        """What reviews outside of a slice use."""
        promoted = self.last_promoted()
        return promoted.new if promoted else BUILT_IN

    def retired(self, kind: str) -> frozenset[str]:
        """The versions that are not read any more; `kind` is prompt or schema."""
        return self._store.rollouts.retired(kind) if self._store.exists() else frozenset()

    def reviews(self, rollout: int) -> list[RolloutReview]:
        """The reviews that count for a rollout, oldest first."""
        return self._store.rollouts.reviews(rollout) if self._store.exists() else []

    def decisions(self) -> list[Decision]:
        """Everything that was decided, oldest first."""
        return self._store.rollouts.decisions() if self._store.exists() else []

    def labels(self) -> dict[tuple[str, str], str]:
        """Report and finding to its label; a problem that was seen again counts once."""
        if not self._store.exists():
            return {}
        newest = newest_by_problem(self._store.labels.with_findings()).values()
        return {
            (one.entry.report_id, one.entry.candidate_id): one.entry.label
            for one in newest
            if one.entry.label
        }

    def unannounced(self) -> list[tuple[int, Decision]]:
        """Automatic decisions that have not been reported yet."""
        return self._store.rollouts.unannounced() if self._store.exists() else []

    def announce(self, numbers: list[int]) -> None:
        """They have been reported."""
        self._store.rollouts.announce(numbers)

    def begin(self, plan: RolloutPlan, decision: Decision) -> Rollout:
        """Keep a new rollout; refused where one is running."""
        begun = self._store.rollouts.begin(plan, decision)
        if begun is None:
            raise InputError(
                f"{self._describe_running()};"
                " promote it or roll it back first, or change its slice with `rollout slice`"
            )
        return begun

    def resize(self, rollout: Rollout, share: float, decision: Decision) -> bool:
        """Change the slice of a running rollout; False where it is running no more."""
        plan = RolloutPlan(**rollout.model_dump(exclude={"number", "state", "share"}), share=share)
        return self._store.rollouts.resize(rollout.number, plan, decision)

    def conclude(self, rollout: Rollout, state: RolloutState, decision: Decision) -> bool:
        """End a rollout, or take a promotion back; False where another decision came first."""
        return self._store.rollouts.conclude(rollout, state, decision)

    def add_review(self, rollout: int, review: RolloutReview) -> list[RolloutReview]:
        """Count a review, in place of an earlier one of the same change; returns all that count."""
        return self._store.rollouts.add_review(rollout, review)

    def retire(self, kind: str, version: str, decision: Decision) -> None:
        """Read a version no more."""
        self._store.rollouts.retire(kind, version, decision)

    def _describe_running(self) -> str:
        running = self.running()
        if running is None:
            return "a rollout was running a moment ago"
        return f"a rollout of {running.new.name} is running since {running.started_at[:10]}"

    def _newest(self, state: RolloutState | None) -> Rollout | None:
        return self._store.rollouts.newest(state) if self._store.exists() else None
