"""What the changed code needs and no branch has."""

import asyncio
import json

import pytest

from affidavit.specialists.lost_code.not_taken import NotTaken
from affidavit.stages.looking.intake import ChangeRequest, open_change
from claims import case_of
from repositories import Repo

FILES = {"app.py": "import os\n", "web/main.ts": "export const a = 1;\n", "src/shop/cart.py": "x = 1\n"}


def needed(
    repo: Repo, after: dict[str, str | None], paths: set[str], base: dict[str, str] | None = None
) -> list[tuple[str, int]]:
    repo.commit("Base", {**FILES, **(base or {})})
    repo.commit("Head", after)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        case = case_of(opened.change, opened.repository)
        reply = asyncio.run(NotTaken(frozenset(paths)).examine(case))
    return [(one["file"], one["line"]) for one in json.loads(reply.text or "{}")["findings"]]


NEEDS = {
    "imports a module": ("app.py", "import os\nimport lib.helper\n", "lib/helper.py"),
    "takes a module": ("app.py", "import os\nfrom lib import helper\n", "lib/helper.py"),
    "beside it": ("src/shop/cart.py", "x = 1\nfrom . import rates\n", "src/shop/rates.py"),
    "by a string": ("app.py", "import os\nimport_module('lib.helper')\n", "lib/helper.py"),
    "opens it": ("app.py", "import os\nopen('data/rates.json')\n", "data/rates.json"),
    "from its folder": ("src/shop/cart.py", "x = 1\nopen('rates.json')\n", "src/shop/rates.json"),
    "a script": ("web/main.ts", "export const a = 1;\nimport { b } from './build/b';\n", "web/build/b.ts"),
    "requires": ("web/main.ts", "export const a = 1;\nconst b = require('../lib/b');\n", "lib/b.js"),
    "settings": ("pyproject.toml", "\nmodel = 'models/large.bin'\n", "models/large.bin"),
}


@pytest.mark.parametrize(("path", "text", "lacking"), NEEDS.values(), ids=NEEDS)
def test_a_line_that_needs_what_was_not_taken_is_found(
    repo: Repo, path: str, text: str, lacking: str
) -> None:
    assert needed(repo, {path: text}, {lacking}) == [(path, 2)]


FREE = {
    "another of its name": ("app.py", "import os\nopen('index.html')\n", "dist/index.html"),
    "the standard library": ("app.py", "import os\nimport json\n", "build/json.py"),
    "a document": ("notes.md", "\nSee data/rates.json\n", "data/rates.json"),
    "the rules": (".gitignore", "\ndata/rates.json\n", "data/rates.json"),
}


@pytest.mark.parametrize(("path", "text", "lacking"), FREE.values(), ids=FREE)
def test_what_only_has_its_name_is_not_needed(repo: Repo, path: str, text: str, lacking: str) -> None:
    assert needed(repo, {path: text}, {lacking}) == []


def test_what_was_needed_before_is_no_news(repo: Repo) -> None:
    text = "from lib import helper\n"
    assert needed(repo, {"app.py": text + "x = 1\n"}, {"lib/helper.py"}, {"app.py": text}) == []


def test_what_is_there_by_now_is_not_lacking(repo: Repo) -> None:
    after: dict[str, str | None] = {"app.py": "import lib.helper\n", "lib/helper.py": "V = 1\n"}
    assert needed(repo, after, {"lib/helper.py"}) == []
