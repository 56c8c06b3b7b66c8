"""Ruff's rules for code that can be abused: find what bandit finds, and honour what silences bandit."""

import codecs

import pytest

from affidavit.analysers.ruff import RUFF, ignored_by_bandit
from affidavit.analysers.ruff_security import SECURITY_RULES

ABUSED = {
    "S602": "import subprocess\n\ndef f(x):\n    subprocess.run('ls ' + x, shell=True)\n",
    "S605": "import os\n\ndef f(x):\n    os.system('ls ' + x)\n",
    "S608": "def f(cursor, x):\n    print(1)\n\n    cursor.execute(f\"SELECT a FROM b WHERE c = '{x}'\")\n",
    "S307": "def f(x):\n    print(1)\n\n    return eval(x)\n",
    "S301": "import pickle\n\ndef f(x):\n    return pickle.loads(x)\n",
    "S302": "import marshal\n\ndef f(x):\n    return marshal.loads(x)\n",
    "S506": "import yaml\n\ndef f(x):\n    return yaml.load(x)\n",
    "S501": "import requests\n\ndef f(x):\n    return requests.get(x, verify=False, timeout=1)\n",
    "S323": "import ssl\n\ndef f():\n    return ssl._create_unverified_context()\n",
    "S507": "import paramiko as p\n\nc = p.SSHClient()\nc.set_missing_host_key_policy(p.AutoAddPolicy)\n",
    "S502": "import ssl\n\ndef f(x):\n    return ssl.wrap_socket(x, ssl_version=ssl.PROTOCOL_SSLv3)\n",
    "S503": "from OpenSSL import SSL\n\n\ndef f(method=SSL.SSLv3_METHOD):\n    return SSL.Context(method)\n",
    "S504": "import ssl\n\ndef f(x):\n    return ssl.wrap_socket(x)\n",
    "S505": "from cryptography.hazmat.primitives.asymmetric import rsa\n\ndef f():\n"
    "    return rsa.generate_private_key(public_exponent=65537, key_size=512)\n",
    "S201": "from flask import Flask\n\napp = Flask(__name__)\napp.run(debug=True)\n",
    "S306": "import tempfile\n\ndef f():\n    return tempfile.mktemp()\n",
    "S612": "import logging.config\n\ndef f():\n    return logging.config.listen(9999)\n",
    "PLE2502": "def f(x):\n    print(1)\n\n    return x  # \u202e hidden\n",
}
"""Of each rule that bandit has, too, a file that it speaks of in line 4."""
HIGH = {"S602", "S605", "S608", "S506", "S501", "S323", "S507", "S201"}
LOW = {"S301", "S302"}
LATIN = "# -*- coding: latin-1 -*-\n# caf\u00e9\n"
WRITTEN = {
    "UTF-8": lambda text: f"# caf\u00e9\n\n{text}".encode(),
    "a byte order mark": lambda text: codecs.BOM_UTF8 + f"# caf\u00e9\n\n{text}".encode(),
    "latin-1": lambda text: (LATIN + text).encode("latin-1"),
    "carriage returns": lambda text: f"# caf\u00e9\n\n{text}".replace("\n", "\r\n").encode(),
    "form feeds": lambda text: f"# caf\u00e9 \x0c\n\x0c\n{text}".encode(),
}
PLANTED = """\
import subprocess, ssl, yaml
from flask import Flask

def run(name):
    subprocess.run("ls " + name, shell=True)

def load(text):
    return yaml.load(text)

def context():
    return ssl._create_unverified_context()

app = Flask(__name__); app.run(debug=True)
"""
HARMLESS = """\
import hashlib, random, subprocess, yaml

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


@pytest.mark.parametrize("way", WRITTEN)
def test_every_problem_that_bandit_knows_is_found_at_its_line(case, ask, way):
    # A character of direction cannot be written in latin-1.
    known = {code: text for code, text in ABUSED.items() if way != "latin-1" or text.isascii()}
    files = {f"{code}.py": WRITTEN[way](text) for code, text in known.items()}
    found = ask(RUFF, case({"x": ""}, files))
    assert {(one["rule_id"], one["file"], one["line"]) for one in found} == {
        (f"ruff/{code}", f"{code}.py", 6) for code in known
    }
    assert {one["rule_id"].removeprefix("ruff/") for one in found if one["severity"] == "high"} == HIGH
    assert {one["rule_id"].removeprefix("ruff/") for one in found if one["severity"] == "low"} == LOW


def test_every_rule_is_tried():
    assert {rule.id for rule in SECURITY_RULES} == {f"ruff/{code}" for code in ABUSED}


@pytest.mark.parametrize("comment", ["# nosec", "# nosec B501", "# nosec: B501,B602", "# nosec why not"])
@pytest.mark.parametrize("line", range(3))
def test_nosec_works_on_every_line_of_the_call(case, ask, comment, line):
    lines = ["requests.get(", "    'x', timeout=1, verify=True", ")"]
    lines[line] += f"  {comment}"
    before = "\n".join(["import requests", "", *lines, ""])
    after = before.replace("True", "False")
    assert ask(RUFF, case({"a.py": before}, {"a.py": after})) == []
    assert len(ask(RUFF, case({"b.py": before}, {"b.py": after.replace(comment, "")}))) == 1


def test_nosec_for_another_problem_silences_nothing(case, ask):
    text = "import os\n\n\ndef f(x):\n    os.system('ls ' + x)  # nosec {}\n"
    assert len(ask(RUFF, case({"x": ""}, {"a.py": text.format("B404")}))) == 1
    assert ask(RUFF, case({"x": ""}, {"b.py": text.format("B605")})) == []


def test_planted_holes_are_found(case, ask):
    found = ask(RUFF, case({"a.py": ""}, {"a.py": PLANTED}))
    assert {(finding["rule_id"], finding["line"]) for finding in found} == {
        ("ruff/S602", 5),
        ("ruff/S506", 8),
        ("ruff/S323", 11),
        ("ruff/S201", 13),
    }
    assert {finding["category"] for finding in found} == {"security"}


def test_tempting_harmless_code_draws_nothing(case, ask):
    assert ask(RUFF, case({"a.py": ""}, {"a.py": HARMLESS})) == []


def test_holes_in_tests_and_old_holes_draw_nothing(case, ask):
    before = {"a.py": PLANTED, "tests/test_a.py": ""}
    after = {"a.py": f"# moved down\n\n{PLANTED}", "tests/test_a.py": PLANTED}
    assert ask(RUFF, case(before, after)) == []


def test_what_bandit_skips_at_base_is_skipped_and_what_the_change_skips_is_not(case, ask):
    base = case({"a.py": "", ".bandit": "[bandit]\nskips: B602,B201\n"}, {"a.py": PLANTED})
    assert set(ignored_by_bandit(base.repository.base, "a.py")) == {"bandit/B602", "bandit/B201"}
    assert {finding["rule_id"] for finding in ask(RUFF, base)} == {"ruff/S506", "ruff/S323"}
    change = {"a.py": PLANTED, ".bandit": "[bandit]\nskips: B602,B201,B506,B323\nexclude: .\n"}
    hidden = case({"a.py": "", ".bandit": None}, change)
    assert len(ask(RUFF, hidden)) == 4


@pytest.mark.parametrize(
    "settings",
    [
        {"pyproject.toml": '[tool.bandit]\ntests = ["B506", "B201"]\n'},
        {"setup.cfg": "[bandit]\ntests = B506,B201\n"},
        {"pyproject.toml": '[tool.bandit]\nskips = ["B602", "B323"]\n'},
    ],
)
def test_only_the_tests_that_bandit_is_to_run_count(case, ask, settings):
    found = ask(RUFF, case({"a.py": "", **settings}, {"a.py": PLANTED}))
    assert {finding["rule_id"] for finding in found} == {"ruff/S506", "ruff/S201"}


@pytest.mark.parametrize(
    "settings",
    [
        {"pyproject.toml": '[tool.bandit]\nexclude_dirs = ["old"]\n'},
        {".bandit": "[bandit]\nexclude = /old\n"},
        {"tox.ini": "[bandit]\nexclude = */old/*\n"},
    ],
)
def test_a_folder_that_bandit_leaves_out_draws_none_of_its_problems(case, ask, settings):
    undefined = f"{PLANTED}print(missing)\n"
    found = ask(RUFF, case({"x": "", **settings}, {"old/a.py": undefined, "older/a.py": PLANTED}))
    assert [one["rule_id"] for one in found if one["file"] == "old/a.py"] == ["ruff/F821"]
    assert len(found) == 5


def test_a_call_over_several_lines_is_found_where_it_begins(case, ask):
    call = "    subprocess.run(\n        f'ls {name}',\n        shell=True,\n    )\n"
    text = f"import subprocess\n\n\ndef f(name):\n{call}"
    (found,) = ask(RUFF, case({"x": ""}, {"a.py": text}))
    assert (found["rule_id"], found["line"]) == ("ruff/S602", 5)


def test_a_function_that_is_given_the_whole_command_puts_nothing_into_it(case, ask):
    # SCons/scons bac715f2e7e7, bin/Command.py:73.
    text = """\
