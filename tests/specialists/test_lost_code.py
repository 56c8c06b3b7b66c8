"""Code under review that an agent deleted or emptied, and what is only elsewhere or written anew."""

import asyncio
import json

import pytest

from affidavit.specialists.lost_code.specialist import LostCode
from affidavit.stages.looking.intake import ChangeRequest, open_change
from claims import case_of
from repositories import Repo

APP = "def total(items):\n    start = 0\n    return start + sum(items)\n"


def lost(
    repo: Repo,
    after: dict[str, str | None],
    reviewed: str = "app.py",
    before: dict[str, str] | None = None,
) -> list[str]:
    repo.commit("Base", {"app.py": APP, "notes.md": "# Notes\n\nOne.\n", **(before or {})})
    repo.commit("Head", after)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        case = case_of(opened.change, opened.repository)
        reply = asyncio.run(LostCode(frozenset({reviewed})).examine(case))
    return [one["file"] for one in json.loads(reply.text or "{}")["findings"]]


@pytest.mark.parametrize("now", [None, "\n", "pass\n", "LIMIT = 1\nOTHER = 2\nMORE = 3\n"])
def test_a_file_without_its_code_is_lost(repo: Repo, now: str | None) -> None:
    assert lost(repo, {"app.py": now}) == ["app.py"]


