"""Connect to PostgreSQL so that a silent server is noticed and raises an error.

A frozen machine, or a network that drops everything, does not disconnect. A long statement is also silent, so
a second connection checks whether the server still answers.
"""

import time
from collections.abc import Generator
from typing import Any, ClassVar, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

Result = TypeVar("Result")


class SilentError(psycopg.OperationalError):
    """The server does not answer."""


class Listening(psycopg.Connection[Any]):
    """A connection that is given up when its server stops answering."""

    silent_seconds: ClassVar[float] = 5.0
    asking_seconds: ClassVar[int] = 5

    def wait(self, gen: Generator[Any, Any, Result], *args: Any, **limits: Any) -> Result:
        """Watch an exchange with the server; every one goes through here."""
        try:
            return super().wait(self._listened_to(gen), *args, **limits)
        except SilentError:
            # An abandoned connection is not used again, even if its answer comes late.
            self.pgconn.finish()
            raise

    def _listened_to(self, exchange: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        heard_at = time.monotonic()
        try:
            wanted = next(exchange)
            while True:
                # Nothing is ready each time that the driver has waited for its short interval.
                is_ready = yield wanted
                if is_ready or not self._is_asking():
                    heard_at = time.monotonic()
                elif time.monotonic() - heard_at > self.silent_seconds:
                    self._ask_elsewhere()
                    heard_at = time.monotonic()
                wanted = exchange.send(is_ready)
        except StopIteration as done:
            result: Result = done.value
            return result

    def _is_asking(self) -> bool:
        """Check whether an answer is due; waiting for notifications is not a question."""
        return self.pgconn.transaction_status == TransactionStatus.ACTIVE

    def _ask_elsewhere(self) -> None:
        try:
            psycopg.connect(self.info.dsn, connect_timeout=self.asking_seconds).close()
        except psycopg.errors.ConnectionTimeout as error:
            raise SilentError("the server is silent, on new connections, too") from error
        except psycopg.Error:
            # A refusal is also an answer.
            return


def connect(_dialect: object, _record: object, named: tuple[Any, ...], options: dict[str, Any]) -> Listening:
    return Listening.connect(*named, **options)
