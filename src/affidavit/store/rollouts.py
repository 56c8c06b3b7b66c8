"""Keep rollouts: their state, the reviews that count for them, and every decision with its reason."""

from sqlalchemy import ColumnElement, Connection, insert, select, true, update

from affidavit.records.lab.rollout import Decision, Rollout, RolloutPlan, RolloutReview, RolloutState
from affidavit.store.databases.database import Database, insert_once, upsert
from affidavit.store.databases.schema import RETIRED_VERSIONS, ROLLOUT_DECISIONS, ROLLOUT_REVIEWS, ROLLOUTS


class Rollouts:
    """The rollouts of one store. What is decided is decided alone: two reviews may end at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self, state: RolloutState | None) -> Rollout | None:
        """The newest rollout in this state; in any, where none is named."""
        with self._database.transaction() as connection:
            return _newest(connection, ROLLOUTS.c.state == state if state else true())

    def numbered(self, number: int) -> Rollout | None:
        """The rollout with this number."""
        with self._database.transaction() as connection:
            return _newest(connection, ROLLOUTS.c.number == number)

    def retired(self, kind: str) -> frozenset[str]:
        """The versions that are not read any more; `kind` is prompt or schema."""
        wanted = select(RETIRED_VERSIONS.c.version).where(RETIRED_VERSIONS.c.kind == kind)
        with self._database.transaction() as connection:
            return frozenset(connection.execute(wanted).scalars())

    def reviews(self, rollout: int) -> list[RolloutReview]:
        """The reviews that count for a rollout, oldest first."""
        with self._database.transaction() as connection:
            return _reviews(connection, rollout)

    def decisions(self) -> list[Decision]:
        """Everything that was decided, oldest first."""
        return [decision for _, decision in self._decisions(true())]

    def unannounced(self) -> list[tuple[int, Decision]]:
        """Decisions that have not been reported yet, by their numbers."""
        return self._decisions(ROLLOUT_DECISIONS.c.is_announced == 0)

    def announce(self, numbers: list[int]) -> None:
        """They have been reported."""
        named = ROLLOUT_DECISIONS.c.number.in_(numbers)
        with self._database.transaction() as connection:
            connection.execute(update(ROLLOUT_DECISIONS).where(named).values(is_announced=1))

    def begin(self, plan: RolloutPlan, decision: Decision) -> Rollout | None:
        """Keep a new rollout; None where one is running."""
        with self._database.alone() as connection:
            if _newest(connection, ROLLOUTS.c.state == "running"):
                return None
            row = insert(ROLLOUTS).values(state="running", body=plan.model_dump_json())
            number: int = connection.execute(row.returning(ROLLOUTS.c.number)).scalar_one()
            _decide(connection, decision.model_copy(update={"rollout": number}))
        return Rollout(**plan.model_dump(), number=number, state="running")

    def resize(self, number: int, plan: RolloutPlan, decision: Decision) -> bool:
        """Change the plan of a running rollout; False where it is running no more."""
        return self._change(number, "running", {"body": plan.model_dump_json()}, decision)

    def conclude(self, rollout: Rollout, state: RolloutState, decision: Decision) -> bool:
        """Change the state of a rollout; False where another decision came first."""
        return self._change(rollout.number, rollout.state, {"state": state}, decision)

    def add_review(self, rollout: int, review: RolloutReview) -> list[RolloutReview]:
        """Count a review, in place of an earlier one of the same change; returns all that count."""
        row = {"rollout": rollout, "change_key": review.change_key, "body": review.model_dump_json()}
        with self._database.alone() as connection:
            upsert(connection, ROLLOUT_REVIEWS, row)
            return _reviews(connection, rollout)

    def retire(self, kind: str, version: str, decision: Decision) -> None:
        """Read a version no more."""
        with self._database.alone() as connection:
            insert_once(connection, RETIRED_VERSIONS, {"kind": kind, "version": version})
            _decide(connection, decision)

    def _change(self, number: int, before: RolloutState, values: dict[str, str], decision: Decision) -> bool:
        is_it = (ROLLOUTS.c.number == number) & (ROLLOUTS.c.state == before)
        with self._database.alone() as connection:
            changed = connection.execute(update(ROLLOUTS).where(is_it).values(values)).rowcount > 0
            if changed:
                _decide(connection, decision)
            return changed

    def _decisions(self, condition: ColumnElement[bool]) -> list[tuple[int, Decision]]:
        wanted = select(ROLLOUT_DECISIONS.c.number, ROLLOUT_DECISIONS.c.body).where(condition)
        with self._database.transaction() as connection:
            rows = connection.execute(wanted.order_by(ROLLOUT_DECISIONS.c.number)).all()
        return [(row.number, Decision.model_validate_json(row.body)) for row in rows]


def _newest(connection: Connection, condition: ColumnElement[bool]) -> Rollout | None:
    wanted = select(ROLLOUTS).where(condition).order_by(ROLLOUTS.c.number.desc()).limit(1)
    row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    plan = RolloutPlan.model_validate_json(row.body)
    return Rollout(**plan.model_dump(), number=row.number, state=row.state)


def _reviews(connection: Connection, rollout: int) -> list[RolloutReview]:
    wanted = select(ROLLOUT_REVIEWS.c.body).where(ROLLOUT_REVIEWS.c.rollout == rollout)
    reviews = [RolloutReview.model_validate_json(body) for body in connection.execute(wanted).scalars()]
    return sorted(reviews, key=lambda review: review.at)


def _decide(connection: Connection, decision: Decision) -> None:
    row = {"is_announced": int(not decision.is_automatic), "body": decision.model_dump_json()}
    connection.execute(insert(ROLLOUT_DECISIONS).values(row))
