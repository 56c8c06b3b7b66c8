"""What the changed lines call is found: by imports, and by the few files that define a name."""

from affidavit.agents.panel import assemble_readers
from affidavit.context.gather import gather_context
from affidavit.records.context import ContextMap
from python_changes import make_case
from repositories import Repo

MONEY = "def to_cents(amount):\n    return amount * 100\n\n\nclass Purse:\n    def take_out(self, n): ...\n"
SHOP = "import money\n\n\ndef pay(purse):\n    x = 1\n    return x\n"


def mapped(repo: Repo, before: dict[str, str], after: dict[str, str]) -> ContextMap:
    case = make_case(repo, before, after)
    with case.repository:
        return gather_context(case.change, case.repository, assemble_readers())


def details(found: ContextMap, path: str) -> list[str]:
    return [one.detail for file in found.related_files if file.path == path for one in file.reasons]


def test_a_function_that_a_changed_line_calls_through_its_module_is_found(repo: Repo) -> None:
    before = {"money.py": MONEY, "shop.py": SHOP}
    found = mapped(repo, before, {"shop.py": SHOP.replace("x = 1", "x = money.to_cents(1)")})
    assert "defines to_cents, called by the changed lines of shop.py" in details(found, "money.py")


def test_a_method_that_one_file_defines_is_found_without_an_import(repo: Repo) -> None:
    before = {"money.py": MONEY, "shop.py": SHOP.replace("import money\n", "")}
    found = mapped(repo, before, {"shop.py": before["shop.py"].replace("x = 1", "x = purse.take_out(1)")})
    assert details(found, "money.py") == ["defines take_out, called by the changed lines of shop.py"]


def test_a_method_that_many_files_define_is_not(repo: Repo) -> None:
    many = {f"money{n}.py": MONEY for n in range(4)}
    before = {**many, "shop.py": SHOP.replace("import money\n", "")}
    found = mapped(repo, before, {"shop.py": before["shop.py"].replace("x = 1", "x = purse.take_out(1)")})
    assert [file.path for file in found.related_files] == []


def test_what_a_changed_test_imports_is_no_reach(repo: Repo) -> None:
    test = "import money\nimport shop\n\n\ndef test_pay():\n    assert shop.pay(1) == 1\n"
    before = {"money.py": MONEY, "shop.py": SHOP.replace("import money\n", ""), "tests/test_shop.py": test}
    after = {
        "shop.py": before["shop.py"].replace("x = 1", "x = 2"),
        "tests/test_shop.py": test + "\n\nX = 1\n",
    }
    assert details(mapped(repo, before, after), "money.py") == []


def test_an_added_annotation_is_no_new_signature_and_another_one_is(repo: Repo) -> None:
    before = {"a.py": "def f(x, *, y=1):\n    return x\n\n\ndef g(x: int) -> int: ...\n"}
    after = {"a.py": "def f(x: int, *, y: int = 1) -> int:\n    return x\n\n\ndef g(x: str) -> int: ...\n"}
    fates = {one.head.name: one.fate for one in mapped(repo, before, after).symbols if one.head}
    assert fates == {"f": "touched", "g": "signature_changed"}
