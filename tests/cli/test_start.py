"""What a review imports and starts before it has an answer: a budget of modules and processes, not seconds.

Whoever waits for a commit notices each of these: a module costs a millisecond, a process five.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import environment_of
from repositories import Repo

NOTED = """
import atexit, json, pathlib, sys
out, begun = pathlib.Path(sys.argv[1]), []
def note(event, about):
    if event == "subprocess.Popen":
        begun.append([[str(one) for one in about[1]], list(sys.modules)])
sys.addaudithook(note)
atexit.register(lambda: out.write_text(json.dumps([begun, list(sys.modules)])))
sys.argv = ["affidavit", *sys.argv[2:]]
from affidavit.__main__ import main
main()
"""
NEVER = ("sqlalchemy", "pydantic_ai", "openai", "anthropic", "httpx2", "fastapi", "pygments", "mcp", "dbos")
CLEAN = "def total(prices):\n    return sum(prices)\n"


@dataclass(frozen=True)
class Start:
    """The programs that a review started, with what was imported by then, and all that was imported."""

    programs: list[tuple[list[str], list[str]]]
    modules: list[str]

    def before(self, program: str) -> set[str]:
        """What was imported when the first process of a program was started."""
        return next(
            set(modules)
            for command, modules in self.programs
            if any(Path(word).name == program for word in command)
        )

    def count(self, program: str) -> int:
        return sum(any(Path(word).name == program for word in command) for command, _ in self.programs)

    def ours(self, room: str) -> list[str]:
        return [name for name in self.modules if name.startswith(f"affidavit.{room}")]


def start(repo: Repo, data: Path, *arguments: str) -> Start:
    out = data.with_suffix(".json")
    command = [sys.executable, "-c", NOTED, out, "review", *arguments]
    done = subprocess.run(
        command, cwd=repo.path, env=environment_of(data, {}), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    begun, modules = json.loads(out.read_text())
    return Start([(command, imported) for command, imported in begun], modules)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("A shop", {"shop.py": CLEAN, "README.md": "# Shop\n"})
    return repo


def documents(shop: Repo, data: Path) -> Start:
    shop.write({"README.md": f"# Shop\n\nPrices and carts of {data}.\n"})
    return start(shop, data)


def code(shop: Repo, data: Path) -> Start:
    # No other test has results for it in the cache.
    shop.write({"shop.py": f'{CLEAN}\n\ndef place():\n    return "{data}"\n'})
    return start(shop, data)


@pytest.mark.parametrize(("change", "most"), [(documents, 555), (code, 585)])
def test_a_review_imports_only_what_it_needs(shop: Repo, tmp_path: Path, change, most: int) -> None:
    for _ in range(2):
        # The second one follows the first, which the store has.
        begun = change(shop, tmp_path / "data")
    loaded = {name.partition(".")[0] for name in begun.modules}
    assert not loaded.intersection(NEVER)
    # The store keeps the native report.
    kept = [f"affidavit.render.exchange{name}" for name in ("", ".documents", ".shapes")]
    assert sorted(begun.ours("render.exchange")) == kept
    assert not {"affidavit.render.markdown", "affidavit.render.page"}.intersection(begun.modules)
    for room in ("specialists.agents", "tools", "sandbox", "minds.wire", "store.database", "quality"):
        assert begun.ours(room) == []
    assert begun.ours("forges") == ["affidavit.forges", "affidavit.forges.address"]
    assert len(begun.modules) <= most, len(begun.modules)


def test_documents_load_no_analyser_but_the_one_for_secrets(shop: Repo, tmp_path: Path) -> None:
    begun = documents(shop, tmp_path / "data")
    names = ("ty", "ruff", "tsc", "oxlint", "zizmor", "decision")
    assert not {f"affidavit.analysers.{name}" for name in names}.intersection(begun.modules)
    assert [begun.count(name) for name in ("kingfisher", "ruff", "ty")] == [1, 0, 0]
    assert begun.count("--load-builtins=false") == 1


def test_programs_start_before_anything_that_only_their_results_need(shop: Repo, tmp_path: Path) -> None:
    begun = code(shop, tmp_path / "data")
    assert not {"affidavit.analysers.engine.examine", "affidavit.render.terminal", "rich"} & begun.before(
        "git"
    )
    for name in ("kingfisher", "ty", "ruff"):
        assert not {"affidavit.judging", "affidavit.render.terminal", "rich"} & begun.before(name)


def test_each_program_runs_once_and_only_on_head_where_head_is_clean(shop: Repo, tmp_path: Path) -> None:
    begun = code(shop, tmp_path / "data")
    assert [begun.count(name) for name in ("kingfisher", "ruff", "--load-builtins=false")] == [1, 1, 1]
    again = code(shop, tmp_path / "data")
    assert [again.count(name) for name in ("kingfisher", "ruff", "ty")] == [0, 0, 0]


def test_git_is_asked_in_few_processes(shop: Repo, tmp_path: Path) -> None:
    begun = code(shop, tmp_path / "data")
    assert begun.count("git") <= 13
    shop.git("add", "-A")
    assert start(shop, tmp_path / "data", "--staged").count("git") <= 13
    shop.commit("Count")
    assert start(shop, tmp_path / "data", "HEAD").count("git") <= 15