HONEST: dict[str, dict[str, str | None]] = {
    "moved": {"app.py": None, "core.py": "import os\n\n\n" + APP.replace("start = 0", "start = 1")},
    "written anew": {"app.py": "def total(items):\n    return sum(items)\n"},
    "called otherwise": {"app.py": "def sum_of(goods):\n    return sum(goods)\n"},
    "moved in part": {"app.py": "from core import total\n", "core.py": APP},
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_code_that_is_elsewhere_or_other_by_now_is_not_lost(repo: Repo, after: dict[str, str | None]) -> None:
    assert lost(repo, after) == []


def test_what_was_not_under_review_may_be_deleted(repo: Repo) -> None:
    assert lost(repo, {"app.py": None}, reviewed="other.py") == []


PRICE = """
def price(items, rate):
    \"\"\"What they cost.\"\"\"
    total = 0
    for item in items:
        total += item * rate
    return total
"""
SAVE = "def save(store, item):\n    store.put(item)\n    return True\n"
CHOOSE = "def choose(n):\n    if n > 1:\n        return 'many'\n    return 'one'\n"
HOLLOW = {
    "returns nothing": (PRICE, "def price(items, rate):\n    return None\n"),
    "returns": (PRICE, "def price(items, rate):\n    return\n"),
    "a constant": (PRICE, "def price(items, rate):\n    return 0\n"),
    "an empty list": (PRICE, "def price(items, rate):\n    return []\n"),
    "a constant with a name": (PRICE, "def price(items, rate):\n    total = 0\n    return total\n"),
    "the unused are deleted": (PRICE, "def price(items, rate):\n    del items, rate\n    return 0\n"),
    "only says so": (PRICE, "def price(items, rate):\n    print('later')\n    return None\n"),
    "raises": (PRICE, "def price(items, rate):\n    raise RuntimeError('later')\n"),
    "above the old body": (PRICE, PRICE.replace("    total = 0", "    return None\n    total = 0")),
    "always": (PRICE, PRICE.replace("    total = 0", "    if True:\n        return 0\n    total = 0")),
    "behind an act": (PRICE, PRICE.replace("    total = 0", "    items.sort()\n    return\n    total = 0")),
    "no effect": (SAVE, "def save(store, item):\n    return True\n"),
    "one of two": (CHOOSE, "def choose(n):\n    return 'one'\n"),
    "what it was given": ("def name(user):\n    return user.name\n", "def name(user):\n    return ''\n"),
    "one line": ("def twice(n):\n    return n * 2\n", "def twice(n):\n    return 4\n"),
    "a method": (
        "class Cart:\n    def total(self):\n        return sum(self.items)\n\n    def size(self):\n"
        "        return len(self.items)\n",
        "class Cart:\n    def total(self):\n        return 0\n\n    def size(self):\n"
        "        return len(self.items)\n",
    ),
    "a class": (
        "class Cart:\n    def total(self):\n        return sum(self.items)\n\n\ndef f():\n    g()\n",
        "class Cart:\n    pass\n\n\ndef f():\n    g()\n",
    ),
}
KEPT = "\n\ndef other(a):\n    return a\n"


@pytest.mark.parametrize(("before", "now"), HOLLOW.values(), ids=HOLLOW)
def test_a_function_that_does_nothing_any_more_is_lost(repo: Repo, before: str, now: str) -> None:
    assert lost(repo, {"app.py": now + KEPT}, before={"app.py": before + KEPT}) == ["app.py"]


SIMPLER = {
    "a constant before": ("def limit():\n    return 10\n", "def limit():\n    return 20\n"),
    "a constant with a name": ("def limit():\n    n = 10\n    return n\n", "def limit():\n    return 10\n"),
    "a constant of the module": ("def limit():\n    return LIMIT\n", "def limit():\n    return 10\n"),
    "a name that nobody knows": ("def limit():\n    return lmit\n", "def limit():\n    return 10\n"),
    "not used": ("def limit():\n    n = load()\n    return 10\n", "def limit():\n    return 10\n"),
    "the same either way": (
        "def limit(a):\n    if a:\n        return 1\n    return 1\n",
        "def limit(a):\n    return 1\n",
    ),
    "a constant instead of a call": (
        "def words():\n    return re.compile('a')\n",
        "WORDS = re.compile('a')\n\n\ndef words():\n    return WORDS\n",
    ),
    "shorter": (PRICE, "def price(items, rate):\n    return sum(item * rate for item in items)\n"),
    "a guard": (PRICE, PRICE.replace("    total = 0", "    if not items:\n        return 0\n    total = 0")),
    "nothing before": ("def later():\n    pass\n", "def later():\n    return None\n"),
    "to another class": (
        "class Shape:\n    def area(self):\n        wide = self.a\n        return wide * self.b\n",
        "class Shape:\n    def area(self):\n        raise NotImplementedError\n\n\nclass Box(Shape):\n"
        "    def area(self):\n        wide = self.a\n        return wide * self.b\n",
    ),
    "handed on": (PRICE, "def price(items, rate):\n    return shop.price(items, rate)\n"),
}


@pytest.mark.parametrize(("before", "now"), SIMPLER.values(), ids=SIMPLER)
def test_a_function_that_is_only_simpler_is_not_lost(repo: Repo, before: str, now: str) -> None:
    assert lost(repo, {"app.py": now + KEPT}, before={"app.py": before + KEPT}) == []


TS = """export function price(items: number[], rate: number): number {
  let total = 0;
  for (const item of items) total += item * rate;
  return total;
}
"""
ARROW = "export const twice = (n) => n * 2;\n"
TS_KEPT = "export const other = (a) => a;\n"
TS_HOLLOW = {
    "returns": (TS, "export function price(items: number[], rate: number): number {\n  return 0;\n}\n"),
    "nothing": (TS, "export function price(items: number[], rate: number) {}\n"),
    "above the old body": (TS, TS.replace("  let total", "  return 0;\n  let total")),
    "always": (TS, TS.replace("  let total", "  if (true) { return 0; }\n  let total")),
    "throws": (TS, "export function price(items, rate) {\n  throw new Error('not implemented');\n}\n"),
    "an arrow": (ARROW, "export const twice = (n) => 4;\n"),
    "an arrow with a body": (ARROW, "export const twice = (n) => {\n  return null;\n};\n"),
    "a method": (
        "export class Cart {\n  total() {\n    return this.items.length;\n  }\n}\n",
        "export class Cart {\n  total() {\n    return 0;\n  }\n}\n",
    ),
    "no effect": (
        "export function save(store, item) {\n  store.put(item);\n  return true;\n}\n",
        "export function save(store, item) {\n  return true;\n}\n",
    ),
}


@pytest.mark.parametrize(("before", "now"), TS_HOLLOW.values(), ids=TS_HOLLOW)
def test_a_script_function_that_does_nothing_any_more_is_lost(repo: Repo, before: str, now: str) -> None:
    after: dict[str, str | None] = {"app.ts": now + TS_KEPT}
    assert lost(repo, after, "app.ts", {"app.ts": before + TS_KEPT}) == ["app.ts"]


TS_SIMPLER = {
    "a constant before": ("export const limit = () => 10;\n", "export const limit = () => 20;\n"),
    "a name that nobody knows": (
        "export function limit() {\n  return lmit;\n}\n",
        "export function limit() {\n  return 10;\n}\n",
    ),
    "a constant with a name": (
        "export function limit() {\n  const n = 10;\n  return n;\n}\n",
        "export function limit() {\n  return 10;\n}\n",
    ),
    "shorter": (
        TS,
        "export function price(items: number[], rate: number): number {\n"
        "  return items.reduce((sum, item) => sum + item * rate, 0);\n}\n",
    ),
    "a guard": (TS, TS.replace("  let total", "  if (!items) return 0;\n  let total")),
    "an arrow": (
        "export function twice(n) {\n  return n * 2;\n}\n",
        "export function twice(n) {\n  const two = 2;\n  return n * two;\n}\n",
    ),
}


@pytest.mark.parametrize(("before", "now"), TS_SIMPLER.values(), ids=TS_SIMPLER)
def test_a_script_function_that_is_only_simpler_is_not_lost(repo: Repo, before: str, now: str) -> None:
    after: dict[str, str | None] = {"app.ts": now + TS_KEPT}
    assert lost(repo, after, "app.ts", {"app.ts": before + TS_KEPT}) == []
