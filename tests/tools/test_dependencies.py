"""The sources of packages can be read and searched where they lie beside the repository, and nothing else."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affidavit.tools.dependencies import OpenPackages, WithDependencies
from affidavit.tools.installed_packages import find_packages
from affidavit.tools.toolbox import Toolbox
from claims import change_of, opened
from commands import affidavit
from model_server import Exchange, calls, serving
from panelists import claim, panelists, result, review, task_in
from repositories import Repo
from written_readers import written_readers

PRICES = "def round_up(value, step=5):\n    return value + step\n"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BASE = {
    "app.py": "from rounding import round_up\n\n\ndef total(x):\n    return round_up(x)\n",
}
HEAD = {"app.py": BASE["app.py"].replace("round_up(x)", "round_up(x, 10)")}


def install_python(site: Path, **files: str) -> None:
    """A distribution as pip writes it, with a record that names more than it should."""
    written = {"rounding/__init__.py": PRICES, **files}
    for path, text in written.items():
        place = site / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    described = site / "rounding_lib-1.1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: Rounding.Lib\nVersion: 1.1.0\n\nText\n")
    named = [*written, "../../../outside.py", "/etc/hosts.py", "rounding/link.py", "linked/secret.py"]
    (described / "RECORD").write_text("".join(f"{path},,\n" for path in named))


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write({".gitignore": ".venv/\nnode_modules/\n"})
    site = repo.path / ".venv" / "lib" / "python3.11" / "site-packages"
    install_python(site, **{"rounding/keys.py": f'TOKEN = "{KEY}"\n'})
    (repo.path / "outside.py").write_text("OUTSIDE = 1\n")
    (site / "rounding" / "link.py").symlink_to(repo.path / "outside.py")
    (site / "linked").symlink_to(repo.path)
    money = repo.path / "node_modules" / "@shop" / "money"
    money.mkdir(parents=True)
    (money / "package.json").write_text('{"name": "@shop/money", "version": "3.1.0"}')
    (money / "index.js").write_text("exports.cents = (x) => x * 100;\n")
    (repo.path / "node_modules" / "linked").symlink_to(repo.path / ".venv")
    return repo


@pytest.fixture
def tools(shop: Repo) -> Iterator[WithDependencies]:
    with opened(shop, BASE, HEAD) as repository:
        found = find_packages(shop.path, repository.base)
        readers = written_readers()
        own = Toolbox(repository, change_of("app.py"), readers)
        with OpenPackages(found) as packages:
            yield WithDependencies(own, packages, lambda tree, change: Toolbox(tree, change, readers))


def ask(
    tools: WithDependencies, name: str, package: str | None = "rounding-lib", **more: Any
) -> dict[str, Any]:
    arguments = {"branch": "dependency", "package": package, **more}
    return tools.call(name, {key: value for key, value in arguments.items() if value is not None})


def read(tools: WithDependencies, path: str, package: str = "rounding-lib") -> dict[str, Any]:
    return ask(tools, "get_file_context", package, file_path=path, start_line=1, end_line=9)


def test_a_file_of_a_package_is_read_with_its_version_and_its_hash(tools: WithDependencies) -> None:
    assert read(tools, "rounding/__init__.py") == {
        "file_path": "rounding/__init__.py",
        "start_line": 1,
        "end_line": 2,
        "branch": "dependency",
        "content": "1: def round_up(value, step=5):\n2:     return value + step",
        "language": "python",
        "total_lines": 2,
        "note": "the file ends at line 2",
        "package": "rounding-lib",
        "version": "1.1.0",
        "sha256": hashlib.sha256(PRICES.encode()).hexdigest(),
    }


def test_a_package_is_searched_listed_and_its_definitions_are_found(tools: WithDependencies) -> None:
    found = ask(tools, "search", pattern="step")
    assert (found["total_hits"], found["package"]) == (2, "rounding-lib")
    assert found["files"][0]["sha256"] == HASH
    assert ask(tools, "list_files")["files"] == ["rounding/__init__.py", "rounding/keys.py"]
    (defined,) = ask(tools, "find_definition", symbol="round_up")["definitions"]
    assert (defined["file_path"], defined["start_line"]) == ("rounding/__init__.py", 1)
    assert defined["sha256"] == HASH


@pytest.mark.parametrize(
    ("package", "path", "text", "version"),
    [
        ("@shop/money", "index.js", "cents", "3.1.0"),
        ("Rounding_LIB", "rounding/__init__.py", "round_up", "1.1.0"),
    ],
)
def test_packages_of_node_are_read_too(
    tools: WithDependencies, package: str, path: str, text: str, version: str
) -> None:
    answer = read(tools, path, package)
    assert text in answer["content"]
    assert answer["version"] == version


def test_the_standard_library_counts_too(tools: WithDependencies) -> None:
    answer = read(tools, "json/__init__.py", "python")
    assert answer["total_lines"] > 100
    assert "error" in read(tools, "site-packages/pip/__init__.py", "python")


def test_links_and_paths_that_leave_a_package_are_not_followed(tools: WithDependencies) -> None:
    for path in ("rounding/link.py", "linked/secret.py", "../../../outside.py", "/etc/hosts.py"):
        assert "error" in read(tools, path), path
    assert ask(tools, "search", pattern="OUTSIDE")["total_hits"] == 0
    assert "there is no package 'linked'" in ask(tools, "list_files", "linked")["error"]


def test_a_secret_in_a_package_does_not_leave(tools: WithDependencies) -> None:
    assert KEY not in json.dumps(read(tools, "rounding/keys.py"))
    assert ask(tools, "search", pattern="ghp_a1")["total_hits"] == 0


@pytest.mark.parametrize(
    ("name", "package", "more", "said"),
    [
        ("list_files", None, {}, "name the package; there are"),
        ("list_files", "roundin-lib", {}, "did you mean rounding-lib?"),
        ("list_files", "zzz", {}, "there are @shop/money, python, rounding-lib"),
        ("get_blame", "rounding-lib", {"file_path": "x", "line_number": 1}, "reads head and base only"),
        (
            "get_file_context",
            "rounding-lib",
            {"file_path": "x.py", "start_line": 1, "end_line": 2},
            "rounding-lib",
        ),
        ("search", "rounding-lib", {"pattern": "("}, "missing closing parenthesis"),
    ],
)
def test_a_call_that_cannot_be_answered_says_what_to_do(
    tools: WithDependencies, name: str, package: str | None, more: dict[str, Any], said: str
) -> None:
    assert said in ask(tools, name, package, **more)["error"]


def test_everything_else_is_answered_from_the_change(tools: WithDependencies) -> None:
    answer = tools.call("get_file_context", {"file_path": "app.py", "start_line": 5, "end_line": 5})
    assert (answer["branch"], answer["content"]) == ("head", "5:     return round_up(x, 10)")
    assert "error" in tools.call("nothing", {})
    assert "error" in tools.call("search", None)


def test_the_tools_that_know_packages_say_so(tools: WithDependencies) -> None:
    described = {one["function"]["name"]: json.dumps(one) for one in tools.descriptions}
    assert [name for name, text in described.items() if "rounding-lib" in text] == ["get_file_context"]
    assert "dependency" in described["search"]
    assert "dependency" not in described["get_blame"]


def test_a_broken_description_is_not_a_package(repo: Repo) -> None:
    site = repo.path / "venv" / "lib" / "python3.12" / "site-packages" / "x-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Name: x\n")
    with opened(repo, {".gitignore": "venv/\n"}, {"a.txt": "b\n"}) as repository:
        assert find_packages(repo.path, repository.base).by_name == {}


def test_a_specialist_reads_a_package_and_the_report_says_which(shop: Repo) -> None:
    commit_both(shop)
    asked: list[dict[str, Any]] = []
    others = panelists(
        lambda told: (
            result(claim("app.py", 5, "    return round_up(x, 10)")) if task_in(told) == "logic" else result()
        )
    )

    def act(exchange: Exchange) -> None:
        names = {tool["function"]["name"] for tool in exchange.body.get("tools", ())}
        has_read = any(message["role"] == "tool" for message in exchange.body["messages"])
        if "review_result" not in names:
            others(exchange)
        elif not has_read:
            wanted = {"symbol": "round_up", "branch": "dependency", "package": "rounding-lib"}
            calls(("find_definition", json.dumps(wanted)))(exchange)
        else:
            asked.extend(message for message in exchange.body["messages"] if message["role"] == "tool")
            others(exchange)

    with serving(act) as (address, _):
        report = json.loads(review(shop.path, address).out)
    assert "return value + step" in json.dumps(asked[0])
    read_by = {one["specialist"]: one["files_read"] for one in report["replies"] if one["files_read"]}
    assert read_by["logic"] == ["rounding-lib@1.1.0:rounding/__init__.py"]


def test_packages_are_left_alone_where_the_user_says_so(shop: Repo) -> None:
    commit_both(shop)
    leaves = ("review", "HEAD", "--what-leaves", "--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    with_packages = affidavit(*leaves, cwd=shop.path)
    without = affidavit(*leaves, "--no-dependencies", cwd=shop.path)
    assert "packages: " in with_packages.out, with_packages.err
    assert "rounding-lib 1.1.0" in with_packages.out
    assert "rounding-lib" not in without.out


# Quotes of packages, as supporting evidence

HASH = hashlib.sha256(PRICES.encode()).hexdigest()
OWN_PLACE = ("app.py", 5, "    return round_up(x, 10)")


def quoted(**fields: Any) -> dict[str, Any]:
    return {
        "package": "rounding-lib",
        "version": "1.1.0",
        "file": "rounding/__init__.py",
        "sha256": HASH,
        "code_examined": "    return value + step",
        "line_range_examined": [2, 2],
        **fields,
    }


def commit_both(shop: Repo) -> None:
    """Commit both sides without what `.gitignore` names: the packages lie beside the repository."""
    for message, files in (("base", BASE), ("Round up more", HEAD)):
        shop.write(files)
        shop.git("add", "-A")
        shop.git("commit", "-qm", message)


def reviewed(shop: Repo, report: Path, *findings: dict[str, Any], asked: list[str] | None = None) -> Any:
    """A review whose specialist reports these; the first words to each role are kept in `asked`."""
    commit_both(shop)
    act = panelists(
        lambda told: {**result(*(findings if task_in(told) == "logic" else ())), "schema_version": "1.2"}
    )

    def listening(exchange: Exchange) -> None:
        if asked is not None:
            asked.append(json.dumps(exchange.body))
        act(exchange)

    with serving(listening) as (address, _):
        done = review(shop.path, address, "--format", f"report={report}", "--format", "markdown=out.md")
    assert report.exists(), done.err
    return json.loads(report.read_text())


def rechecked(shop: Repo, report: Path, *options: str) -> dict[str, Any]:
    done = affidavit("recheck", report, "--format", "json", *options, cwd=shop.path)
    answer: dict[str, Any] = json.loads(done.out)
    return answer


def proofs_of(answer: dict[str, Any]) -> list[tuple[bool | None, str]]:
    return [(one["holds"], one["detail"]) for one in answer["proofs"] if one["kind"] == "dependency"]


def test_a_quote_of_a_package_supports_a_finding_from_the_reply_to_the_recheck(
    shop: Repo, tmp_path: Path
) -> None:
    asked: list[str] = []
    place = tmp_path / "report.json"
    finding = claim(*OWN_PLACE, evidence={"dependency_quotes": [quoted()]})
    report = reviewed(shop, place, finding, asked=asked)
    (candidate,) = [one for one in report["candidates"] if one["specialist"] == "logic"]
    (check,) = candidate["dependency_quotes"]
    assert (check["outcome"], check["start"], check["version"]) == ("exact", 2, "1.1.0")
    assert candidate["withheld"] is None
    assert "quotes rounding-lib 1.1.0 rounding/" in (shop.path / "out.md").read_text()
    specialist = next(one for one in asked if '"review_result"' in one)
    assert "`dependency_quotes`" in specialist
    assert '"reproduction"' not in specialist
    verifiers = [one for one in asked if '"verification_judgment"' in one]
    assert any("quotes rounding-lib 1.1.0 rounding/__init__.py:2" in one for one in verifiers)
    answer = rechecked(shop, place)
    summary = "looked up again: it quotes rounding-lib 1.1.0 rounding/__init__.py:2"
    assert proofs_of(answer) == [(True, summary)]
    assert answer["exit_code"] == 0, answer

    shop.path.joinpath(".venv/lib/python3.11/site-packages/rounding/__init__.py").write_text("other = 1\n")
    without = rechecked(shop, place)
    assert (proofs_of(without), without["exit_code"]) == ([], 0)
    assert any("another file is here" in word for word in without["on_its_word"])


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        ({"code": "    return value * step"}, "is not what the finding quotes"),
        ({"start": 1, "end": 1}, "the report says that it quotes rounding-lib 1.1.0 rounding/__init__.py:1"),
    ],
)
def test_a_forged_quote_of_a_package_fails_the_recheck(
    shop: Repo, tmp_path: Path, forged: dict[str, Any], said: str
) -> None:
    place = tmp_path / "report.json"
    report = reviewed(shop, place, claim(*OWN_PLACE, evidence={"dependency_quotes": [quoted()]}))
    for check in (
        *(one for given in report["candidates"] for one in given["dependency_quotes"]),
        *(one for given in report["inputs"]["dependency_quotes"] for one in given["checks"]),
    ):
        check.update(forged)
    place.write_text(json.dumps(report))
    ((holds, detail),) = proofs_of(rechecked(shop, place))
    assert holds is False
    assert said in detail


HOSTILE = {
    "an absolute path": ({"file": "/etc/hosts.py"}, "not_here"),
    "a path that leads out": ({"file": "../../../outside.py"}, "not_here"),
    "a link": ({"file": "rounding/link.py"}, "not_here"),
    "a file behind a link": ({"file": "linked/secret.py"}, "not_here"),
    "a package with slashes": ({"package": "../../etc", "file": "passwd"}, "not_here"),
    "a huge file": ({"file": "rounding/huge.py"}, "not_here"),
    "another hash": ({"sha256": "00" * 32}, "other_file"),
    "words that are not there": ({"code_examined": "    return value * step"}, "not_found"),
}


def test_hostile_quotes_of_packages_prove_nothing_and_take_nothing_along(shop: Repo, tmp_path: Path) -> None:
    site = shop.path / ".venv" / "lib" / "python3.11" / "site-packages"
    (site / "rounding" / "huge.py").write_text("x = 1\n" * 400_000)
    record = site / "rounding_lib-1.1.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + "rounding/huge.py,,\n")
    quotes = [quoted(**fields) for fields, _ in HOSTILE.values()]
    alone = claim("app.py", 4, "    return value + step", evidence={"dependency_quotes": [quoted()]})
    elsewhere = claim("rounding/__init__.py", 2, "    return value + step")
    report = reviewed(
        shop,
        tmp_path / "report.json",
        claim(*OWN_PLACE, evidence={"dependency_quotes": quotes}),
        {**alone, "id": "alone"},
        {**elsewhere, "id": "elsewhere"},
    )
    by_logic = [one for one in report["candidates"] if one["specialist"] == "logic"]
    (first,) = [one for one in by_logic if one["withheld"] is None]
    seen = [one["outcome"] for one in first["dependency_quotes"]]
    assert dict(zip(HOSTILE, seen, strict=True)) == {name: outcome for name, (_, outcome) in HOSTILE.items()}
    assert all(one["code"] == "" for one in first["dependency_quotes"])
    noted = [one for one in report["diagnostics"] if one["field"] == "dependency_quotes"]
    assert [one["code"] for one in noted] == ["evidence_not_found"]
    ended = {one["withheld"]["code"] for one in by_logic if one["withheld"]}
    assert ended == {"evidence_not_found", "file_not_in_changed_files"}
    answer = rechecked(shop, tmp_path / "report.json")
    assert [holds for holds, _ in proofs_of(answer)] == [True]
    assert answer["exit_code"] == 0
