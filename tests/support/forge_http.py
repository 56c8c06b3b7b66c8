"""A forge on loopback: real HTTP, real git over HTTP, a log of every request, and faults on demand."""

import base64
import json
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from repositories import clean_environment, run_git


class RefusedError(Exception):
    """The forge says no."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        self.status, self.message = status, message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().__init__(message)


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    token: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass
class Fault:
    """What happens to a request that fits, instead of its answer or after it was done."""

    fits: Callable[[Asked], bool]
    refusal: RefusedError | None = None
    """None: the connection breaks."""
    answer: Any = None
    """Said in place of the right answer, as if all were well."""
    is_done_first: bool = False
    times: int = 1
    skip: int = 0
    """So many that fit are let through first."""


class ForgeServer:
    """What GitHub's and GitLab's stand-ins share."""

    api_prefix = ""

    def __init__(self, folder: Path, tls: Path | None = None) -> None:
        self.root = folder
        self.scheme = "https" if tls else "http"
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.problems: list[str] = []
        self.git_tokens: list[str] = []
        self.git_requests = 0
        self.is_private = False
        self.lock = threading.RLock()
        outer = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                return

            def do(self) -> None:
                outer.serve(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do  # noqa: N815 - names of the library

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.http.daemon_threads = True
        # Who does not trust us hangs up in the middle of a handshake.
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            self.http.socket = context.wrap_socket(
                self.http.socket, server_side=True, do_handshake_on_connect=False
            )
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self.thread.start()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.http.server_address[1]}"

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    # What each forge says itself

    def token_of(self, headers: Any) -> str:
        raise NotImplementedError

    def answer(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        raise NotImplementedError

    # Serving

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        data = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        if ".git/" in parts.path and not parts.path.startswith(self.api_prefix or "/\0"):
            self._git(handler, parts.path, parts.query, data)
            return
        body = json.loads(data) if data else None
        asked = Asked(
            handler.command, parts.path, dict(parse_qsl(parts.query)), body, self.token_of(handler.headers)
        )
        status, content, headers = self._answered(asked)
        if status == 0:
            handler.close_connection = True
            return
        plain = content if isinstance(content, bytes) else json.dumps(content).encode()
        text = b"" if content is None else plain
        handler.send_response(status)
        for name, value in {"content-type": "application/json; charset=utf-8", **headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def _answered(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        with self.lock:
            self.asked.append(asked)
            fault = self._fault(asked)
            try:
                if fault is not None and fault.answer is not None:
                    return 200, fault.answer, {}
                if fault is not None and not fault.is_done_first:
                    if fault.refusal is None:
                        return 0, None, {}
                    raise fault.refusal
                answer = self.answer(asked)
                if fault is not None:
                    if fault.refusal is None:
                        return 0, None, {}
                    raise fault.refusal
            except RefusedError as refused:
                return refused.status, {"message": refused.message}, refused.headers
            return answer

    def _fault(self, asked: Asked) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.fits(asked):
                if fault.skip > 0:
                    fault.skip -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[Fault]:
        self.faults.append(fault)
        try:
            yield fault
        finally:
            self.faults.remove(fault)

    def writes(self) -> list[str]:
        """Everything that changed something."""
        return [str(one) for one in self.asked if one.method != "GET" and "graphql" not in one.path]

    # Git over HTTP, by git itself

    def may_fetch(self, token: str) -> bool:
        return not self.is_private or bool(token)

    def _git(self, handler: BaseHTTPRequestHandler, path: str, query: str, data: bytes) -> None:
        given = handler.headers.get("authorization") or ""
        token = base64.b64decode(given.removeprefix("Basic ")).decode().partition(":")[2] if given else ""
        self.git_tokens.append(token)
        self.git_requests += 1
        if not self.may_fetch(token):
            handler.send_response(401)
            handler.send_header("www-authenticate", "Basic")
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        environment = {
            **clean_environment(),
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": handler.command,
            "PATH_INFO": unquote(path),
            "QUERY_STRING": query,
            "CONTENT_TYPE": handler.headers.get("content-type") or "",
            "HTTP_CONTENT_ENCODING": handler.headers.get("content-encoding") or "",
            "GIT_PROTOCOL": handler.headers.get("git-protocol") or "",
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], input=data, capture_output=True, env=environment, check=False
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        handler.send_response(int(status.split()[0]))
        for name, value in headers:
            if name != "Status":
                handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@dataclass
class Origin:
    """The repository on the forge: bare, as a forge keeps it, with a work tree beside it to write commits."""

    bare: Path
    work: Path
    branches: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.bare.exists():
            run_git(self.work, "remote", "set-url", "origin", str(self.bare))
            return
        self.bare.parent.mkdir(parents=True, exist_ok=True)
        run_git(self.bare.parent, "init", "-q", "--bare", "-b", "main", str(self.bare))
        for name in ("allowAnySHA1InWant", "allowReachableSHA1InWant"):
            run_git(self.bare, "config", f"uploadpack.{name}", "true")
        run_git(self.bare.parent, "clone", "-q", str(self.bare), str(self.work))

    def commit(self, branch: str, files: dict[str, str | None], message: str, start: str = "") -> str:
        """Commit files on a branch (made from `start`) and push it, by force."""
        if start:
            run_git(self.work, "checkout", "-q", "-B", branch, start)
        else:
            run_git(self.work, "checkout", "-q", "-B", branch)
        for name, content in files.items():
            place = self.work / name
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        run_git(self.work, "add", "-A")
        run_git(self.work, "commit", "-q", "--allow-empty", "-m", message)
        run_git(self.work, "push", "-q", "-f", "origin", branch)
        return self.of(branch)

    def of(self, name: str) -> str:
        return run_git(self.work, "rev-parse", name).decode().strip()

    def set_ref(self, name: str, commit: str) -> None:
        run_git(self.bare, "update-ref", name, commit)

    def delete_branch(self, name: str) -> None:
        run_git(self.bare, "update-ref", "-d", f"refs/heads/{name}")

    def diff_lines(self, base: str, head: str) -> dict[str, dict[str, set[int]]]:
        """The lines of each file that a diff of the two shows, by side."""
        merge_base = run_git(self.bare, "merge-base", base, head).decode().strip()
        text = run_git(self.bare, "diff", "-M", merge_base, head).decode(errors="replace")
        return lines_of_diff(text)


def lines_of_diff(text: str) -> dict[str, dict[str, set[int]]]:
    """Written apart from the product's own parser, so that both must agree."""
    found: dict[str, dict[str, set[int]]] = {}
    old_name = new_name = ""
    old = new = 0
    in_hunk = False
    for line in text.split("\n"):
        if line.startswith("diff --git "):
            in_hunk = False
        elif not in_hunk and line.startswith("--- "):
            old_name = line[6:] if line != "--- /dev/null" else ""
        elif not in_hunk and line.startswith("+++ "):
            new_name = line[6:] if line != "+++ /dev/null" else ""
            found.setdefault(new_name or old_name, {"RIGHT": set(), "LEFT": set()})
        elif line.startswith("@@ "):
            in_hunk = True
            spans = line.split(" ")
            old = int(spans[1][1:].split(",")[0])
            new = int(spans[2][1:].split(",")[0])
        elif in_hunk and line[:1] in ("+", "-", " "):
            sides = found[new_name or old_name]
            if line[0] != "-":
                sides["RIGHT"].add(new)
            if line[0] != "+":
                sides["LEFT"].add(old)
            new += line[0] != "-"
            old += line[0] != "+"
    return found


ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_", "CI"))
}
