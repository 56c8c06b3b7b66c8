"""Which files ty checks for a change, and that its findings are those of the whole project."""

import asyncio
import json
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.analysers.affected_python import affected_python
from affidavit.analysers.engine.checkouts import Checkouts, lay_out
from affidavit.analysers.engine.run_side import SideRunner
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.engine.task import Program
from affidavit.analysers.ty import TY
from commands import affidavit
from long_tests import examples
from python_changes import make_case
from repositories import Repo

PART = replace(TY, choose_part=partial(affected_python, few=0))
UNRELATED = {f"pkg/other{number}.py": f"def other{number}(a):\n    return a\n" for number in range(8)}
SHOP = {
    "pkg/__init__.py": "",
    "pkg/prices.py": "TAX = 2\n\n\ndef total(net):\n    return net * TAX\n",
    "pkg/views.py": "from pkg.prices import total\n\n\ndef show(net):\n    return total(net)\n",
    **UNRELATED,
}
RENAMED = {"pkg/prices.py": SHOP["pkg/prices.py"].replace("total(net)", "total(net, country)")}


def reply_of(analyser, one, **options):
    return asyncio.run(MechanicalSpecialist(analyser, **options).examine(one.case))


def told(reply):
    """What a reply says of findings; not how it came to them."""
    return [
        (one["rule_id"], one["file"], one["line"], one["title"], one["verification"].get("caused_by"))
        for one in json.loads(reply.text or '{"findings": []}')["findings"]
    ], reply.suppressed


def chosen(one):
    part = affected_python(one.change, one.repository, few=0)
    return set(part.paths) or part.whole


def test_the_changed_file_and_its_callers_are_checked_and_no_other(case):
    one = case(SHOP, RENAMED)
    assert chosen(one) == {"pkg/prices.py", "pkg/views.py"}
    reply = reply_of(PART, one)
    assert told(reply)[0][0][:3] == ("ty/missing-argument", "pkg/views.py", 5)
    base, head = reply.analyser_runs
    assert (base.files, head.files, head.read, head.unread) == (2, 2, ("pkg/prices.py",), ())
    assert head.command[-2:] == ("./pkg/prices.py", "./pkg/views.py")
    assert head.detail.startswith("checked 2 of 11 files:")


def test_a_file_with_a_new_suppression_is_checked_again_alone(case):
    started = []

    def note(arguments, _version, _texts):
        started.append(" ".join(arguments).partition("--force-exclude ")[2])
        return arguments

    silenced = SHOP["pkg/views.py"].replace("return total(net)", "return total(net)  # ty: ignore")
    one = case(SHOP, {**RENAMED, "pkg/views.py": silenced})
    reply = reply_of(replace(PART, lighten=note), one)
    both = "./pkg/prices.py ./pkg/views.py"
    assert sorted(started) == [both, both, "./pkg/views.py"]
    (found,) = told(reply)[0]
    assert found[:3] == ("ty/missing-argument", "pkg/views.py", 5)
    assert all(reply.suppressed)
    assert reply.analyser_runs[1].read == ("pkg/prices.py", "pkg/views.py")


def test_a_body_that_changes_concerns_nobody_else(case):
    body = {"pkg/prices.py": SHOP["pkg/prices.py"].replace("net * TAX", "TAX * net")}
    assert chosen(case(SHOP, body)) == {"pkg/prices.py"}


def test_a_file_that_only_defines_the_same_name_is_not_checked(case):
    same = {**SHOP, "pkg/more.py": "def total():\n    return 0\n"}
    assert chosen(case(same, RENAMED)) == {"pkg/prices.py", "pkg/views.py"}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"pyproject.toml": "[tool.ty]\n", **RENAMED}, "pyproject.toml changed"),
        ({"pkg/py.typed": "", **RENAMED}, "pkg/py.typed changed"),
        ({"pkg/more.pyi": "a: int\n", **RENAMED}, "pkg/more.pyi changed"),
        ({"pkg/prices.py": "def total(net:\n"}, "pkg/prices.py does not parse, or makes names at run time"),
        (
            {"pkg/prices.py": "from os import *\n" + SHOP["pkg/prices.py"]},
            "pkg/prices.py imports everything of another module",
        ),
        (
            {"pkg/views.py": None, **{path: text + "show = 1\n" for path, text in UNRELATED.items()}},
            "",
        ),
    ],
)
def test_what_names_cannot_show_concerns_the_whole_project(case, changed, why):
    one = case(SHOP, changed)
    if why:
        assert chosen(one) == why
        reply = reply_of(PART, one)
        base, head = (run.detail for run in reply.analyser_runs)
        assert head == f"checked the whole project: {why}"
        assert base in (head, "base was not run: head has nothing to compare with it")


