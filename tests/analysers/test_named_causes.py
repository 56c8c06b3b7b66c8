"""Which changed definition a diagnostic goes back to, where several have its name."""

from affidavit.analysers.engine.analyser import Inspection
from affidavit.analysers.engine.causes import exact_cause, find_cause
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.symbols.changed import changed_symbols
from python_changes import Case, Files, Open

LACKS = "No argument provided for required parameter `b` of function `load`"
OLD, NEW, HARMLESS = (
    "def load(a):\n    return a\n",
    "def load(a, b):\n    return a\n",
    "def load(a, c=0):\n    return a\n",
)
RUNS = "".join(f"class {name}:\n    def run(self, x):\n        return x\n\n\n" for name in "AB")


def asked(
    case: Case, path: str, message: str, line: int = 5
) -> tuple[AnalyserDiagnostic, list[str], Inspection]:
    symbols = changed_symbols(case.change, case.repository)
    inspection = Inspection(case.change, case.repository.base, case.repository.head, symbols, ())
    said = AnalyserDiagnostic(rule="ty/missing-argument", message=message, path=path, line=line)
    return said, case.repository.head.lines(path) or [], inspection


def named(case: Case, path: str, message: str = LACKS) -> tuple[str, str] | None:
    found = find_cause(*asked(case, path, message))
    return (found.cause.file, found.cause.symbol) if found else None


def user(imported: str, call: str = "load(1)") -> str:
    return f"{imported}\n\n\ndef use():\n    return {call}\n"


def test_of_two_definitions_of_one_name_the_imported_one_is_to_blame(case: Open) -> None:
    users = {
        "u1.py": user("from p.m import load"),
        "u2.py": user("from q.m import load"),
        "q/u3.py": user("from .m import load"),
        "u4.py": user("from q import m", "m.load(1)"),
        "u5.py": user("import q.m", "q.m.load(1)"),
    }
    one = case({"p/m.py": OLD, "q/m.py": OLD, **users}, {"p/m.py": HARMLESS, "q/m.py": NEW})
    assert {path: (named(one, path) or ("",))[0] for path in users} == {
        "u1.py": "p/m.py",
        "u2.py": "q/m.py",
        "q/u3.py": "q/m.py",
        "u4.py": "q/m.py",
        "u5.py": "q/m.py",
    }


def test_a_method_that_is_named_whole_is_not_taken_for_another_of_its_name(case: Open) -> None:
    one = case({"m.py": RUNS, "u.py": user("from m import A, B")}, {"m.py": RUNS.replace("x)", "x, y)")})
    message = "No argument provided for required parameter `y` of bound method `{}.run`"
    assert named(one, "u.py", message.format("B")) == ("m.py", "B.run")
    assert named(one, "u.py", message.format("A")) == ("m.py", "A.run")


def exactly(case: Case, path: str, message: str = LACKS, *, elsewhere: bool = True) -> str | None:
    said, _, inspection = asked(case, path, message)
    found = exact_cause(said, inspection, elsewhere=elsewhere)
    return found.cause.symbol if found else None


def test_in_a_changed_file_only_a_definition_that_it_has_or_imports_is_to_blame(case: Open) -> None:
    before: Files = {
        "m.py": OLD,
        "u1.py": user("from m import load"),
        "u2.py": user("from other import load"),
    }
    one = case(before, {"m.py": NEW, "u1.py": user("from m import load", "load(2)"), "u2.py": "\n" + OLD})
    assert exactly(one, "u1.py") == "load"
    assert exactly(one, "u2.py") is None
    assert exactly(one, "u1.py", "parameter `b` of function `reload`") is None


def test_a_name_that_its_own_file_does_not_define_any_more_goes_back_to_its_removal(case: Open) -> None:
    uses = "\n\ndef use():\n    return load(1)\n"
    one = case({"m.py": OLD + uses, "n.py": OLD}, {"m.py": uses, "n.py": OLD + "X = 1\n"})
    assert exactly(one, "m.py", "Undefined name `load`", elsewhere=False) == "load"
    assert exactly(one, "n.py", "Undefined name `load`", elsewhere=False) is None


def test_a_definition_that_is_only_touched_inside_is_no_exact_cause(case: Open) -> None:
    one = case(
        {"m.py": OLD, "u.py": user("from m import load")}, {"m.py": OLD.replace("return a", "return 1")}
    )
    assert exactly(one, "u.py") is None
