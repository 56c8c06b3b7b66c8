"""Keep every exchange with a model in a folder, keyed by the request, and answer from it."""

import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

from affidavit.errors import InputError, StoreError

FILE_NAME = "conversation.jsonl"
LOG_VERSION = 1


class LogMode(StrEnum):
    """The use of the log."""

    OFF = "off"
    RECORD = "record"
    """Always ask, keep everything."""
    REPLAY = "replay"
    """Never ask."""
    RESUME = "resume"
    """Ask for what is missing, and keep it."""


class ConversationLog:
    """The exchanges of one run, one JSON object a line."""

    def __init__(self, folder: Path | None = None, mode: LogMode = LogMode.OFF) -> None:
        self.mode = mode
        self._path = folder / FILE_NAME if folder else None
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self._kept: dict[str, list[dict[str, Any]]] = {}
        if mode is LogMode.OFF or self._path is None:
            return
        if mode is not LogMode.RECORD:
            self._kept = _read(self._path, must_exist=mode is LogMode.REPLAY)
        elif self._path.exists():
            raise InputError(
                f"{folder} already has a recorded run: continue it with --resume, or name another folder"
            )

    @property
    def is_replay(self) -> bool:
        """Check whether nothing may be asked."""
        return self.mode is LogMode.REPLAY

    @property
    def exchanges(self) -> list[dict[str, Any]]:
        """Return the exchanges of earlier runs, in any order."""
        return [exchange for answers in self._kept.values() for exchange in answers]

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the answer of an earlier run; the same request sent n times has n answers."""
        with self._lock:
            number = self._asked[key]
            self._asked[key] += 1
            answers = self._kept.get(key, [])
            if self.mode is LogMode.RESUME:
                # A resumed run is there to try again what failed.
                answers = [each for each in answers if "failure" not in each]
            return answers[number] if number < len(answers) else None

    def append(self, key: str, exchange: dict[str, Any]) -> None:
        """Keep an exchange, whole or not at all."""
        if self.mode in {LogMode.RECORD, LogMode.RESUME}:
            self._write(key, exchange)

    def _write(self, key: str, exchange: dict[str, Any]) -> None:
        if self._path is None:
            raise AssertionError("a log that records exchanges has a file")
        line = json.dumps({"version": LOG_VERSION, "key": key, **exchange}, ensure_ascii=True) + "\n"
        with self._lock:
            try:
                _append(self._path, line.encode())
            except OSError as error:
                raise StoreError(
                    f"the conversation cannot be kept in {self._path}: {error.strerror}"
                ) from error


class GivenLog(ConversationLog):
    """A log that somebody else stores: it gets the earlier exchanges, and hands on each new one."""

    def __init__(self, kept: Iterable[dict[str, Any]], keep: Callable[[str, dict[str, Any]], None]) -> None:
        super().__init__()
        self.mode = LogMode.RESUME
        self._keep = keep
        for exchange in kept:
            self._kept.setdefault(exchange["key"], []).append(exchange)

    def _write(self, key: str, exchange: dict[str, Any]) -> None:
        self._keep(key, {"version": LOG_VERSION, "key": key, **exchange})


def exchange_key(request: dict[str, Any]) -> str:
    """Return the key of a request: the same for the same content."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _append(path: Path, line: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The log contains the reviewed code: only the user may read it.
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+b") as file:
        # A process that died while writing has left half a line.
        if size := file.tell():
            file.seek(size - 1)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)


def _read(path: Path, *, must_exist: bool) -> dict[str, list[dict[str, Any]]]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        if must_exist:
            raise InputError(f"{path.parent} has no recorded run: there is no {FILE_NAME}") from None
        return {}
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    kept: dict[str, list[dict[str, Any]]] = {}
    for line in content.split(b"\n"):
        exchange = _exchange_of(line)
        if exchange is not None:
            kept.setdefault(exchange["key"], []).append(exchange)
    return kept


def _exchange_of(line: bytes) -> dict[str, Any] | None:
    try:
        exchange = json.loads(line)
    except ValueError:
        # A process that died while writing leaves half a line: that exchange is made again.
        return None
    is_ours = isinstance(exchange, dict) and exchange.get("version") == LOG_VERSION
    return exchange if is_ours and isinstance(exchange.get("key"), str) else None