def test_a_change_of_many_files_concerns_the_whole_project_without_a_search(case):
    bodies = {path: text.replace("return a", "return a + 1") for path, text in UNRELATED.items()}
    assert chosen(case(SHOP, bodies)) == "8 of its 11 files changed"


def test_a_name_that_most_files_have_concerns_the_whole_project(case):
    popular = {path: text + "\n\nfrom pkg.prices import total\n" for path, text in UNRELATED.items()}
    one = case({**SHOP, **popular}, RENAMED)
    assert chosen(one) == "9 of its 11 files have names that the change affects"


def test_a_small_project_is_checked_whole(case):
    reply = reply_of(TY, case(SHOP, RENAMED))
    assert reply.analyser_runs[1].detail == "checked the whole project: it has only 11 files"


def test_who_calls_a_constructor_by_another_name_is_checked(case):
    before = {
        **SHOP,
        "pkg/shapes.py": "class Shape:\n    def __init__(self, size):\n        self.size = size\n",
        "pkg/round.py": "from pkg.shapes import Shape\n\n\nclass Ball(Shape):\n    pass\n",
        "pkg/kinds.py": "from pkg.round import Ball\n\nKind = Ball\n",
        "pkg/make.py": "from pkg.kinds import Kind\n\nmade = Kind(1)\n",
    }
    after = {"pkg/shapes.py": before["pkg/shapes.py"].replace("size):", "size, colour):")}
    one = case(before, after)
    assert chosen(one) == {f"pkg/{name}.py" for name in ("shapes", "round", "kinds", "make")}
    assert told(reply_of(PART, one)) == told(reply_of(PART, one, is_whole=True))
    assert told(reply_of(PART, one))[0]


def test_the_importers_of_a_module_that_is_gone_are_checked(case):
    before = {
        **SHOP,
        "pkg/sub/__init__.py": "",
        "pkg/sub/near.py": "from . import far\n",
        "pkg/sub/far.py": "distance = 1\n",
    }
    before["pkg/user.py"] = "from pkg.sub.far import distance\n"
    one = case(before, {"pkg/sub/far.py": None})
    assert chosen(one) == {"pkg/sub/far.py", "pkg/sub/near.py", "pkg/user.py"}
    assert {row[1] for row in told(reply_of(PART, one))[0]} == {"pkg/sub/near.py", "pkg/user.py"}


def test_a_new_module_concerns_whoever_imports_what_it_hides(case):
    one = case({**SHOP, "load.py": "from json import loads\n"}, {"json.py": "fresh = 1\n"})
    assert chosen(one) == {"json.py", "load.py"}


def test_a_module_that_others_get_by_a_star_concerns_them(case):
    imports = {"pkg/prices.py": "import math\n" + SHOP["pkg/prices.py"]}
    star = {"pkg/star.py": "from pkg.prices import *\n\nprint(math.pi)\n"}
    one = case({**SHOP, **imports, **star}, {"pkg/prices.py": SHOP["pkg/prices.py"]})
    assert chosen(one) == {"pkg/prices.py", "pkg/star.py"}


def test_what_base_said_of_another_file_is_no_news_here_either(case):
    wrong = "from pkg.prices import total\n\n\ndef wrong():\n    return total(1, 2, 3)\n"
    before = {**SHOP, "pkg/wrong.py": wrong}
    one = case(before, {"pkg/views.py": SHOP["pkg/views.py"] + "\n\nprint(total(1, 2, 3))\n"})
    assert chosen(one) == {"pkg/views.py"}
    assert told(reply_of(PART, one)) == told(reply_of(PART, one, is_whole=True)) == ([], ())


def test_a_file_that_the_configuration_excludes_is_not_checked_because_it_is_named(case):
    excluded = {"ty.toml": '[src]\nexclude = ["pkg/views.py"]\n'}
    reply = reply_of(PART, case({**SHOP, **excluded}, RENAMED))
    assert told(reply) == ([], ())
    assert reply.analyser_runs[1].detail.startswith("checked 2 of 11 files:")


def test_a_file_that_cannot_be_written_out_is_named_as_such_and_the_others_are_checked(case):
    one = case(SHOP, {**RENAMED, "pkg/odd\nname.py": "a = 1\n"})
    reply = reply_of(PART, one)
    assert [row[1] for row in told(reply)[0]] == ["pkg/views.py"]
    assert reply.analyser_runs[1].refused == ("pkg/odd\nname.py",)
    assert [run.state for run in reply.analyser_runs] == ["completed", "completed"]


