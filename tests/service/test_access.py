"""Who may do what on a server that wants tokens: every route, another tenant's review, hostile requests."""

import hashlib
import hmac
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.api.app import api_document
from service_process import AFFIDAVIT, DIFF, Client, serving

SECRET = "a secret of the webhook"
OPEN_TO_ALL = {("get", "/api/health"), ("get", "/api/ready")}
SIGNED = {("post", "/api/webhook/github"), ("post", "/api/webhook/gitlab")}
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def routes() -> list[tuple[str, str]]:
    return [(method, path) for path, methods in api_document()["paths"].items() for method in methods]


def token(folder: Path, *arguments: str) -> str:
    command = [AFFIDAVIT, "token", "create", *arguments, "--data", str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Client]]:
    """Clients with tokens of two tenants, of one who may only read, and of nobody."""
    folder = tmp_path_factory.mktemp("access")
    tokens = {
        "ours": token(folder, "ours", "--role", "submit", "--tenant", "one"),
        "reader": token(folder, "reader", "--role", "read", "--tenant", "one"),
        "others": token(folder, "others", "--role", "admin", "--tenant", "two"),
    }
    environment = {"AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET, "AFFIDAVIT_GITLAB_WEBHOOK_TOKEN": SECRET}
    limits = ("--request-bytes", "200000", "--diff-bytes", "100000")
    with serving(folder, "--require-token", *limits, environment=environment) as (client, _):
        yield {"nobody": client, **{name: Client(client.url, text) for name, text in tokens.items()}}


@pytest.fixture(scope="module")
def review(server: dict[str, Client]) -> str:
    review_id = server["ours"].submit(diff_text=DIFF)
    assert server["ours"].finished(review_id)["status"] == "completed"
    return review_id


def test_every_route_wants_a_token(server: dict[str, Client]) -> None:
    for method, path in routes():
        if (method, path) in OPEN_TO_ALL | SIGNED:
            continue
        named = path.replace("{review_id}", UNKNOWN).replace("{finding_id}", "a").replace("{name}", "a")
        answer = server["nobody"].ask(method.upper(), named.replace("{format}", "html"), {})
        assert answer.status == 401, (method, path, answer.text)
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    forged = Client(server["nobody"].url, "aff_" + "x" * 43)
    assert forged.get("/api/review").status == 401


def test_another_tenants_review_is_not_there_on_any_route(server: dict[str, Client], review: str) -> None:
    for method, path in routes():
        if "{review_id}" not in path:
            continue
        named = path.replace("{review_id}", review).replace("{finding_id}", "ruff-0")
        body = (
            {"label": "valid"}
            if path.endswith("label")
            else {"question": "?"}
            if path.endswith("ask")
            else {}
        )
        query = "?path=app.py" if path.endswith("/file") else ""
        theirs = server["others"].ask(method.upper(), named.replace("{format}", "html") + query, body)
        assert theirs.status == 404, (method, path, theirs.text)
        assert f"there is no review {review}" in theirs.text
    assert review not in server["others"].get("/api/review").text
    assert server["ours"].get(f"/api/review/{review}").status == 200


def test_who_may_only_read_changes_nothing(server: dict[str, Client], review: str) -> None:
    reader = server["reader"]
    assert reader.get(f"/api/review/{review}").status == 200
    for method, path in (("POST", ""), ("POST", "/cancel"), ("POST", "/retry"), ("DELETE", "")):
        target = f"/api/review/{review}{path}" if path or method == "DELETE" else "/api/review"
        answer = reader.ask(method, target, {"diff_text": DIFF} if target == "/api/review" else {})
        assert (answer.status, answer.json["detail"]) == (403, "this needs the role submit"), answer.text
    assert server["ours"].get("/api/audit").status == 403


def test_a_page_of_another_site_and_a_name_of_another_host_are_refused(server: dict[str, Client]) -> None:
    ours = server["ours"]
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ours.ask("POST", "/api/review", {"diff_text": DIFF}, headers).status == 403
    for host in ("evil.example", "127.0.0.1.evil.example", "[::1].evil.example", ""):
        assert ours.get("/api/review", Host=host).status in (400, 421)


def test_every_answer_has_strict_headers_and_lets_no_other_site_read(server: dict[str, Client]) -> None:
    answer = server["ours"].get("/api/review", Origin="https://evil.example")
    assert "access-control-allow-origin" not in {name.lower() for name in answer.headers}
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_what_is_too_large_is_refused(server: dict[str, Client]) -> None:
    long = DIFF + "+x\n" * 40_000
    assert server["ours"].post("/api/review", {"diff_text": long}).status == 413
    assert server["ours"].post("/api/review", {"diff_text": "x" * 300_000}).status == 413
    host, port = server["ours"].url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        head = (
            f"POST /api/review HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {server['ours'].token}\r\n"
        )
        raw.sendall(f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"x" * 50_000
        for _ in range(6):
            try:
                raw.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            except OSError:
                break
        assert b"413" in raw.recv(200)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/o/r/pull/1",
        "https://localhost/o/r/pull/1",
        "https://[::1]/o/r/pull/1",
        "https://10.0.0.1/o/r/pull/1",
        "https://169.254.169.254/latest/meta-data/pull/1",
        "https://0x7f000001/o/r/pull/1",
        "https://2130706433/o/r/pull/1",
        "https://127.1/o/r/pull/1",
        "https://[::ffff:127.0.0.1]/o/r/pull/1",
        "https://metadata.google.internal/o/r/pull/1",
        "https://github.com@127.0.0.1/o/r/pull/1",
        "https://github.com:443@10.0.0.1/o/r/pull/1",
        "https://github.com.evil.example/o/r/pull/1",
        "https://127.0.0.1#@github.com/o/r/pull/1",
        "file:///etc/passwd",
        "https://github.com\\@127.0.0.1/o/r/pull/1",
    ],
)
def test_no_address_of_a_request_leads_to_another_host_than_the_operators(
    server: dict[str, Client], url: str
) -> None:
    for field in ("github_url", "gitlab_url"):
        answer = server["ours"].post("/api/review", {field: url})
        assert answer.status == 422, answer.text


