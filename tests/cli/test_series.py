"""Series of reviews on the command line: the same branch, a name, or the report of the review before."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from model_server import Act, Exchange, serving
from repositories import Repo
from scripted_model import FINDING, NOTHING, model

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'
BAD = "def total(items):\n    return sum(itms)\n"
LOOP = "    for value in values:\n        result += value\n    return result\n"
AFTER = "def total(values):\n    result = 1\n" + LOOP
WORSE = BAD + "\n\ndef other():\n    return missing\n"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Sum", {"app.py": BAD})
    return repo


def review(repo: Repo, *options: str | Path, data: Path) -> tuple[Done, dict[str, Any]]:
    out = data.parent / "report.json"
    done = affidavit(
        "review", "main...feature", "--format", f"report={out}", "--format", "terminal", *options,
        "--data", data, "--quiet", cwd=repo.path,
    )  # fmt: skip
    return done, json.loads(out.read_text()) if out.exists() else {}


def test_reviews_of_one_branch_are_a_series(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, data=tmp_path / "data")
    assert first["follow_up"] is None
    branch.commit("More", {"app.py": "# Sums.\n" + WORSE})
    done, second = review(branch, data=tmp_path / "data")
    follow_up = second["follow_up"]
    assert (follow_up["iteration"], follow_up["series"], follow_up["previous"]) == (2, "feature", first["id"])
    assert [one["fate"] for one in follow_up["decisions"]] == ["still_open"]
    assert len(follow_up["new"]) == 1
    assert "review 2 of this change: 1 still open, 1 new" in done.out
    branch.commit("Fix", {"app.py": "def total(items):\n    return sum(items)\n"})
    done, third = review(branch, data=tmp_path / "data")
    assert [one["fate"] for one in third["follow_up"]["decisions"]] == ["fixed", "fixed"]
    assert done.code == 0


def test_a_second_look_at_the_same_head_is_no_new_iteration(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    for _ in range(2):
        _, again = review(branch, data=tmp_path / "data")
        follow_up = again["follow_up"]
        assert (follow_up["iteration"], follow_up["decisions"], len(follow_up["new"])) == (1, [], 1)


def test_what_was_fixed_and_is_broken_again_is_back_and_not_new(branch: Repo, tmp_path: Path) -> None:
    data = tmp_path / "data"
    _, first = review(branch, data=data)
    branch.commit("Fix", {"app.py": "def total(items):\n    return sum(items)\n"})
    review(branch, data=data)
    branch.commit("Break it again, and more", {"app.py": "# Sums.\n" + WORSE})
    # A second look at the same head says the same.
    for _ in range(2):
        done, third = review(branch, data=data)
        follow_up = third["follow_up"]
        (back,) = follow_up["returned"]
        assert (back["review"], back["times"]) == (1, 2)
        assert back["key"] == first["candidates"][0]["fingerprint"]
        assert len(follow_up["new"]) == 1
        assert "review 3 of this change: 1 back again, 1 new" in done.out
        said = " ".join(done.out.split())
        assert f"(found in review 1, gone in review 2: finding {back['key']})" in said
        assert "oscillation:" in done.out
    rechecked = affidavit("recheck", data.parent / "report.json", cwd=branch.path)
    assert rechecked.code == 0, rechecked.out
    told = affidavit("history", "feature", "--data", data, cwd=branch.path)
    assert "of what was asked before: 1 back again" in told.out
    assert "alert  oscillation" in told.out


def forgetful(exchange: Exchange) -> None:
    """A model that finds nothing the second time."""
    model(review_result=NOTHING)(exchange)


def test_what_a_model_does_not_repeat_at_the_same_head_is_carried_and_a_recording_can_be_played_again(
    branch: Repo, tmp_path: Path
) -> None:
    branch.commit("Sum by hand", {"app.py": AFTER})
    kept, out = tmp_path / "kept", tmp_path / "report.json"

    def reviewed(act: Act, *more: str | Path) -> tuple[dict[str, Any], int]:
        with serving(act) as (address, script):
            done = affidavit(
                "review", "main...feature", "--model", "openai:scripted", "--base-url", address, *more,
                "--format", f"report={out}", "--data", tmp_path / "data", "--quiet", cwd=branch.path,
            )  # fmt: skip
        assert done.code == 1, done.err
        return json.loads(out.read_text()), len(script.requests)

    first, asked = reviewed(model(), "--record", kept)
    again, asked_again = reviewed(forgetful)
    (stays,) = (one for one in again["candidates"] if one["carried"])
    assert (stays["withheld"], stays["finding"]["title"]) == (None, FINDING["title"])
    assert again["follow_up"]["iteration"] == 1
    # Nobody is spared the look: specialists were asked as the first time.
    assert asked_again >= asked - 2
    played, asked_now = reviewed(model(), "--replay", kept)
    assert asked_now == 0
    assert played["follow_up"]["scope"]["reason"] == "this head is reviewed again"
    shown = [one["fingerprint"] for one in first["candidates"] if not one["withheld"]]
    assert [one["fingerprint"] for one in played["candidates"] if not one["withheld"]] == shown
    rechecked = affidavit("recheck", out, cwd=branch.path)
    assert rechecked.code == 0, rechecked.out


def test_a_name_makes_a_series_of_its_own(branch: Repo, tmp_path: Path) -> None:
    review(branch, "--series", "mine", data=tmp_path / "data")
    branch.commit("More", {"app.py": WORSE})
    _, other = review(branch, data=tmp_path / "data")
    assert other["follow_up"] is None
    _, mine = review(branch, "--series", "mine", data=tmp_path / "data")
    assert mine["follow_up"]["series"] == "mine"


def test_the_report_of_the_review_before_is_enough_without_a_store(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, "--no-store", data=tmp_path / "data")
    kept = (tmp_path / "report.json").rename(tmp_path / "before.json")
    branch.commit("Shift", {"app.py": "# Sums.\n" + BAD})
    done, second = review(branch, "--no-store", "--previous", kept, data=tmp_path / "data")
    assert [one["fate"] for one in second["follow_up"]["decisions"]] == ["still_open"]
    assert second["inputs"]["earlier"]["report_id"] == first["id"]
    assert done.code == 1
    rechecked = affidavit("recheck", tmp_path / "report.json", cwd=branch.path)
    assert rechecked.code == 0, rechecked.out
    assert f"report {first['id']}" in rechecked.out


def test_the_report_of_the_same_head_counts_nothing_a_second_time(branch: Repo, tmp_path: Path) -> None:
    kept = tmp_path / "before.json"
    _, first = review(branch, "--no-store", data=tmp_path / "data")
    (tmp_path / "report.json").rename(kept)
    for _ in range(3):
        done, again = review(branch, "--no-store", "--previous", kept, data=tmp_path / "data")
        (tmp_path / "report.json").rename(kept)
    follow_up = again["follow_up"]
    assert (follow_up["iteration"], follow_up["decisions"], len(follow_up["new"])) == (1, [], 1)
    assert "alert" not in done.out
    branch.commit("Shift", {"app.py": "# Sums.\n" + WORSE})
    review(branch, "--no-store", "--previous", kept, data=tmp_path / "data")
    (tmp_path / "report.json").rename(kept)
    for _ in range(3):
        done, again = review(branch, "--no-store", "--previous", kept, data=tmp_path / "data")
        (tmp_path / "report.json").rename(kept)
    follow_up = again["follow_up"]
    assert follow_up["iteration"] == 2
    assert [(one["fate"], one["times"]) for one in follow_up["decisions"]] == [("still_open", 2)]
    assert follow_up["decisions"][0]["earlier"] == first["candidates"][0]["id"]
    assert len(follow_up["new"]) == 1
    assert len(again["inputs"]["earlier"]["history"]) == 1
    assert "repeated issue" not in done.out
    rechecked = affidavit("recheck", kept, cwd=branch.path)
    assert rechecked.code == 0, rechecked.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--series", " "), "--series needs a name"),
        (("--series", "a", "--no-store"), "--series needs the store"),
        (("--previous", "nowhere.json"), "--previous: nowhere.json: No such file"),
        (("--previous", "app.py"), "--previous: app.py is not a native report"),
    ],
)
def test_what_cannot_be_followed_is_said(
    branch: Repo, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done, _ = review(branch, *options, data=tmp_path / "data")
    assert done.code == 2
    assert said in done.err


def test_a_branch_that_was_merged_begins_a_new_series(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    branch.git("checkout", "-q", "main")
    branch.git("merge", "-q", "--ff-only", "feature")
    branch.git("checkout", "-q", "feature")
    branch.commit("Next", {"other.py": "def f():\n    return nothing\n"})
    _, second = review(branch, data=tmp_path / "data")
    assert second["follow_up"] is None


def test_a_comment_that_is_added_after_a_finding_was_reported_settles_nothing(
    branch: Repo, tmp_path: Path
) -> None:
    data, feedback = tmp_path / "data", tmp_path / "feedback.json"
    review(branch, data=data)
    silenced = BAD.replace("sum(itms)", "sum(itms)  # noqa: F821")
    for push, text in ((2, silenced), (3, silenced + "\n\nPRICE = 1\n")):
        branch.commit("Silence", {"app.py": text})
        done, report = review(branch, "--format", f"feedback={feedback}", data=data)
        (decision,) = report["follow_up"]["decisions"]
        (shown,) = [one for one in report["candidates"] if not one["withheld"]]
        assert (decision["fate"], decision["times"], decision["now"]) == ("still_open", push, shown["id"])
        assert (
            "a comment that was added after it was reported silences it (line 2: # noqa: F821"
            in decision["reason"]
        )
        assert not decision["code_changed"], "a comment is no change of the code"
        assert (done.code, report["gate"]["failed_by"]) == (1, [shown["id"]])
        assert "comment that was added after it was reported" in " ".join(done.out.split())
        document = json.loads(feedback.read_text())
        assert document["overall_assessment"]["score"] == 0.65
        assert document["overall_assessment"]["verdict"] == ("refine" if push == 2 else "escalate")
        assert affidavit("recheck", data.parent / "report.json", cwd=branch.path).code == 0
    branch.commit("Fix", {"app.py": "def total(items):\n    return sum(items)\n"})
    done, report = review(branch, data=data)
    assert (done.code, report["follow_up"]["decisions"][0]["fate"]) == (0, "fixed")


def test_what_is_silenced_after_its_report_is_settled_by_people_at_base(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, data=tmp_path / "data")
    (name,) = [one["fingerprint"] for one in first["candidates"] if not one["withheld"]]
    branch.git("checkout", "-q", "main")
    ignored = f'[[ignore]]\nfingerprint = "{name}"\nwhy = "Known."\n'
    branch.commit("Dismiss", {".affidavit/ignored.toml": ignored})
    branch.git("checkout", "-q", "feature")
    branch.git("rebase", "-q", "main")
    branch.commit("Silence", {"app.py": BAD.replace("sum(itms)", "sum(itms)  # noqa: F821")})
    done, report = review(branch, data=tmp_path / "data")
    assert (done.code, [one["id"] for one in report["candidates"] if not one["withheld"]]) == (0, [])


def test_of_many_places_one_that_is_silenced_stays_open(branch: Repo, tmp_path: Path) -> None:
    many = "".join(f"\n\ndef other_{number}():\n    return missing\n" for number in range(8))
    branch.commit("Many", {"app.py": BAD + many})
    review(branch, data=tmp_path / "data")
    fixed = (BAD + many).replace("itms", "items").replace("missing", "1")
    branch.commit(
        "Silence", {"app.py": fixed.replace("_7():\n    return 1", "_7():\n    return missing  # noqa")}
    )
    done, report = review(branch, data=tmp_path / "data")
    (decision,) = report["follow_up"]["decisions"]
    assert (done.code, decision["fate"]) == (1, "partly_fixed")


def test_of_places_with_one_cause_the_one_that_is_silenced_blocks_when_the_other_is_fixed(
    repo: Repo, tmp_path: Path
) -> None:
    call = "from m import other\n\n\ndef f():\n    return other(1)\n"
    off = 'analysers_off = ["ruff", "kingfisher", "references"]\n'
    places = {"u1.py": call, "u2.py": call}
    repo.commit("Base", {"affidavit.toml": off, "m.py": "def other(a):\n    return a\n", **places})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Ask for more", {"m.py": "def other(a, b):\n    return a\n"})
    review(repo, data=tmp_path / "data")
    repo.commit("Silence", {"u2.py": call.replace("(1)", "(1)  # type: ignore")})
    review(repo, data=tmp_path / "data")
    repo.commit("Fix", {"u1.py": call.replace("(1)", "(1, 2)")})
    done, report = review(repo, data=tmp_path / "data")
    (shown,) = [one for one in report["candidates"] if not one["withheld"]]
    assert (shown["finding"]["file"], report["gate"]["failed_by"], done.code) == ("u2.py", [shown["id"]], 1)
    assert affidavit("recheck", tmp_path / "report.json", cwd=repo.path).code == 0


def test_a_finding_in_a_file_that_is_excluded_now_does_not_block(branch: Repo, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert review(branch, data=data)[0].code == 1
    branch.commit("More", {"app.py": WORSE})
    done, second = review(branch, "--exclude", "app.py", data=data)
    (carried,) = second["candidates"]
    assert (done.code, second["verdict"]["blocking"]) == (0, [])
    assert carried["withheld"] == {"code": "excluded", "detail": "app.py"}
    assert affidavit("recheck", tmp_path / "report.json", cwd=branch.path).code == 0
    assert review(branch, data=data)[0].code == 1


HIDES = {
    "without an extension": "mkdir lib; git mv app.py lib/app",
    "as text": "git mv app.py app.py.txt",
    "as a script": "mkdir bin; (echo '#!/usr/bin/env python3'; cat app.py) > bin/app; git rm -qf app.py",
}


@pytest.mark.parametrize("hides", HIDES.values(), ids=HIDES)
def test_what_its_analyser_does_not_read_any_more_is_not_fixed(
    branch: Repo, tmp_path: Path, hides: str
) -> None:
    branch.commit(
        "Longer", {"app.py": BAD + "\n\ndef second(items):\n    return [one.price for one in items]\n"}
    )
    review(branch, data=tmp_path / "data")
    subprocess.run(["/bin/sh", "-c", hides], cwd=branch.path, check=True)
    branch.commit("Hide")
    done, report = review(branch, data=tmp_path / "data")
    (decision,) = report["follow_up"]["decisions"]
    assert (decision["fate"], done.code) == ("still_open", 1)
    assert "ruff does not read" in decision["reason"]


def test_what_is_fixed_is_fixed_though_another_of_its_rule_is_silenced(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    branch.commit("Fix", {"app.py": WORSE.replace("itms", "items").replace("missing", "gone  # noqa: F821")})
    _, second = review(branch, data=tmp_path / "data")
    assert [one["fate"] for one in second["follow_up"]["decisions"]] == ["fixed"]


def test_two_repositories_in_folders_of_one_name_have_series_of_their_own(
    branch: Repo, tmp_path: Path
) -> None:
    review(branch, data=tmp_path / "data")
    other = Repo(tmp_path / "elsewhere" / branch.path.name)
    other.commit("Base", {"affidavit.toml": OFF, "z.py": "x = 1\n"})
    other.git("checkout", "-q", "-b", "feature")
    other.commit("Other", {"z.py": "x = y\n"})
    _, first = review(other, data=tmp_path / "data")
    assert first["follow_up"] is None


def test_a_report_of_another_repository_is_refused(branch: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "elsewhere" / "repo")
    other.commit("Their base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 1\n"})
    other.git("checkout", "-q", "-b", "feature")
    other.commit("Theirs", {"app.py": BAD})
    review(other, "--no-store", data=tmp_path / "data")
    before = (tmp_path / "report.json").rename(tmp_path / "before.json")
    done, _ = review(branch, "--no-store", "--previous", before, data=tmp_path / "data")
    assert done.code == 2
    assert "another repository" in done.err


def test_a_report_that_contradicts_itself_is_refused(branch: Repo, tmp_path: Path) -> None:
    _, report = review(branch, "--no-store", data=tmp_path / "data")
    (tmp_path / "before.json").write_text(json.dumps({**report, "candidates": []}))
    done, _ = review(branch, "--no-store", "--previous", tmp_path / "before.json", data=tmp_path / "data")
    assert done.code == 2
    assert "contradicts itself" in done.err


def test_clones_of_one_folder_have_series_of_their_own(branch: Repo, tmp_path: Path) -> None:
    for name in ("one", "two"):
        clone = tmp_path / name
        subprocess.run(["git", "clone", "-q", branch.path, clone], check=True)
        affidavit(
            "review", "origin/main...feature", "--quiet", "--data", tmp_path / "data", cwd=clone
        )  # fmt: skip
        listed = affidavit("history", "--format", "json", "--data", tmp_path / "data", cwd=clone)
        assert [one["repository"] for one in json.loads(listed.out)] == [str(clone)]
    none = affidavit("history", "nonesuch", "--data", tmp_path / "data", cwd=branch.path)
    assert "stored series of this repository: none" in none.err
