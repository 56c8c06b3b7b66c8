"""Store rollouts with their decisions, and the reviews that count for them."""

from sqlalchemy import Connection, RowMapping, insert, select, update

from affidavit.records.measure import Rollout, RolloutDecision, RolloutPlan, RolloutReview, RolloutState
from affidavit.store.database import Database, upsert
from affidavit.store.tables import ROLLOUT_REVIEWS, ROLLOUTS


class Rollouts:
    """The rollouts of one store; decisions are serialised, because two people may decide at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Rollout]:
        return [_rollout(row) for row in self._database.rows(select(ROLLOUTS).order_by(ROLLOUTS.c.number))]

    def newest(self, state: RolloutState) -> Rollout | None:
        with self._database.transaction() as connection:
            return _newest(connection, state)

    def reviews(self, rollout: int) -> list[RolloutReview]:
        rows = self._database.rows(select(ROLLOUT_REVIEWS).where(ROLLOUT_REVIEWS.c.rollout == rollout))
        reviews = [RolloutReview.model_validate_json(row["body"]) for row in rows]
        return sorted(reviews, key=lambda review: review.at)

    def begin(self, plan: RolloutPlan) -> Rollout | None:
        with self._database.alone() as connection:
            if _newest(connection, "running"):
                return None
            row = insert(ROLLOUTS).values(state="running", body=plan.model_dump_json())
            number: int = connection.execute(row.returning(ROLLOUTS.c.number)).scalar_one()
        return Rollout(**plan.model_dump(), number=number, state="running")

    def conclude(self, rollout: Rollout, decision: RolloutDecision) -> bool:
        """Change the state of a rollout; False if another decision came first."""
        body = RolloutPlan(
            **rollout.model_dump(exclude={"number", "state", "decisions"}),
            decisions=(*rollout.decisions, decision),
        )
        is_it = (ROLLOUTS.c.number == rollout.number) & (ROLLOUTS.c.state == rollout.state)
        values = {"state": decision.state, "body": body.model_dump_json()}
        with self._database.alone() as connection:
            return connection.execute(update(ROLLOUTS).where(is_it).values(values)).rowcount > 0

    def add_review(self, rollout: int, review: RolloutReview) -> None:
        row = {"rollout": rollout, "change_key": review.change_key, "body": review.model_dump_json()}
        with self._database.alone() as connection:
            upsert(connection, ROLLOUT_REVIEWS, row)


def _newest(connection: Connection, state: RolloutState) -> Rollout | None:
    wanted = select(ROLLOUTS).where(ROLLOUTS.c.state == state).order_by(ROLLOUTS.c.number.desc()).limit(1)
    row = connection.execute(wanted).mappings().one_or_none()
    return _rollout(row) if row else None


def _rollout(row: RowMapping) -> Rollout:
    plan = RolloutPlan.model_validate_json(row["body"])
    return Rollout(**plan.model_dump(), number=row["number"], state=row["state"])
