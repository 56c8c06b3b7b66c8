"""Who may do what on a server that wants tokens: every route, another tenant's review, hostile requests."""

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.app import api_document
from model_server import Exchange, calls
from model_server import serving as model_serving
from scripted_model import model
from service_process import DIFF, ONLY_RUFF, Asked, Client, make_token, operate, other_diff, serving

SECRET = "a secret of the webhook"
OPEN_TO_ALL = {("get", "/api/health"), ("get", "/api/ready")}
SIGNED = {("post", "/api/webhook/github"), ("post", "/api/webhook/gitlab")}
UNKNOWN = "00000000-0000-4000-8000-000000000000"


TITLE = "A title that nobody else may read"
PROGRAM = json.dumps({"language": "python", "program": "print(1)", "side": "head"})


def runs_something(exchange: Exchange) -> None:
    """The scripted model, which runs a program where it may."""
    names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
    has_called = any(message["role"] == "tool" for message in exchange.body["messages"])
    if {"run_program", "review_result"} <= names and not has_called:
        calls(("run_program", PROGRAM))(exchange)
    else:
        model()(exchange)


def routes() -> list[tuple[str, str]]:
    return [(method, path) for path, methods in api_document()["paths"].items() for method in methods]


def token(folder: Path, *arguments: str) -> str:
    return operate(folder, "token", "create", *arguments).out.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("access")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[dict[str, Client]]:
    """Clients with tokens of two tenants, of one who may only read, and of nobody."""
    tokens = {
        "ours": make_token(folder, "ours", "submit", tenant="one"),
        "reader": make_token(folder, "reader", "read", tenant="one"),
        "others": make_token(folder, "others", "admin", tenant="two"),
        "operator": make_token(folder, "operator", "read"),
    }
    environment = {"AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET, "AFFIDAVIT_GITLAB_WEBHOOK_TOKEN": SECRET}
    limits = ("--request-bytes", "200000", "--diff-bytes", "100000")
    # An address that counts as one that others can reach, and is not.
    with (
        model_serving(runs_something) as (address, _),
        serving(
            folder,
            *("--host", "127.0.0.2", "--run-for", "one", *limits),
            *("--model", "openai:scripted", "--base-url", address),
            environment={**environment, **ONLY_RUFF, "AFFIDAVIT_RUN": "1"},
        ) as (client, _),
    ):
        yield {"nobody": client, **{name: Client(client.url, text) for name, text in tokens.items()}}


@pytest.fixture(scope="module")
def review(server: dict[str, Client]) -> str:
    review_id = server["ours"].submit(diff_text=DIFF, title=TITLE)
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


def test_no_route_tells_one_tenant_of_another(server: dict[str, Client], review: str) -> None:
    ours, others = server["ours"], server["others"]
    report = ours.get(f"/api/review/{review}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"])
    said = {"label": "wrong", "why": TITLE}
    assert ours.ask("PUT", f"/api/review/{review}/findings/{finding}/label", said).status == 200
    same = others.submit(diff_text=DIFF)
    assert same != review
    assert others.finished(same)["status"] == "completed"
    for method, path in routes():
        if method == "get" and "{" not in path:
            answer = others.get(path)
            assert answer.status in (200, 403), (path, answer.text)
            assert not any(word in answer.text for word in (review, TITLE, '"one"', "ours")), path
    assert (ours.get("/api/quality").json["labelled"], others.get("/api/quality").json["labelled"]) == (1, 0)
    assert others.get(f"/api/review/{same}/labels").json["labels"] == []
    assert others.get(f"/api/review/{same}/report").json["measured"] is None
    assert others.ask("DELETE", f"/api/review/{same}").status == 204
    assert ours.get(f"/api/review/{review}").status == 200


def test_programs_are_run_for_those_tenants_alone_that_the_operator_named(
    server: dict[str, Client], review: str
) -> None:
    called = [one.data for one in server["ours"].stream(review) if one.name == "tool.called"]
    run = next(data for data in called if data["tool"] == "code_interpreter")
    assert (run["action"], run["agent"]) == ("run_program", "reviewer")
    assert {one.name for one in server["ours"].stream(review)} >= {"program.run"}
    other = server["others"].submit(diff_text=other_diff("run.txt"))
    assert server["others"].finished(other)["status"] == "completed"
    assert "code_interpreter" not in json.dumps([one.data for one in server["others"].stream(other)])
    assert server["others"].get(f"/api/review/{other}/report").json["settings"]["run"] is False


def test_who_may_only_read_changes_nothing(server: dict[str, Client], review: str) -> None:
    reader = server["reader"]
    assert reader.get(f"/api/review/{review}").status == 200
    for method, path in (
        ("POST", ""),
        ("POST", "/cancel"),
        ("POST", "/retry"),
        ("POST", "/again"),
        ("DELETE", ""),
    ):
        target = f"/api/review/{review}{path}" if path or method == "DELETE" else "/api/review"
        answer = reader.ask(method, target, {"diff_text": DIFF} if target == "/api/review" else {})
        assert (answer.status, answer.json["detail"]) == (403, "this needs the role submit"), answer.text


def test_a_page_of_another_site_and_a_name_of_another_host_are_refused(server: dict[str, Client]) -> None:
    ours = server["ours"]
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ours.ask("POST", "/api/review", {"diff_text": DIFF}, headers).status == 403
        assert ours.ask("GET", "/api/review", headers=headers).status == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert ours.ask("GET", "/", headers=link).status == 200
    assert ours.ask("POST", "/api/review", {"diff_text": DIFF}, link).status == 403
    for host in ("evil.example", "127.0.0.1.evil.example", "[::1].evil.example", ""):
        assert ours.get("/api/review", Host=host).status in (400, 421)
    assert ours.get("/api/review", Host=socket.gethostname()).status == 200


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
        "https://0177.0.0.1/o/r/pull/1",
        "https://017700000001/o/r/pull/1",
        "https://localhost./o/r/pull/1",
        "https://github.com./o/r/pull/1",
        "https://g\u0131thub.com/o/r/pull/1",
        "https://github\u3002com/o/r/pull/1",
        "https://\u24d6ithub.com/o/r/pull/1",
        "https://[fd00:ec2::254]/o/r/pull/1",
        "https://[64:ff9b::7f00:1]/o/r/pull/1",
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


def test_metrics_are_for_the_operators_own_tenant(server: dict[str, Client], review: str) -> None:
    assert 'affidavit_reviews_total{status="completed"' in server["operator"].get("/metrics").text
    assert server["others"].get("/metrics").status == 403


def test_a_revoked_token_opens_nothing(server: dict[str, Client], folder: Path) -> None:
    own = Client(server["nobody"].url, token(folder, "me", "--role", "read"))
    assert own.token is not None
    assert own.get("/api/review").status == 200
    listed = operate(folder, "token", "list").out
    assert own.token not in listed
    (line,) = [line for line in listed.splitlines() if "  me  " in line]
    assert operate(folder, "token", "revoke", line.split()[0]).code == 0
    assert own.get("/api/review").status == 401
    assert own.token.encode() not in (folder / "affidavit.db").read_bytes()


def test_an_expired_token_opens_nothing_on_loopback_either(client: Client, asked: Asked) -> None:
    assert client.get("/api/review").status == 200
    old = make_token(asked.folder, "old", "read", expires_at="2020-01-01T00:00:00.000Z")
    assert Client(client.url, old).get("/api/review").status == 401


def test_a_server_that_others_can_reach_does_not_start_without_a_token(tmp_path: Path) -> None:
    done = operate(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 2
    assert "no token yet: make one with `affidavit token create NAME --role submit`" in done.err
