"""The starter set is what it claims to be: cases that build, parse, and point at the lines they speak of."""

import io
import json
import os
import re
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

import pytest
import yaml

from affidavit.analysers.kingfisher import KINGFISHER, invoke_kingfisher
from affidavit.lab.cases.folders import CaseFolder, read_cases
from affidavit.lab.cases.repositories import build_history
from affidavit.lab.evaluation.matching import TOLERANCE_LINES
from affidavit.lab.records import KnownPlace
from affidavit.languages.grammars import parse
from affidavit.languages.registry import grammar_of
from affidavit.records.finding import Category
from commands import AFFIDAVIT, SHARED_CACHE, affidavit
from repositories import run_git

CASES = Path(__file__).parents[3] / "evaluation/cases"
STARTER_SET = read_cases([CASES])
MIN_CHANGED_LINES, MAX_CHANGED_LINES = 10, 80
CHANGED_LINE = re.compile(r"^(?:\+(?!\+\+ )|-(?!-- ))", re.MULTILINE)
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
TELLTALE = re.compile(
    r"\b(bug|fixme|todo|xxx|vulnerab\w*|insecure|on purpose|intentional\w*|planted)\b", re.IGNORECASE
)

each_case = pytest.mark.parametrize("folder", STARTER_SET, ids=[one.case.id for one in STARTER_SET])


class Built:
    """A case's repository, asked once for its files and its change."""

    def __init__(self, folder: CaseFolder, target: Path) -> None:
        build_history(folder.folder, target)
        self.path = target
        self.base, self.head = self._files("base"), self._files("head")
        self.messages = self.git("log", "--reverse", "--format=%B%x00", "base..head").split("\0\n")[:-1]
        self._diff = self.git("diff", "--unified=0", "--no-prefix", "--no-renames", "base", "head")

    def git(self, *args: str) -> str:
        return run_git(self.path, *args).decode()

    def _files(self, side: str) -> dict[str, bytes]:
        with tarfile.open(fileobj=io.BytesIO(run_git(self.path, "archive", side))) as archive:
            members = [(one.name, archive.extractfile(one)) for one in archive if one.isfile()]
            return {name: content.read() for name, content in members if content is not None}

    @property
    def changed_lines(self) -> int:
        return len(CHANGED_LINE.findall(self._diff))

    def is_beside_the_change(self, place: KnownPlace) -> bool:
        _, _, hunks = self._diff.partition(f"\n+++ {place.file}\n")
        spans = [
            (int(start), int(start) + int(size or "1"))
            for start, size in HUNK.findall(hunks.partition("\ndiff --git ")[0])
        ]
        first, last = place.lines
        return any(first <= end + TOLERANCE_LINES and last >= start - TOLERANCE_LINES for start, end in spans)


@pytest.fixture(scope="module")
def already_built() -> dict[str, Built]:
    """Each repository is built once, when the first test asks for it."""
    return {}


@pytest.fixture
def built(
    folder: CaseFolder, already_built: dict[str, Built], tmp_path_factory: pytest.TempPathFactory
) -> Built:
    """The repository of the case that a test is about."""
    name = folder.case.id
    if name not in already_built:
        already_built[name] = Built(folder, tmp_path_factory.mktemp("case") / "repository")
    return already_built[name]


def test_there_are_enough_cases_and_enough_clean_ones() -> None:
    clean = [one for one in STARTER_SET if one.case.clean]
    assert len(STARTER_SET) >= 44
    assert len(clean) >= 16
    assert all(bool(one.case.expected) != one.case.clean for one in STARTER_SET)


def test_the_set_covers_many_languages_and_every_kind_of_harm() -> None:
    languages = {one.case.language for one in STARTER_SET if not one.case.clean}
    categories = Counter(problem.category for one in STARTER_SET for problem in one.case.expected)
    assert languages >= {
        "python", "typescript", "javascript", "go", "java", "shell", "dockerfile", "yaml", "c", "rust"
    }  # fmt: skip
    for category in (Category.CORRECTNESS, Category.SECURITY, Category.PERFORMANCE, Category.RELIABILITY):
        assert categories[category] >= 3, category


