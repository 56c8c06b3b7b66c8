"""The loop of reviews and an agent: with agents that fix, idle, spoil, cheat and never end."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'
TEST = "from app import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
FILES = {"app.py": "def total(items):\n    return sum(itms)\n", "tests/test_app.py": TEST}
PUTS_BACK = "printf 'def total(items):\\n    return 0\\n' > app.py"
FIXES = "sed -i s/itms/items/ app.py"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Sum", FILES)
    return repo


def refine(repo: Repo, agent: str, *options: str, data: Path) -> tuple[Done, dict[str, Any]]:
    done = affidavit(
        "refine", "main...topic", "--agent", agent, "--format", "json", "--quiet", "--data", data, *options,
        cwd=repo.path,
    )  # fmt: skip
    return done, json.loads(done.out) if done.out.startswith("{") else {}


def everything(repo: Repo) -> tuple[str, str, str]:
    """What must not change: branches, what is checked out, the files."""
    status = repo.git("status", "--porcelain")
    return repo.git("for-each-ref"), repo.git("rev-parse", "HEAD"), status


def test_an_agent_that_fixes_is_accepted_and_its_work_left_as_a_branch(branch: Repo, tmp_path: Path) -> None:
    start = branch.git("rev-parse", "topic")
    agent = f'test -s {{feedback}} && cmp {{feedback}} "$AFFIDAVIT_FEEDBACK" && cmp - {{feedback}} && {FIXES}'
    done, said = refine(branch, agent, data=tmp_path / "data")
    assert (done.code, said["stopped"], said["branch"]) == (0, "accepted", "refined/topic")
    assert branch.git("show", "refined/topic:app.py") == "def total(items):\n    return sum(items)"
    assert branch.git("rev-parse", "refined/topic^") == start
    assert branch.git("rev-parse", "topic") == start
    assert branch.git("fsck", "--strict", "--no-dangling") == ""
    assert not list(tmp_path.glob("repo.refine-*"))
    assert "sed -i" not in done.out
    history = affidavit("review", "main...refined/topic", "--no-store", "--quiet", cwd=branch.path)
    assert history.code == 0


def test_an_agent_that_does_nothing_leaves_nothing(branch: Repo, tmp_path: Path) -> None:
    before = everything(branch)
    done, said = refine(branch, "cat > /dev/null", data=tmp_path / "data")
    assert (done.code, said["stopped"], said["branch"]) == (1, "plateau", "")
    assert everything(branch) == before


def test_an_agent_that_makes_it_worse_is_not_taken(branch: Repo, tmp_path: Path) -> None:
    worse = 'echo "def n$(wc -c < app.py)(): return gone$(wc -c < app.py)" >> app.py'
    before = everything(branch)
    done, said = refine(branch, worse, "--max", "2", data=tmp_path / "data")
    assert (done.code, said["best"], said["branch"]) == (1, 1, "")
    assert len(said["turns"]) == 2
    assert said["turns"][1]["summary"]["score"] < said["turns"][0]["summary"]["score"]
    assert everything(branch) == before


def test_work_that_deletes_tests_is_left_to_a_person_with_its_diff(branch: Repo, tmp_path: Path) -> None:
    done, said = refine(branch, f"{FIXES}; rm -f tests/test_app.py", data=tmp_path / "data")
    assert (done.code, said["stopped"], said["best"], said["branch"]) == (1, "escalated", 1, "")
    second = said["turns"][1]
    assert second["held_back"] == ["edits a test: tests/test_app.py"]
    assert second["summary"]["verdict"] == "escalate"
    branch.git("apply", second["diff"])
    assert branch.git("status", "--porcelain").split() == ["M", "app.py", "D", "tests/test_app.py"]
    told = history(branch, "topic (refine)", data=tmp_path / "data")["chapters"]
    assert [one["summary"]["verdict"] for one in told] == ["refine", "escalate"]


def test_work_that_switches_tests_off_is_left_to_a_person(branch: Repo, tmp_path: Path) -> None:
    ignores = "echo 'collect_ignore = [\"tests/test_app.py\"]' > conftest.py"
    _, said = refine(branch, f"{FIXES}; {ignores}", "--max", "2", data=tmp_path / "data")
    assert said["turns"][1]["held_back"] == ["edits the settings of the tests: conftest.py"]
    assert (said["stopped"], said["best"], said["branch"]) == ("escalated", 1, "")


def test_an_agent_may_add_tests(branch: Repo, tmp_path: Path) -> None:
    done, said = refine(branch, f"{FIXES}; cp tests/test_app.py tests/test_more.py", data=tmp_path / "data")
    assert (done.code, said["branch"]) == (0, "refined/topic")


def test_work_that_is_held_back_goes_on_while_something_is_left_to_fix(branch: Repo, tmp_path: Path) -> None:
    agent = f"test -e tests/test_app.py || {FIXES}; rm -f tests/test_app.py"
    _, said = refine(branch, agent, data=tmp_path / "data")
    assert [one["summary"]["verdict"] for one in said["turns"]] == ["refine", "refine", "escalate"]


def history(repo: Repo, *series: str, data: Path) -> Any:
    return json.loads(affidavit("history", *series, "--format", "json", "--data", data, cwd=repo.path).out)


def test_each_loop_of_a_branch_is_a_series_of_its_own_beside_the_reviews(
    branch: Repo, tmp_path: Path
) -> None:
    branch.git("remote", "add", "origin", "https://git.example/shop.git")
    data = tmp_path / "data"
    affidavit("review", "main...topic", "--quiet", "--data", data, cwd=branch.path)
    for _ in range(2):
        refine(branch, "cat > /dev/null", data=data)
    listed = history(branch, data=data)
    assert [one["series"] for one in listed] == ["topic (refine 2)", "topic (refine)", "topic"]
    assert {one["repository"] for one in listed} == {"https://git.example/shop.git"}


def test_an_agent_that_never_ends_is_ended(branch: Repo, tmp_path: Path) -> None:
    before = everything(branch)
    done, said = refine(branch, "sleep 600 & sleep 600", "--agent-seconds", "1", data=tmp_path / "data")
    assert (done.code, said["stopped"]) == (1, "agent")
    assert said["turns"][0]["agent"]["state"] == "timed_out"
    assert everything(branch) == before


def test_an_agent_that_breaks_its_own_repository_harms_nobody(branch: Repo, tmp_path: Path) -> None:
    spoils = f"{FIXES}; rm -rf .git; mkdir .git; echo '[core] hooksPath = /' > .git/config"
    done, said = refine(branch, spoils, data=tmp_path / "data")
    assert (done.code, said["branch"]) == (0, "refined/topic")


@pytest.mark.parametrize("deletes", ["git rm -q app.py", "echo > app.py", "echo x = 1 > app.py"])
def test_work_that_deletes_the_program_is_left_to_a_person(
    branch: Repo, tmp_path: Path, deletes: str
) -> None:
    done, said = refine(branch, deletes, "--max", "2", data=tmp_path / "data")
    assert (done.code, said["stopped"], said["best"], said["branch"]) == (1, "escalated", 1, "")
    assert said["turns"][1]["held_back"][-1] == "deletes app.py::total"


def test_an_agent_that_undoes_the_change_ends_the_loop(branch: Repo, tmp_path: Path) -> None:
    undo = "printf 'def total(items):\\n    return 0\\n' > app.py; rm -r tests"
    done = affidavit(
        "refine", "main...topic", "--agent", undo, "--data", tmp_path / "data", cwd=branch.path
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "stopped: the agent undid the change" in done.out
    assert not list(tmp_path.glob("repo.refine-*"))


def test_a_change_with_nothing_in_it_leaves_no_copy(branch: Repo, tmp_path: Path) -> None:
    done = affidavit("refine", "main...main", "--agent", "true", "--data", tmp_path / "data", cwd=branch.path)
    assert (done.code, "nothing to review" in done.err) == (2, True)
    assert not list(tmp_path.glob("repo.refine-*"))


@pytest.mark.parametrize(
    "makes", ["git init -q lib", "git init -q lib; git -C lib commit -q --allow-empty -m a"]
)
def test_the_files_of_a_repository_within_are_taken(branch: Repo, tmp_path: Path, makes: str) -> None:
    agent = f"{FIXES}; mkdir lib; echo 'x = 1' > lib/a.py; {makes}"
    done, said = refine(branch, agent, data=tmp_path / "data")
    assert (done.code, said["branch"]) == (0, "refined/topic"), done.err
    assert branch.git("show", "refined/topic:lib/a.py") == "x = 1"


def test_the_last_iteration_says_that_it_was_the_last(branch: Repo, tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = affidavit(
        "refine", "main...topic", "--agent", "true", "--max", "1", "--data", data, cwd=branch.path
    )  # fmt: skip
    assert "stopped: the limit of iterations is reached, and something is left" in done.out
    assert "a person has to look" not in done.out


@pytest.mark.parametrize(
    ("target", "said"),
    [("topic", "is not a range"), ("main...nowhere", "there is no commit called 'nowhere'")],
)
def test_what_cannot_be_refined_is_said(branch: Repo, tmp_path: Path, target: str, said: str) -> None:
    done = affidavit("refine", target, "--agent", "true", "--data", tmp_path / "data", cwd=branch.path)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--branch", "main"), "there is a branch main already"),
        (("--branch", "../evil"), "is not a valid branch name"),
    ],
)
def test_a_branch_that_cannot_be_left_is_refused_before_the_agent_runs(
    branch: Repo, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    ran = tmp_path / "ran"
    done, _ = refine(branch, f"touch {ran}", *options, data=tmp_path / "data")
    assert (done.code, said in done.err) == (2, True)
    assert not ran.exists()


def test_an_agent_that_silences_what_it_was_told_is_never_accepted(branch: Repo, tmp_path: Path) -> None:
    branch.commit("More", {"app.py": FILES["app.py"] + "\n\ndef other():\n    return gone\n"})
    # One is silenced, one is fixed, and something new is silenced before anybody could report it.
    quiet = (
        "sed -i 's/sum(itms).*/sum(itms)  # noqa/; s/gone/1/' app.py; echo 'x = unknown  # noqa' >> app.py"
    )
    done, said = refine(branch, quiet, "--max", "2", data=tmp_path / "data")
    assert (done.code, said["best"], said["branch"]) == (1, 1, "")
    second = said["turns"][1]
    assert second["held_back"][-2:] == [
        "silences a finding at app.py:2: `itms` is not defined",
        "silences a finding at app.py:7: `unknown` is not defined",
    ]
    assert [one["title"] for one in second["summary"]["open"]] == ["`itms` is not defined"]
    told = history(branch, "topic (refine)", data=tmp_path / "data")["chapters"]
    assert [one["summary"] for one in told] == [one["summary"] for one in said["turns"]]


@pytest.mark.parametrize(
    "spoils",
    [
        f"{PUTS_BACK}; echo '# done' >> app.py",
        f"{PUTS_BACK}; printf '\\n\\ndef other(items):\\n    raise NotImplementedError\\n' >> app.py",
        "cp app.py app.txt; echo 'exec(open(\"app.txt\").read())' > app.py",
    ],
    ids=["puts base back", "makes it hollow", "executes a text"],
)
def test_work_that_takes_the_change_away_is_left_to_a_person(
    branch: Repo, tmp_path: Path, spoils: str
) -> None:
    branch.commit(
        "More", {"app.py": FILES["app.py"] + "\n\ndef other(items):\n    return gone[len(items)]\n"}
    )
    done, said = refine(branch, spoils, "--max", "2", data=tmp_path / "data")
    assert (done.code, said["best"], said["branch"]) == (1, 1, "")
    assert any("app.py::other" in one for one in said["turns"][1]["held_back"])


HELPER = 'mkdir -p lib; echo "V = 1" > lib/helper.py; touch lib/__init__.py'
IMPORTS = "sed -i '1i from lib import helper' app.py; sed -i 's/itms/[helper.V]/' app.py"


@pytest.fixture
def ignoring(repo: Repo) -> Repo:
    """A branch of a repository that ignores `lib/`."""
    base = {"affidavit.toml": OFF, ".gitignore": "lib/\n", "app.py": "def total(items):\n    return 0\n"}
    repo.commit("Base", base)
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Sum", FILES)
    return repo


def test_an_ignored_file_is_left_out(ignoring: Repo, tmp_path: Path) -> None:
    agent = f"{FIXES}; {HELPER}"
    done = affidavit(
        "refine", "main...topic", "--agent", agent, "--data", tmp_path / "data", cwd=ignoring.path
    )  # fmt: skip
    assert done.code == 0, done.err
    assert ignoring.git("ls-tree", "-r", "--name-only", "refined/topic", "lib") == ""


def test_the_rules_of_the_copy_do_not_hide_an_agents_work(branch: Repo, tmp_path: Path) -> None:
    agent = f"{IMPORTS}; {HELPER}; echo '*' > .git/info/exclude"
    done, said = refine(branch, agent, data=tmp_path / "data")
    assert (done.code, said["branch"]) == (0, "refined/topic")
    assert branch.git("show", "refined/topic:lib/helper.py") == "V = 1"


def test_a_review_that_was_not_completed_ends_the_loop_and_accepts_nothing(
    branch: Repo, tmp_path: Path
) -> None:
    branch.commit("Fix", {"app.py": "def total(items):\n    return sum(items)\n"})
    ran = tmp_path / "ran"
    dead = ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    done = affidavit(
        "refine", "main...topic", "--agent", f"touch {ran}", *dead, "--data", tmp_path / "data",
        cwd=branch.path,
    )  # fmt: skip
    assert done.code == 3
    assert "so nothing is accepted; not completed: verifier" in " ".join(done.out.split())
    assert not ran.exists()


def test_what_blocks_and_is_out_of_focus_is_handed_to_the_agent(branch: Repo, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.toml"
    chosen.write_text('focus = ["security"]\n' + OFF)
    done, said = refine(branch, FIXES, "--config", str(chosen), data=tmp_path / "data")
    assert (done.code, said["stopped"]) == (0, "accepted")
    assert [one["summary"]["verdict"] for one in said["turns"]] == ["refine", "accept"]
