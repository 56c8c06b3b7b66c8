"""`affidavit review` as a user runs it, on real repositories with real analysers."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from affidavit.contract.schema import schema_of
from affidavit.records.report import Report
from commands import Done, affidavit
from repositories import Repo

PRICES = "def discounted(price, percent):\n    return price - price * percent / 100\n"
SHOP = "from shop.prices import discounted\n\n\ndef due(price):\n    return discounted(price, 5)\n"
BASE = {"shop/__init__.py": "", "shop/prices.py": PRICES, "shop/checkout.py": SHOP, "README.md": "# Shop\n"}
BROKEN = {"shop/prices.py": PRICES.replace("percent):", "percent, coupon):")}
UNDEFINED = {"shop/new.py": "def total(lines):\n    return sum(amounts)\n"}
HARMLESS = {"shop/prices.py": PRICES + "\n\ndef double(price):\n    return price * 2\n"}
VERDICT_SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "review_verdict.json").read_text())


def review(repo: Repo, *arguments: str | Path, **options: Any) -> Done:
    return affidavit("review", *arguments, **{"cwd": repo.path, **options})


def report_of(repo: Repo, *arguments: str | Path, **options: Any) -> Report:
    done = review(repo, *arguments, "--format", "report", **options)
    assert done.code in (0, 1, 3), done.err
    return Report.model_validate_json(done.out)


def rules(report: Report) -> set[tuple[str | None, str, int]]:
    return {
        (item.finding.rule_id, item.finding.file, item.finding.line) for item in report.shown if item.finding
    }


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("A shop", BASE)
    return repo


def test_a_changed_signature_is_found_in_the_caller_that_the_change_does_not_touch(shop: Repo) -> None:
    shop.commit("Coupons", BROKEN)
    report = report_of(shop, "HEAD~1..HEAD")
    (found,) = report.shown
    assert found.finding is not None
    assert found.finding.verification is not None
    assert (found.finding.file, found.finding.line, found.finding.severity) == ("shop/checkout.py", 5, "high")
    assert found.finding.verification.is_impact_finding
    cause = found.finding.verification.caused_by
    assert cause is not None
    assert (cause.file, cause.symbol) == ("shop/prices.py", "discounted")
    assert (report.verdict.decision, report.gate.exit_code) == ("request_changes", 1)


def test_a_harmless_change_proves_nothing_and_passes(shop: Repo) -> None:
    shop.commit("Double", HARMLESS)
    done = review(shop, "HEAD")
    assert done.code == 0
    assert "No problems found (linters only, no model)" in done.out


def test_what_is_not_committed_is_reviewed_by_default(shop: Repo) -> None:
    shop.write({"shop/staged.py": "def a():\n    return missing_one\n"})
    shop.git("add", "shop/staged.py")
    shop.write({**UNDEFINED, "shop/checkout.py": SHOP + "\n\ndef b():\n    return missing_two\n"})
    files = {file for _, file, _ in rules(report_of(shop))}
    assert files == {"shop/staged.py", "shop/new.py", "shop/checkout.py"}


def test_only_the_index_is_reviewed_when_asked_for(shop: Repo) -> None:
    shop.write({"shop/staged.py": "def a():\n    return missing_one\n"})
    shop.git("add", "shop/staged.py")
    shop.write(UNDEFINED)
    assert {file for _, file, _ in rules(report_of(shop, "--staged"))} == {"shop/staged.py"}


def test_a_change_can_be_reviewed_before_the_first_commit(repo: Repo) -> None:
    repo.write(UNDEFINED)
    assert len(report_of(repo).shown) == 1


@pytest.mark.parametrize("target", ["HEAD~1..HEAD", "HEAD~1...HEAD", "HEAD", "main~1.."])
def test_ranges_and_commits_are_targets(shop: Repo, target: str) -> None:
    shop.commit("New", UNDEFINED)
    assert len(report_of(shop, target).shown) == 1


def test_a_diff_in_its_repository_gets_the_whole_tree(shop: Repo, tmp_path: Path) -> None:
    shop.commit("Coupons", BROKEN)
    diff = shop.git("diff", "HEAD~1", "HEAD") + "\n"
    shop.git("reset", "-q", "--hard", "HEAD~1")
    (tmp_path / "change.diff").write_text(diff)
    from_file = report_of(shop, tmp_path / "change.diff")
    from_input = report_of(shop, "-", stdin=diff.encode())
    assert (
        {file for _, file, _ in rules(from_file)}
        == {file for _, file, _ in rules(from_input)}
        == {"shop/checkout.py"}
    )


def test_a_diff_needs_no_repository(shop: Repo, tmp_path: Path) -> None:
    shop.commit("New", UNDEFINED)
    (tmp_path / "change.diff").write_text(shop.git("diff", "HEAD~1", "HEAD") + "\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    report = report_of(shop, tmp_path / "change.diff", cwd=empty)
    assert {file for _, file, _ in rules(report)} == {"shop/new.py"}


def test_several_formats_are_written_at_once(shop: Repo, tmp_path: Path) -> None:
    shop.commit("New", UNDEFINED)
    wanted = [f"report={tmp_path}/r.json", f"verdict={tmp_path}/v.json", f"markdown={tmp_path}/m.md"]
    wanted += [f"review-result@1.0={tmp_path}/0.json", "review-result@1.1"]
    done = review(shop, "HEAD", *(part for one in wanted for part in ("--format", one)))
    assert done.code == 1
    assert Report.model_validate_json((tmp_path / "r.json").read_text()).shown
    jsonschema_rs.validate(VERDICT_SCHEMA["schema"], json.loads((tmp_path / "v.json").read_text()))
    jsonschema_rs.validate(schema_of("1.0"), json.loads((tmp_path / "0.json").read_text()))
    jsonschema_rs.validate(schema_of("1.1"), json.loads(done.out))
    assert "amounts" in (tmp_path / "m.md").read_text()


def test_formats_are_utf_8_whatever_the_terminal_speaks(shop: Repo) -> None:
    shop.write({"shop/prices.py": "print(größe)\n"})
    done = review(shop, "--format", "markdown", env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 1, done.err
    assert "größe" in done.out


@pytest.mark.parametrize("place", ["missing/report.json", "shop"])
def test_a_file_that_cannot_be_written_is_said_before_the_review(shop: Repo, place: str) -> None:
    done = review(shop, "nosuch", "--format", f"report={place}")
    assert done.code == 2
    assert "folder" in done.err
    assert "nosuch" not in done.err


def test_choices_hide_findings_and_change_no_exit_code(shop: Repo) -> None:
    shop.commit("New", UNDEFINED)
    for choice in (["--severity-threshold", "critical"], ["--focus", "security"]):
        done = review(shop, "HEAD", *choice, "--show-withheld")
        assert done.code == 1
        assert "below the severity threshold" in done.out or "outside the focus" in done.out


@pytest.mark.parametrize(("gate", "code"), [("critical", 0), ("high", 1), ("warning", 1), ("never", 0)])
def test_the_gate_is_chosen(shop: Repo, gate: str, code: int) -> None:
    shop.commit("New", UNDEFINED)
    assert review(shop, "HEAD", "--fail-on", gate).code == code


def test_the_committed_settings_count_and_those_of_the_change_do_not(shop: Repo) -> None:
    shop.commit("Settings", {"affidavit.toml": 'fail_on = "critical"\n'})
    shop.commit("New", {**UNDEFINED, "affidavit.toml": 'fail_on = "nonsense"\n'})
    done = review(shop, "HEAD")
    assert done.code == 0
    assert "affidavit.toml is changed here" in done.err


def test_named_settings_that_are_not_as_base_has_them_count_and_that_is_said(shop: Repo) -> None:
    said = "note: --config: ci.toml is not as the base commit has it"
    shop.commit("Settings", {"ci.toml": 'fail_on = "never"\n'})
    shop.commit("New", UNDEFINED)
    as_at_base = review(shop, "HEAD", "--config", "ci.toml")
    assert (as_at_base.code, said in as_at_base.err) == (0, False)
    shop.commit("Newer", {"ci.toml": 'fail_on = "critical"\n', "b.py": "print(gone)\n"})
    changed = review(shop, "HEAD", "--config", "ci.toml")
    assert (changed.code, said in changed.err) == (0, True)


def test_settings_of_the_working_tree_that_do_not_count_are_said(shop: Repo) -> None:
    shop.write({"affidavit.toml": 'fail_on = "never"\n', "pyproject.toml": "[project]\n"})
    done = affidavit("review", "HEAD", cwd=shop.path)
    assert "note: affidavit.toml of the working tree is not used" in done.err
    assert "pyproject.toml" not in done.err


def test_what_is_switched_off_and_exists_nowhere_is_noted(repo: Repo) -> None:
    repo.commit("base", BASE)
    repo.write(HARMLESS)
    wrong = ("--analysers-off", "rufff,ty,references", "--rules-off", "bandid/B602,ruff/F821,ruff/F999")
    done = review(repo, *wrong)
    assert "note: analysers_off: 'rufff' matches no analyser; known: " in done.err
    assert "note: rules_off: 'bandid/B602' matches no analyser" in done.err
    assert "note: rules_off: ruff has no rule 'ruff/F999'" in done.err
    assert done.err.count("note:") == 3
    assert review(repo, *wrong, "--quiet").err == ""


def test_a_name_in_a_note_or_an_error_moves_no_cursor(tmp_path: Path) -> None:
    name = r"a/x\033[2Jy.py"
    diff = f'--- "{name}"\n+++ "{name}"\n@@ -1 +1 @@\n-a = 1\n+a = 2\n'.encode()
    for text in (diff, diff + diff):
        done = affidavit("review", "-", cwd=tmp_path, stdin=text)
        assert "x␛[2Jy.py" in done.err
        assert "\x1b" not in done.err + done.out


def test_an_entry_is_not_written_through_a_link(shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (shop.path / ".affidavit").symlink_to(tmp_path / "elsewhere")
    done = affidavit("ignore", "0123456789abcdef", "--why", "known", cwd=shop.path)
    assert done.code == 2
    assert "is a link" in done.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_dismissed_finding_is_withheld_once_its_entry_is_in_the_base(shop: Repo) -> None:
    shop.commit("New", UNDEFINED)
    (found,) = report_of(shop, "HEAD").shown
    done = affidavit("ignore", found.fingerprint, "--why", "a plug-in defines it", cwd=shop.path)
    assert done.code == 0
    assert "amounts" in done.out
    shop.git("reset", "-q", "--soft", "HEAD~1")
    shop.git("restore", "--staged", "shop/new.py")
    shop.git("add", ".affidavit")
    shop.git("commit", "-q", "-m", "Dismiss")
    report = report_of(shop)
    assert report.shown == []
    assert (report.gate.exit_code, report.verdict.blocking) == (0, ())
    (why,) = [
        item.withheld.detail
        for item in report.withheld
        if item.withheld and item.withheld.code == "dismissed"
    ]
    assert re.fullmatch(r"by .+ in [0-9a-f]{8}: a plug-in defines it", why)


def test_settings_at_base_that_cannot_be_read_stop_no_review_and_are_said(shop: Repo) -> None:
    shop.commit("Broken", {"affidavit.toml": "fail_on = \n"})
    shop.commit("Repaired", {"affidavit.toml": 'fail_on = "low"\n'})
    done = review(shop, "HEAD")
    assert done.code == 3
    assert "affidavit.toml: not valid TOML" in done.out


def test_dismissals_at_base_that_cannot_be_read_stop_no_review_and_are_said(shop: Repo) -> None:
    """The commit that repairs them must be reviewed, too."""
    shop.commit("broken", {".affidavit/ignored.toml": "[[ignore]]\nfingerprint = 7\nwhy = 'x'\n"})
    shop.commit("repaired", {".affidavit/ignored.toml": None, "README.md": "The shop.\n"})
    done = affidavit("review", "HEAD", cwd=shop.path)
    assert done.code == 3, done.out + done.err
    said = " ".join(done.out.split())
    assert ".affidavit/ignored.toml: ignore.0.fingerprint: Input should be a valid string" in said
    assert "no dismissal counts" in said


def test_lock_files_and_generated_files_are_skipped_and_listed(shop: Repo) -> None:
    shop.commit("Lock", {"poetry.lock": "x\n", "shop/a.py": "A = 1\n"})
    report = report_of(shop, "HEAD")
    assert {item.path: item.state for item in report.coverage} == {
        "poetry.lock": "skipped",
        "shop/a.py": "examined",
    }
    assert "poetry.lock" in review(shop, "HEAD").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing..HEAD"], "nothing"),
        (["--format", "telegram"], "unknown format"),
        (["--format", "report", "--format", "verdict"], "only one format can go to standard output"),
        (["--fail-on", "dreadful"], "'dreadful' is not a severity"),
        (["HEAD", "--staged"], "staged"),
        (["--config", "no.toml"], "no.toml"),
    ],
)
def test_a_wrong_command_is_one_clear_line(shop: Repo, arguments: list[str], message: str) -> None:
    shop.write(UNDEFINED)
    done = review(shop, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_folder_that_is_no_repository_is_a_clear_line(tmp_path: Path) -> None:
    done = affidavit("review", cwd=tmp_path)
    assert done.code == 2
    assert "not in a git repository" in done.err


def test_a_git_dir_that_is_none_is_named(repo: Repo) -> None:
    done = affidavit("review", cwd=repo.path, env={"GIT_DIR": "/nowhere"})
    assert (done.code, "GIT_DIR=/nowhere is not a git repository" in done.err) == (2, True)


def test_a_binary_file_and_an_unreadable_encoding_do_not_stop_the_review(shop: Repo) -> None:
    latin = "# caf\xe9\ndef total():\n    return amounts\n".encode("latin-1")
    shop.commit("Bytes", {"logo.png": b"\x89PNG\0\0", "shop/latin.py": latin, **UNDEFINED})
    report = report_of(shop, "HEAD")
    assert "shop/new.py" in {file for _, file, _ in rules(report)}
    assert {item.path for item in report.coverage} == {"logo.png", "shop/latin.py", "shop/new.py"}


def test_nothing_is_written_into_the_repository(shop: Repo) -> None:
    shop.write({**UNDEFINED, ".env": "SECRET=1\n"})
    before = snapshot(shop.path)
    review(shop)
    assert snapshot(shop.path) == before


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_report_that_cannot_be_kept_is_still_given(shop: Repo, tmp_path: Path) -> None:
    shop.commit("New", UNDEFINED)
    (tmp_path / "file").write_text("in the way")
    done = review(shop, "HEAD", "--data", tmp_path / "file")
    assert done.code == 1
    assert "the report was not kept" in done.err
