"""The code around the hunks is sent to everybody, whole and bounded; instructions are chosen by section."""

from affidavit.agents.briefing import Briefing
from affidavit.agents.panel import assemble_readers
from affidavit.context.gather import gather_context
from affidavit.minds.fence import Fence
from affidavit.ports import Case
from affidavit.records.plan import Chunk, Plan
from python_changes import make_case
from repositories import Repo

STORE = (
    "class Store:\n    def save(self, item):\n"
    '        """Keep it; raises Full."""\n        raise NotImplementedError\n'
)
MONEY = "def to_cents(amount, rate=1):\n    return amount * 100\n"
DISK = """from money import to_cents
from store import Store


class Disk(Store):
    def save(self, item):
        first = 1
        second = 2
        third = 3
        fourth = 4
        fifth = 5
        return to_cents(item)
"""
USER = "from disk import Disk\n\n\ndef keep(item):\n    return Disk.save(None, item)\n"


class Plain(Fence):
    rule = ""

    def wrap(self, label: str, text: str) -> str:
        return f"<{label}>\n{text}\n</{label}>"


def around(repo: Repo, after: dict[str, str]) -> str:
    case = make_case(repo, {"store.py": STORE, "money.py": MONEY, "disk.py": DISK, "user.py": USER}, after)
    with case.repository:
        context = gather_context(case.change, case.repository, assemble_readers())
        chunk = Chunk(number=1, paths=("disk.py",), tokens=1)
        return Briefing(Case(case.change, case.repository), Plain(), context).change_text(chunk, Plan())


def test_a_changed_definition_stands_whole_in_the_diff_each_of_its_lines_once(repo: Repo) -> None:
    text = around(repo, {"disk.py": DISK.replace("to_cents(item)", "to_cents(item, 2)")})
    diff = text.partition("<diff>")[2].partition("</diff>")[0]
    assert [line[:3].strip() for line in diff.split("\n") if line[1:2].isdigit()] == [
        *("6:", "7:", "8:", "9:", "10", "11"),
        *("-12", "+12"),
    ]
    assert " 6:     def save(self, item):\n 7:         first = 1\n" in diff
    assert text.count("first = 1") == 1


def test_its_contract_its_callers_and_what_it_calls_are_shown(repo: Repo) -> None:
    text = around(repo, {"disk.py": DISK.replace("to_cents(item)", "to_cents(item, 2)")})
    assert 'overrides Store.save of store.py:\n2:     def save(self, item):\n3:         """Keep it' in text
    assert "is called by:\nuser.py:5: return Disk.save(None, item)" in text
    assert "What the changed lines call:\nmoney.py:1: def to_cents(amount, rate=1):" in text
    assert "called by the changed lines" not in text


def test_a_very_long_definition_is_left_to_the_tools(repo: Repo) -> None:
    long = DISK.replace("        first = 1\n", "        first = 1\n" * 100)
    text = around(repo, {"disk.py": long.replace("to_cents(item)", "to_cents(item, 2)")})
    assert "first = 1" not in text.partition("<diff>")[2].partition("</diff>")[0].partition("@@ ")[0]
