"""Members and how they are stored."""

from sqlalchemy import Column, Date, Integer, String
from sqlalchemy.orm import declarative_base

Model = declarative_base()


class Member(Model):
    __tablename__ = "members"

    id = Column(Integer, primary_key=True)
    name = Column(String, nullable=False)
    joined_on = Column(Date, nullable=False)
