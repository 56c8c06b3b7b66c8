"""A server that is silent and one that takes long for a statement are told apart."""

import pytest

from cuttable import cable_to
from postgres_server import Server

psycopg = pytest.importorskip("psycopg")

from affidavit.service.kept.silent_server import Listening, SilentError  # noqa: E402 - needs the driver


class Hasty(Listening):
    """Gives a server little time."""

    silent_seconds = 0.2
    asking_seconds = 2


def test_a_statement_that_takes_long_on_a_server_that_answers_others_is_waited_for(postgres: Server) -> None:
    with Hasty.connect(postgres.new_store()) as connection:
        assert connection.execute("SELECT 1 FROM pg_sleep(1.5)").fetchone() == (1,)


def test_a_connection_to_a_silent_server_is_given_up(postgres: Server) -> None:
    with cable_to(postgres.new_store()) as (cable, near):
        connection = Hasty.connect(near)
        cable.silence()
        with pytest.raises(SilentError):
            connection.execute("SELECT 1")
        assert connection.closed


def test_who_listens_for_notifications_is_not_disturbed_by_silence(postgres: Server) -> None:
    with cable_to(postgres.new_store()) as (cable, near):
        connection = Hasty.connect(near, autocommit=True)
        connection.execute("LISTEN something")
        cable.silence()
        assert list(connection.notifies(timeout=1.0)) == []
        connection.close()