@each_case
def test_a_case_is_named_after_its_folder_and_builds_its_own_repository(folder: CaseFolder) -> None:
    case = folder.case
    assert case.id == folder.folder.name
    assert (case.repository, case.base, case.head) == (".", "base", "head")


@each_case
def test_title_and_description_are_those_of_the_commit(folder: CaseFolder, built: Built) -> None:
    title, _, description = built.messages[0].strip().partition("\n")
    assert (folder.case.title, folder.case.description) == (title, description.strip())


@each_case
def test_what_is_known_of_a_case_stands_at_lines_of_head_that_say_something(
    folder: CaseFolder, built: Built
) -> None:
    for claim in (*folder.case.expected, *folder.case.known_wrong):
        assert claim.description
        for place in claim.places:
            lines = built.head[place.file].decode().split("\n")[place.line - 1 : place.lines[1]]
            assert len(lines) == place.lines[1] - place.line + 1, place
            assert lines[0].strip(), place


@each_case
def test_an_expected_problem_is_in_the_change_or_an_impact_on_what_it_left_alone(
    folder: CaseFolder, built: Built
) -> None:
    for problem in folder.case.expected:
        is_impact = built.base.get(problem.file) == built.head[problem.file]
        assert is_impact or built.is_beside_the_change(problem), problem


@each_case
def test_what_is_known_to_be_wrong_cannot_be_taken_for_an_expected_problem(folder: CaseFolder) -> None:
    for claim in folder.case.known_wrong:
        for place in (place for problem in folder.case.expected for place in problem.places):
            gap = max(place.line - claim.lines[1], claim.line - place.lines[1])
            assert place.file != claim.file or gap > TOLERANCE_LINES, claim


@each_case
def test_a_change_is_neither_trivial_nor_too_large_to_read(folder: CaseFolder, built: Built) -> None:
    fewest = 1 if folder.case.clean else MIN_CHANGED_LINES
    assert fewest <= built.changed_lines <= MAX_CHANGED_LINES
    assert 3 <= len(built.base.keys() | built.head.keys()) <= 9


@each_case
def test_nothing_in_a_case_announces_what_is_wrong(folder: CaseFolder, built: Built) -> None:
    for text in (*built.head.values(), *(message.encode() for message in built.messages)):
        assert not TELLTALE.search(text.decode())


@each_case
def test_the_files_of_both_sides_parse(folder: CaseFolder, built: Built) -> None:
    for path, content in (*built.base.items(), *built.head.items()):
        assert_parses(path, content)


def assert_parses(path: str, content: bytes) -> None:
    grammar = grammar_of(path)
    if grammar is not None:
        root = parse(grammar, content)
        assert root is not None, path
        assert not root.has_error, path
    elif path.endswith(".json"):
        json.loads(content)
    elif path.endswith((".yml", ".yaml")):
        yaml.safe_load(content)
    elif path.endswith(".sh"):
        done = subprocess.run(["bash", "-n"], input=content, capture_output=True, check=False)
        assert done.returncode == 0, (path, done.stderr)


def test_no_secret_scanner_finds_a_token_in_the_set(tmp_path: Path) -> None:
    invocation = invoke_kingfisher(None, ())  # type: ignore[arg-type]
    for name, content in invocation.outside.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "code").mkdir()
    without, within = KINGFISHER.compiled_rules or ("", "")
    rules = f"{within}{os.environ[SHARED_CACHE]}/compiled-rules/{KINGFISHER.name}"
    arguments = [rules if one == without else one for one in invocation.arguments[:-1]]
    command = [AFFIDAVIT.with_name("kingfisher"), *arguments, CASES]
    done = subprocess.run(command, cwd=tmp_path / "code", capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
    assert json.loads(done.stdout)["findings"] == []


def test_the_mechanical_specialists_are_scored_on_it_without_a_model(tmp_path: Path) -> None:
    names = ("python-search-sql", "go-renamed-lookup", "rust-timeout-unit", "python-clean-constant-sql")
    done = affidavit("eval", *(CASES / name for name in names), "--format", "json", "-q", cwd=tmp_path)
    assert done.code == 0, done.err
    scores = json.loads(done.out)
    assert (scores["recall"]["count"], scores["recall"]["n"]) == (2, 3)
    assert scores["precision"]["share"] == 1