import os
import subprocess


def sh(cmd):
    os.system(cmd)
    return subprocess.run(cmd, shell=True)


def show(name):
    os.system("cat " + name)
"""
    assert [finding["line"] for finding in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [11]


def test_a_pickle_that_the_same_expression_wrote_is_harmless(case, ask):
    # celery/celery 21dbc73f81d2, celery/utils/serialization.py:132.
    text = "import pickle\n\n\ndef load(x):\n    pickle.loads(pickle.dumps(x))\n    return pickle.loads(x)\n"
    assert [finding["line"] for finding in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [6]


def test_the_old_name_of_any_version_of_tls_is_no_outdated_version(case, ask):
    # scrapy/scrapy d1bd8eb49f7a, scrapy/core/downloader/contextfactory.py:50.
    text = """\
from OpenSSL import SSL


def any_version(method=SSL.SSLv23_METHOD):
    return SSL.Context(method)


def outdated(method=SSL.SSLv3_METHOD):
    return SSL.Context(method)
"""
    assert [finding["line"] for finding in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [8]


def test_a_loader_that_makes_plain_objects_is_harmless(case, ask):
    # pydantic/pydantic be5c601f6a8a, docs/plugins/main.py:459.
    text = """\
import yaml


def load(f, mine):
    yaml.load(f, Loader=yaml.FullLoader)
    yaml.load(f, Loader=mine.Strict)
    yaml.load(f, Loader=yaml.CSafeLoader)
    return yaml.load(f, Loader=yaml.UnsafeLoader)
"""
    assert [finding["line"] for finding in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [8]


def test_text_that_is_written_where_it_is_evaluated_is_harmless(case, ask):
    # pydantic/pydantic be5c601f6a8a, pydantic/v1/utils.py:195.
    text = "def f(x):\n    eval('__IPYTHON__')\n    eval(f'{x}.name')\n    return eval(x)\n"
    assert [finding["line"] for finding in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [3, 4]
