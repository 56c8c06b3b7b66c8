"""The documents: every link leads somewhere, every page can be reached, every stage is on the picture."""

import ast
import re
from pathlib import Path

from affidavit.cli.command_line import COMMANDS

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)\s]+)\)")
MAX_README_WORDS = 700
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def links_of(page: Path) -> list[tuple[Path, str]]:
    """Where the links of a page lead, within the repository: file and heading."""
    targets = [one for one in LINK.findall(page.read_text()) if "://" not in one]
    parts = [target.partition("#") for target in targets]
    return [((page.parent / path).resolve() if path else page, heading) for path, _, heading in parts]


def headings_of(page: Path) -> set[str]:
    """The headings as links name them."""
    titles = HEADING.findall(page.read_text())
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_leads_to_a_file_and_a_heading_that_are_there() -> None:
    broken = [
        f"{page.name}: {target}#{heading}"
        for page in pages()
        for target, heading in links_of(page)
        if not target.exists() or (heading and heading not in headings_of(target))
    ]
    assert broken == []


def test_nothing_that_is_installed_sends_its_user_to_a_page_that_is_not() -> None:
    sources = (file for file in (ROOT / "src").rglob("*") if file.suffix in (".py", ".yml", ".md"))
    assert [file.name for file in sources if re.search(r"\bdocs/\w+\.md", file.read_text())] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    to_read = [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        if page in reached:
            continue
        reached.add(page)
        found = [target for target, _ in links_of(page)]
        to_read += [one for target in found for one in (target.glob("*.md") if target.is_dir() else [target])]
        to_read = [one for one in to_read if one.suffix == ".md"]
    assert [page.name for page in pages() if page not in reached] == []


def test_the_picture_of_the_flow_has_every_stage() -> None:
    picture = (ROOT / "docs" / "architecture.md").read_text().split("```")[1]
    stages = {file.stem for file in (ROOT / "src" / "affidavit" / "stages").glob("[a-z]*.py")}
    drawn = {line.split()[0] for line in picture.splitlines() if line.strip()}
    assert stages - drawn == set()


def test_the_table_of_the_architecture_has_every_part_of_the_package() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text()
    package = ROOT / "src" / "affidavit"
    folders = {f"{one.parent.name}/" for one in package.glob("*/*.py")}
    modules = {one.name for one in package.glob("[a-z]*.py")}
    assert [name for name in sorted(folders | modules) if f"`{name}`" not in table] == []


def test_the_reference_names_every_command() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text()
    assert [name for name in COMMANDS if f"affidavit {name}" not in reference] == []


def test_the_readme_is_short_and_names_the_everyday_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.split()) <= MAX_README_WORDS
    everyday = ("review", "post", "init", "recheck", "serve", "mcp")
    assert [name for name in everyday if f"`affidavit {name}`" not in readme] == []


def questions() -> dict[str, list[tuple[str, str]]]:
    """The newcomer's questions, each with the modules and names that answer it."""
    rows = re.findall(r"^\| ([^|]*\?) \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    return {question: re.findall(r"`([\w/]+\.py)`: `([\w.]+)`", answer) for question, answer in rows}


def names_in(module: Path) -> set[str]:
    """What a module defines, and the methods of its classes as `Class.method`."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse(module.read_text())
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [target for node in assigned for target in getattr(node, "targets", None) or [node.target]]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        *(node.name for node in tree.body if isinstance(node, defined)),
        *(target.id for target in targets if isinstance(target, ast.Name)),
        *(f"{one.name}.{node.name}" for one in classes for node in one.body if isinstance(node, defined)),
    }


def test_every_question_of_a_newcomer_leads_to_a_name_that_is_there() -> None:
    answers = questions()
    assert len(answers) == 10
    package = ROOT / "src" / "affidavit"
    missing = [
        f"{question} {path}: {name}"
        for question, places in answers.items()
        for path, name in places or [("no", "place")]
        if not (package / path).is_file() or name not in names_in(package / path)
    ]
    assert missing == []


def threats() -> list[str]:
    """The rows on what somebody tries, each with the tests that show what comes of it."""
    _, _, told = (ROOT / "docs" / "threats.md").read_text().partition("\n## ")
    rows = re.findall(r"^\| (.*) \|$", told, re.MULTILINE)
    return [row for row in rows if not row.endswith(("| shown by", "| ---"))]


def is_test(named: str) -> bool:
    """Whether a test of this path and name is there."""
    path, _, name = named.partition("::")
    file = ROOT / path
    return file.is_file() and bool(re.search(rf"^(async )?def {name}\(", file.read_text(), re.MULTILINE))


def test_every_threat_has_a_test_that_is_there() -> None:
    assert len(threats()) > 30
    assert [row for row in threats() if "`tests/" not in row.rpartition(" | ")[2]] == []
    named = re.findall(r"`(tests/[^`]+)`", " ".join(threats()))
    assert [one for one in named if not is_test(one)] == []
