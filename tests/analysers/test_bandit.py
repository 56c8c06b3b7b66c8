"""Bandit: planted holes are found, tempting harmless code is not, and nothing of the change configures it."""

from affidavit.analysers.bandit import BANDIT, read_bandit, skipped_tests
from affidavit.specialists.rulebook import same_problem

PLANTED = """\
import subprocess, ssl, yaml
from flask import Flask

def run(name):
    subprocess.run("ls " + name, shell=True)

def load(text):
    return yaml.load(text)

def context():
    return ssl._create_unverified_context()

Flask(__name__).run(debug=True)
"""
HARMLESS = """\
import hashlib, random, subprocess, tempfile, yaml

PASSWORD_FIELD = "password"

def run():
    assert random.random() < 1
    subprocess.run("ls -l", shell=True)
    return subprocess.run(["ls"]), hashlib.md5(b"").hexdigest(), yaml.safe_load("a: 1")

def query(cursor, name):
    cursor.execute("SELECT * FROM t WHERE name = %s", [name])
    try:
        return f"select one of {name}"
    except Exception:
        pass
"""


def test_planted_holes_are_found(case, ask):
    found = ask(BANDIT, case({"a.py": ""}, {"a.py": PLANTED}))
    assert {(finding["rule_id"], finding["line"]) for finding in found} == {
        ("bandit/B602", 5),
        ("bandit/B506", 8),
        ("bandit/B323", 11),
        ("bandit/B201", 13),
    }
    assert {finding["category"] for finding in found} == {"security"}


def test_tempting_harmless_code_draws_nothing(case, ask):
    assert ask(BANDIT, case({"a.py": ""}, {"a.py": HARMLESS})) == []


def test_holes_in_tests_and_old_holes_draw_nothing(case, ask):
    before = {"a.py": PLANTED, "tests/test_a.py": ""}
    after = {"a.py": f"# moved down\n\n{PLANTED}", "tests/test_a.py": PLANTED}
    assert ask(BANDIT, case(before, after)) == []


def test_what_the_base_commit_skips_is_skipped_and_what_the_change_skips_is_not(case, ask):
    base = case({"a.py": "", ".bandit": "[bandit]\nskips: B602,B201\n"}, {"a.py": PLANTED})
    assert skipped_tests(base.repository.base) == {"B602", "B201"}
    assert {finding["rule_id"] for finding in ask(BANDIT, base)} == {"bandit/B506", "bandit/B323"}
    change = {"a.py": PLANTED, ".bandit": "[bandit]\nskips: B602,B201,B506,B323\nexclude: .\n"}
    hidden = case({"a.py": "", ".bandit": None}, change)
    assert len(ask(BANDIT, hidden)) == 4


def test_all_tests_skipped_is_no_crash(case, ask):
    skips = ", ".join(f'"{rule.removeprefix("bandit/")}"' for rule in BANDIT.rules)
    files = {"a.py": "", "pyproject.toml": f"[tool.bandit]\nskips = [{skips}]\n"}
    assert len(ask(BANDIT, case(files, {"a.py": PLANTED}))) <= 1


def test_ruffs_rules_on_the_same_code_are_the_same_problem():
    for code in ("602", "605", "608", "307", "506", "501", "507", "306", "301"):
        assert same_problem(f"bandit/B{code}", f"ruff/S{code}")


def test_a_file_that_does_not_parse_is_left_to_ruff():
    assert read_bandit('{"errors": [{"filename": "a.py", "reason": "syntax error"}], "results": []}') == []


def test_a_call_over_several_lines_is_found_where_it_begins(case, ask):
    call = "    subprocess.run(\n        f'ls {name}',\n        shell=True,\n    )\n"
    text = f"import subprocess\n\n\ndef f(name):\n{call}"
    (found,) = ask(BANDIT, case({"x": ""}, {"a.py": text}))
    assert (found["rule_id"], found["line"], found["end_line"]) == ("bandit/B602", 5, 8)


def test_a_function_that_is_given_the_whole_command_puts_nothing_into_it(case, ask):
    text = """\
import os
import subprocess


def sh(cmd):
    os.system(cmd)
    return subprocess.run(cmd, shell=True)


def show(name):
    os.system("cat " + name)
"""
    assert [finding["line"] for finding in ask(BANDIT, case({"x": ""}, {"a.py": text}))] == [11]


def test_a_pickle_that_the_same_expression_wrote_is_harmless(case, ask):
    text = "import pickle\n\n\ndef load(x):\n    pickle.loads(pickle.dumps(x))\n    return pickle.loads(x)\n"
    assert [finding["line"] for finding in ask(BANDIT, case({"x": ""}, {"a.py": text}))] == [6]


def test_the_old_name_of_any_version_of_tls_is_no_outdated_version(case, ask):
    text = """\
from OpenSSL import SSL


def any_version(method=SSL.SSLv23_METHOD):
    return SSL.Context(method)


def outdated(method=SSL.SSLv3_METHOD):
    return SSL.Context(method)
"""
    assert [finding["line"] for finding in ask(BANDIT, case({"x": ""}, {"a.py": text}))] == [8]


def test_a_loader_that_makes_plain_objects_is_harmless(case, ask):
    text = """\
import yaml


def load(f, mine):
    yaml.load(f, Loader=yaml.FullLoader)
    yaml.load(f, Loader=mine.Strict)
    yaml.load(f, Loader=yaml.CSafeLoader)
    return yaml.load(f, Loader=yaml.UnsafeLoader)
"""
    assert [finding["line"] for finding in ask(BANDIT, case({"x": ""}, {"a.py": text}))] == [8]


def test_text_that_is_written_where_it_is_evaluated_is_harmless(case, ask):
    text = "def f(x):\n    eval('__IPYTHON__')\n    eval(f'{x}.name')\n    return eval(x)\n"
    assert [finding["line"] for finding in ask(BANDIT, case({"x": ""}, {"a.py": text}))] == [3, 4]
