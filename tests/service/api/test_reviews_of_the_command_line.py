"""Reviews that the command line made, as a server on the same store shows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.reviews import Filter, Reviews
from affidavit.service.work.workplace import Adoption
from affidavit.store.open import SqliteFile, Store
from commands import affidavit
from posting_flow import ALL_BUT_RUFF
from reports_to_keep import report
from repositories import Repo
from service_process import Client, make_token, operate, serving

BASE = {"app.py": "def total(values):\n    return sum(values)\n"}
HEAD = {"app.py": "def total(values):\n    return sum(value)\n"}


def review(folder: Path, title: str) -> str:
    """Review a change by the command line; the id of its report."""
    repository = folder / "repository"
    repo = Repo(repository)
    repo.commit("Begin", BASE)
    repo.commit(title, HEAD)
    before = set(kept(folder))
    options = ("--repo", str(repository), "--data", str(folder), "--analysers-off", ALL_BUT_RUFF)
    done = affidavit("review", "HEAD~1..HEAD", *options, cwd=folder)
    assert done.code in (0, 1), done.err
    (new,) = set(kept(folder)) - before
    return new


def kept(folder: Path) -> list[str]:
    with open_store(folder) as store:
        return store.reports.ids() if store.exists() else []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path, str]]:
    """A server on the store of a command line that made a review before."""
    folder = tmp_path_factory.mktemp("both")
    report_id = review(folder, "Sum the values")
    with serving(folder, "--no-work") as (client, _):
        yield client, folder, report_id


def test_a_review_of_the_command_line_is_listed(served: tuple[Client, Path, str]) -> None:
    client, _, report_id = served
    listed = {one["review_id"]: one for one in client.get("/api/review").json["reviews"]}
    own = listed[report_id]
    assert (own["status"], own["submitted_by"], own["title"]) == (
        "completed",
        "command line",
        "Sum the values",
    )
    assert own["findings"]["shown"] == 1
    assert own["verdict"] == "request_changes"


def test_a_review_of_the_command_line_can_be_opened(served: tuple[Client, Path, str]) -> None:
    client, folder, report_id = served
    place = f"/api/review/{report_id}"
    assert client.get(place).json["stats"]["total_findings"] == 1
    assert client.get(f"{place}/report").json["id"] == report_id
    unknown = client.get(f"{place}/file?path=app.py")
    assert (unknown.status, "repository add repository FOLDER" in unknown.json["advice"]) == (409, True)
    assert operate(folder, "repository", "add", "repository", str(folder / "repository")).code == 0
    code = client.get(f"{place}/file?path=app.py")
    assert (code.status, code.json.get("lines", [""])[-1]) == (200, "    return sum(value)"), code.text
    assert client.get(f"{place}/report/html").status == 200
    assert client.get(f"{place}/labels").status == 200
    assert list(client.stream(report_id)) == []
    assert client.post(f"{place}/recheck").json["holds"] is True


def test_only_the_command_line_reviews_anew_what_it_reviewed(served: tuple[Client, Path, str]) -> None:
    client, _, report_id = served
    for way in ("again", "retry", "cancel"):
        assert client.post(f"/api/review/{report_id}/{way}").status == 409, way
    assert "affidavit review" in client.post(f"/api/review/{report_id}/again").json["advice"]


def test_no_other_tenant_sees_the_command_lines_reviews(served: tuple[Client, Path, str]) -> None:
    client, folder, report_id = served
    other = Client(client.url, make_token(folder, "other", "admin", tenant="other"))
    assert other.get("/api/review").json["reviews"] == []
    assert other.get(f"/api/review/{report_id}").status == 404


def test_a_review_that_is_made_while_the_server_runs_is_there_at_once_and_deleted_in_both_places(
    served: tuple[Client, Path, str], tmp_path: Path
) -> None:
    client, folder, first = served
    (folder / "repository").rename(tmp_path / "before")
    second = review(folder, "Sum them again")
    assert client.get(f"/api/review/{second}/summary").json["title"] == "Sum them again"
    assert client.ask("DELETE", f"/api/review/{second}").status == 204
    assert kept(folder) == [first]
    assert second not in client.get("/api/review").text


def test_what_the_command_line_deletes_is_gone_from_the_list(tmp_path: Path) -> None:
    report_id = review(tmp_path, "Sum the values")
    with serving(tmp_path, "--no-work") as (client, _):
        assert report_id in client.get("/api/review").text
        with open_store(tmp_path) as store:
            assert store.reports.delete_before("9999") == 1
        assert client.get("/api/review").json["reviews"] == []
        assert client.get(f"/api/review/{report_id}").status == 404


def test_only_a_store_in_a_file_is_searched_for_reviews_of_the_command_line(store: Store) -> None:
    store.reports.save(report("made-by-a-command"))
    Adoption(store).adopt("default")
    listed = [one.id for one in Reviews(store.database).page("default", Filter(), 10, None)]
    assert listed == (["made-by-a-command"] if isinstance(store.location, SqliteFile) else [])
