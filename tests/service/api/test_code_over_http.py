"""The code behind a report over HTTP: lines of its files, the map of its change, without secrets."""

import pytest

from service_process import DIFF, Client

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
WITH_SECRET = DIFF + (
    "diff --git a/user.py b/user.py\nnew file mode 100644\n--- /dev/null\n+++ b/user.py\n"
    f'@@ -0,0 +1,3 @@\n+from app import total\n+TOKEN = "{SECRET}"\n+print(total([1]))\n'
)


@pytest.fixture(scope="module")
def reviewed(client: Client) -> tuple[Client, str]:
    review_id = client.submit(diff_text=WITH_SECRET)
    client.finished(review_id)
    return client, f"/api/review/{review_id}"


def test_lines_around_a_finding_are_those_of_its_side(reviewed: tuple[Client, str]) -> None:
    client, address = reviewed
    part = client.get(f"{address}/file?path=app.py&side=head&start=2&end=3").json
    assert part["lines"] == ["    result = 1", "    for value in values:"]
    assert (part["start"], part["end"], part["total_lines"]) == (2, 3, 5)


def test_more_lines_than_the_file_has_are_no_error(reviewed: tuple[Client, str]) -> None:
    client, address = reviewed
    part = client.get(f"{address}/file?path=app.py&start=4&end=900").json
    assert (part["start"], part["end"], len(part["lines"])) == (4, 5, 2)


def test_a_file_that_is_not_there_is_a_refusal_and_no_failure(reviewed: tuple[Client, str]) -> None:
    client, address = reviewed
    for path in ("gone.py", "../../etc/passwd", "/etc/passwd"):
        assert client.get(f"{address}/file?path={path}").status in (404, 422), path
    assert client.get(f"{address}/file?path=gone.py").status == 404
    backwards = client.get(f"{address}/file?path=app.py&start=3&end=2")
    assert (backwards.status, "start" in backwards.json["detail"]) == (422, True)


def test_secrets_are_cut_out_of_lines_and_map(reviewed: tuple[Client, str]) -> None:
    client, address = reviewed
    shown = client.get(f"{address}/file?path=user.py").text + client.get(f"{address}/map").text
    assert SECRET not in shown
    assert "REDACTED_" in shown


def test_the_map_names_who_uses_what_the_change_touches(reviewed: tuple[Client, str]) -> None:
    client, address = reviewed
    found = client.get(f"{address}/map").json
    assert {symbol["head"]["name"] for symbol in found["symbols"] if symbol["head"]} >= {"total"}


def test_revisions_of_an_unknown_repository_are_not_there(reviewed: tuple[Client, str]) -> None:
    client, _address = reviewed
    assert client.get("/api/repositories/nowhere/revisions").status == 404
