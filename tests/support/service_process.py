"""A service as its users have it: a process, asked over HTTP, that tests start, kill and ask."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from affidavit.events import now_iso
from affidavit.service.api.access import digest_of, new_token
from affidavit.service.kept.access import Access, KeptToken
from affidavit.service.kept.postgresql import open_store
from commands import SHARED_CACHE, Done, affidavit
from compiled_rules import give_rules
from forks import Fork, forks
from model_server import Script
from posting_flow import ALL_BUT_RUFF
from trace_collector import Collector

AFFIDAVIT = str(Path(sys.executable).with_name("affidavit"))
WAIT_SECONDS = 120.0
ONLY_RUFF = {"AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF}
"""For reviews whose other findings nobody looks at."""
SECRETS = {
    "AFFIDAVIT_GITHUB_TOKEN": "secret-word",
    "AFFIDAVIT_POST_TOKEN": "secret-word",
    "AFFIDAVIT_GITHUB_WEBHOOK_SECRET": "secret-word",
    "SOMETHING_ELSE": "secret-word",
}
"""What a service knows and its cells do not."""
DIFF = """diff --git a/app.py b/app.py
new file mode 100644
--- /dev/null
+++ b/app.py
@@ -0,0 +1,5 @@
+def total(values):
+    result = 1
+    for value in values:
+        result += value
+    return result
"""
"""A change in which the scripted model finds one problem."""


def other_diff(name: str) -> str:
    """The same change to another file beside it, so that it is another change."""
    return (
        DIFF
        + f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n"
        + ("@@ -0,0 +1 @@\n+note\n")
    )


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Event:
    number: int
    name: str
    data: dict[str, Any]


class Client:
    """Asks a server; the tenant's token goes along, where there is one."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url, self.token = url, token

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
                return Answer(answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode())

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, {} if body is None else body, named)

    def submit(self, **body: Any) -> str:
        answer = self.post("/api/review", body or {"diff_text": DIFF})
        assert answer.status in (200, 202), answer.text
        review_id: str = answer.json["review_id"]
        return review_id

    def stream(self, review_id: str, last: int | str = 0) -> Iterator[Event]:
        """The events as they come; who stops reading hangs up."""
        headers = {"Last-Event-ID": str(last)} if last else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.url}/api/review/{review_id}/stream", headers=headers)
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as lines:
            fields: dict[str, str] = {}
            for raw in lines:
                line = raw.decode().rstrip("\n")
                if not line and "event" in fields:
                    yield Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))
                    fields = {}
                elif not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value

    def finished(self, review_id: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """The summary of a review that is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            summary: dict[str, Any] = self.get(f"/api/review/{review_id}/summary").json
            if summary["status"] in ("completed", "failed", "cancelled"):
                return summary
            time.sleep(0.1)
        raise AssertionError(f"not over after {seconds} s: {summary}")


class Service:
    """One process of the service."""

    def __init__(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        log: Path,
        is_started: bool = False,
    ) -> None:
        self.log = log
        self._file = log.open("ab")
        env = {**os.environ, **(environment or {})}
        is_looking = "AFFIDAVIT_ANALYSERS_OFF" not in env and "--no-work" not in arguments
        # Only a run of the tests has some that are compiled.
        if is_looking and SHARED_CACHE in env:
            give_rules(Path(arguments[arguments.index("--data") + 1]), "default")
        self.process = (self._started if is_started else self._forked)([AFFIDAVIT, *arguments], env)

    def _started(self, command: list[str], env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        """As its users start it."""
        return subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=self._file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _forked(self, command: list[str], env: Mapping[str, str]) -> Fork:
        """The same, in a tenth of the time; what it starts is forked, too."""
        server = forks()
        with Path(os.devnull).open("rb") as nothing:
            streams = (nothing, self._file, self._file)
            return server.start(
                command, streams, cwd=Path.cwd(), env=env, is_own_session=True, python=server.python
            )

    def said(self, pattern: str) -> str:
        """What the process says when it is ready."""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            found = re.search(pattern, self.log.read_text(errors="replace"))
            if found:
                return found[1]
            if self.process.poll() is not None:
                raise AssertionError(f"it ended with {self.process.returncode}: {self.log.read_text()}")
            time.sleep(0.05)
        raise AssertionError(f"it never said {pattern}: {self.log.read_text()}")

    def kill(self) -> None:
        """As a machine that loses its power."""
        self.process.kill()
        self.process.wait()

    def end(self, seconds: float = 60.0) -> int:
        """As an operator ends it."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def close(self) -> None:
        if self.process.poll() is None:
            try:
                self.end(20)
            except subprocess.TimeoutExpired:
                self.kill()
        self._file.close()


@contextmanager
def serving(
    folder: Path, *arguments: str, token: str | None = None, **how: Any
) -> Iterator[tuple[Client, Service]]:
    """A server, ready to be asked."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"serve-{time.monotonic_ns()}.log"
    service = Service("serve", "--port", "0", "--data", str(folder), *arguments, log=log, **how)
    try:
        url = service.said(r"listens at (http://\S+)")
        client = Client(url, token)
        wait_until_up(client)
        yield client, service
    finally:
        service.close()


@contextmanager
def working(folder: Path, *arguments: str, **how: Any) -> Iterator[Service]:
    """A worker, ready to work."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"worker-{time.monotonic_ns()}.log"
    service = Service("worker", "--data", str(folder), *arguments, log=log, **how)
    try:
        service.said(r"works as (\S+)")
        yield service
    finally:
        service.close()


def wait_until_up(client: Client) -> None:
    """A server listens before it can answer."""
    until = time.monotonic() + WAIT_SECONDS
    while client.get("/api/ready").status != 200:
        assert time.monotonic() < until
        time.sleep(0.05)


@dataclass(frozen=True)
class Asked:
    """A server with a scripted model that does its own reviews, on loopback."""

    client: Client
    script: Script
    """What the model was asked."""
    folder: Path
    service: Service
    collector: Collector
    """What it told of its work."""

    def command(self, *arguments: str) -> Done:
        """A command of the operator, on the same store."""
        return operate(self.folder, *arguments)


def operate(folder: Path, *arguments: str) -> Done:
    """A command of the operator on the store in a folder."""
    return affidavit(*arguments, "--data", folder, cwd=folder)


def make_token(
    folder: Path, name: str, *roles: str, tenant: str = "default", expires_at: str | None = None
) -> str:
    """A token as the command makes it, sooner."""
    token = new_token()
    kept = KeptToken(
        id=uuid4().hex, tenant=tenant, name=name, roles=roles, created_at=now_iso(), expires_at=expires_at
    )
    with open_store(folder) as store:
        access = Access(store.database)
        access.add_tenant(tenant, now_iso())
        access.add_token(kept, digest_of(token))
    return token