def test_the_second_checkout_shares_the_files_that_are_the_same(case, tmp_path):
    one = case(SHOP, RENAMED)
    checkouts, program = Checkouts(tmp_path), Program(tmp_path, "")
    runner = SideRunner(TY, program, one.repository)
    codes = []
    for side in ("base", "head"):
        task = runner._task(side, sorted(SHOP), {"pkg/views.py": b"x = 1\n"} if side == "head" else {})
        with checkouts.folder() as scratch:
            assert lay_out(task, scratch, checkouts) == ()
            codes.append(scratch / "code")
    base, head = ({path: (code / path) for path in SHOP} for code in codes)
    assert {path for path in SHOP if not base[path].samefile(head[path])} == {"pkg/prices.py", "pkg/views.py"}
    assert base["pkg/prices.py"].read_text() == SHOP["pkg/prices.py"]
    assert head["pkg/prices.py"].read_text() == RENAMED["pkg/prices.py"]
    assert head["pkg/views.py"].read_text() == "x = 1\n"


def test_the_whole_project_can_be_asked_for_and_the_report_says_so(repo: Repo):
    repo.commit("Before", SHOP)
    repo.commit("After", RENAMED)
    done = affidavit("review", "HEAD~1..HEAD", "--whole", "--format=report", "--quiet", cwd=repo.path)
    report = json.loads(done.out)
    assert report["settings"]["whole"] is True
    details = {run["detail"] for run in report["analyser_runs"] if run["analyser"] == "ty"}
    assert details == {"checked the whole project: as --whole asks"}


NAMES = ("alpha", "beta", "gamma")
CLASSES = ("Upper", "Lower")
MODULES = ("one", "two", "three", "four")
module, name, class_name = st.sampled_from(MODULES), st.sampled_from(NAMES), st.sampled_from(CLASSES)
signature = st.sampled_from(("", "a", "a, b", "a, *, b", "a, b=1"))
given_arguments = st.sampled_from(("", "1", "1, 2", "1, b=2", "c=1"))
STATEMENTS = st.one_of(
    st.builds("def {}({}):\n    return 1\n".format, name, signature),
    st.builds("async def {}({}):\n    return 1\n".format, name, signature),
    st.builds("class {}:\n    def __init__(self, {}):\n        self.x = 1\n".format, class_name, signature),
    st.builds("class {}:\n    def {}(self, {}):\n        return 1\n".format, class_name, name, signature),
    st.builds("from pkg.{} import {}\nclass Sub({}):\n    pass\n".format, module, class_name, class_name),
    st.builds("from pkg.{0} import {1}\nOther = {1}\n".format, module, class_name),
    st.builds("from pkg.{} import {} as Other\n".format, module, class_name),
    st.builds("{} = 1\n".format, name),
    st.builds("from pkg.{} import *\n".format, module),
    st.builds("from pkg import {0}\n{0}.{1}({2})\n".format, module, name, given_arguments),
    st.builds("from pkg.{0} import {1}\n{1}({2})\n".format, module, name, given_arguments),
    st.builds("from pkg.{0} import {1} as new\nnew({2})\n".format, module, name, given_arguments),
    st.builds(
        "from pkg.{0} import {1}\n{1}({2}).{3}({2})\n".format, module, class_name, given_arguments, name
    ),
    st.builds("from .{0} import Sub\nSub({1}).{2}()\n".format, module, given_arguments, name),
    st.builds("from .{0} import Other\nOther({1})\n".format, module, given_arguments),
    st.builds("print({})\n".format, name),
)
texts = st.lists(STATEMENTS, max_size=4).map("".join)
projects = st.fixed_dictionaries({f"pkg/{one}.py": texts for one in MODULES})
changes = st.dictionaries(
    st.sampled_from([f"pkg/{one}.py" for one in MODULES]), texts | st.none(), min_size=1
)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=projects, after=changes)
def test_a_part_has_the_findings_of_the_whole(tmp_path_factory, before, after):
    changed = {path: text for path, text in after.items() if text != before[path]}
    if not changed:
        return
    repo = Repo(tmp_path_factory.mktemp("made") / "repo")
    one = make_case(repo, {"pkg/__init__.py": "", **UNRELATED, **before}, changed)
    try:
        assert told(reply_of(PART, one)) == told(reply_of(PART, one, is_whole=True))
    finally:
        one.repository.close()
