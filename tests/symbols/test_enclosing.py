"""What some lines stand in, by the kind of their file."""

from collections.abc import Callable

import pytest

from affidavit.git.repository import open_repository
from affidavit.symbols.enclosing import enclosing
from repositories import Repo

FILES = {
    "shop.py": "class Cart:\n    def add(self, it):\n        if it:\n            return 1\n        return\n",
    "limits.py": "LIMIT = 5\n\n\ndef f():\n    return LIMIT\n",
    "guide.md": "# Guide\n\ntext\n\n## Install\n\n```\n# no heading\n```\nrun it\n\n## Use\n\nuse it\n",
    "guide.rst": "Guide\n=====\n\ntext\n\nInstall\n-------\n\nrun it\n",
    "deploy.yaml": "services:\n  web:\n    image: a\n    ports:\n      - 8\n      - 9\n  db:\n    image: b",
    "package.json": '{\n  "name": "a",\n  "scripts": {\n    "build": "x"\n  }\n}\n',
    "tool.toml": 'name = "a"\n\n[tool.ruff]\nline-length = 88\nselect = [\n  "A",\n]\n',
    "page.html": '<html>\n<body>\n<div id="top">\n<p>text</p>\n<br>\n</div>\n</body>\n</html>\n',
    "bomb.yaml": "a: " + "[" * 3000 + "\n",
    "broken.yaml": "a: [\n",
    "plain.bin.unknown": "x\n",
}


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[str, str] | None]:
    repo = Repo(tmp_path_factory.mktemp("places"))
    commit = repo.commit("All", FILES)

    def found(path: str, first: int, last: int | None = None) -> tuple[str, str] | None:
        with open_repository(repo.path, commit, commit) as opened:
            one = enclosing(opened.head, path, first, last or first)
        return (one.kind, one.name) if one else None

    return found


@pytest.mark.parametrize(
    ("path", "line", "kind", "named"),
    [
        ("limits.py", 1, "line", "LIMIT"),
        ("shop.py", 4, "function", "Cart.add"),
        ("shop.py", 1, "function", "Cart"),
        ("guide.md", 3, "section", "Guide"),
        ("guide.md", 10, "section", "Install"),
        ("guide.md", 14, "section", "Use"),
        ("guide.rst", 9, "section", "Install"),
        ("deploy.yaml", 3, "path", "services.web.image"),
        ("deploy.yaml", 6, "path", "services.web.ports"),
        ("deploy.yaml", 8, "path", "services.db.image"),
        ("package.json", 4, "path", "scripts.build"),
        ("tool.toml", 1, "path", "name"),
        ("tool.toml", 6, "path", "tool.ruff.select"),
        ("page.html", 4, "element", "body>div#top>p"),
        ("page.html", 6, "element", "html>body>div#top"),
    ],
)
def test_lines_stand_in_the_innermost_thing_with_a_name(
    name: Callable[..., tuple[str, str] | None], path: str, line: int, kind: str, named: str
) -> None:
    assert name(path, line) == (kind, named)


def test_lines_across_two_things_stand_in_what_holds_both(
    name: Callable[..., tuple[str, str] | None],
) -> None:
    assert name("deploy.yaml", 3, 8) == ("path", "services")
    assert name("guide.md", 6, 14) == ("section", "Guide")


@pytest.mark.parametrize("path", ["bomb.yaml", "broken.yaml", "plain.bin.unknown", "not-there.py"])
def test_what_cannot_be_read_has_no_name(name: Callable[..., tuple[str, str] | None], path: str) -> None:
    assert name(path, 1) is None
