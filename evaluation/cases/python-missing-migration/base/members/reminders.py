"""Who gets a letter."""

from datetime import date, timedelta

from members.models import Member


def joined_long_ago(session, today: date) -> list[Member]:
    return session.query(Member).filter(Member.joined_on < today - timedelta(days=3650)).all()