def test_a_delivery_is_read_only_with_its_signature(server: dict[str, Client]) -> None:
    body = json.dumps({"action": "labeled"}).encode()
    good = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    path, client = "/api/webhook/github", server["nobody"]
    sent = {"X-GitHub-Event": "pull_request"}
    for forged in ("", "sha256=", good[:-1] + ("0" if good[-1] != "0" else "1"), good.upper()):
        assert client.ask("POST", path, body, {**sent, "X-Hub-Signature-256": forged}).status == 401
    answer = client.ask("POST", path, body, {**sent, "X-Hub-Signature-256": good})
    assert (answer.status, answer.json["state"]) == (202, "nothing to do")
    assert client.ask("POST", "/api/webhook/gitlab", body, {"X-Gitlab-Token": "wrong"}).status == 401
    assert client.ask("POST", "/api/webhook/gitlab", body, {"X-Gitlab-Token": SECRET}).status == 202


def test_metrics_are_for_those_who_may_read(server: dict[str, Client], review: str) -> None:
    text = server["reader"].get("/metrics").text
    assert 'affidavit_reviews_total{status="completed"' in text


def test_a_revoked_token_opens_nothing(server: dict[str, Client], tmp_path: Path) -> None:
    with serving(tmp_path, "--require-token", "--no-work") as (client, _):
        own = Client(client.url, token(tmp_path, "me", "--role", "read"))
        assert own.get("/api/review").status == 200
        listed = subprocess.run(
            [AFFIDAVIT, "token", "list", "--data", str(tmp_path)], check=True, capture_output=True, text=True
        ).stdout
        assert own.token not in listed
        subprocess.run([AFFIDAVIT, "token", "revoke", listed.split()[0], "--data", str(tmp_path)], check=True)
        assert own.get("/api/review").status == 401
    assert own.token.encode() not in (tmp_path / "affidavit.db").read_bytes()


def test_a_server_that_others_can_reach_does_not_start_without_a_token(tmp_path: Path) -> None:
    command = [AFFIDAVIT, "serve", "--host", "0.0.0.0", "--port", "0", "--data", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert "there is no token yet" in done.stderr
