"""A function that is made in a loop counts where it outlives its turn."""

import pytest

from affidavit.analysers.ruff import RUFF

KEPT = {
    "in a list": "        calls.append(lambda: name)\n",
    "under a key": "        calls[name] = lambda: name\n",
    "in a literal": "        calls += [lambda: name]\n",
    "yielded": "        yield lambda: name\n",
    "by another thread": "        Thread(target=lambda: name).start()\n",
    "by its name": "        def one():\n            return name\n        calls.append(one)\n",
}
IN_TURN = {
    "handed to a call": "        show(calls, lambda: name)\n",
    "called by its name": "        def one():\n            return name\n        one()\n",
    "handed on by its name": "        def one():\n            return name\n        show(one, 1)\n",
}


def rules(case, ask, body):
    text = f"from other import Thread, show\n\n\ndef f(names, calls):\n    for name in names:\n{body}"
    found = ask(RUFF, case({"x": ""}, {"a.py": text}))
    return [one["rule_id"] for one in found if one["rule_id"] != "ruff/F401"]


@pytest.mark.parametrize("what", KEPT)
def test_a_function_that_outlives_its_turn_is_found(what, case, ask):
    assert rules(case, ask, KEPT[what]) == ["ruff/B023"]


@pytest.mark.parametrize("what", IN_TURN)
def test_a_function_that_is_called_in_its_turn_draws_nothing(what, case, ask):
    # SCons/scons f544c9944e1a, SCons/Tool/javac.py:75 and SCons/Node/__init__.py:1578.
    assert rules(case, ask, IN_TURN[what]) == []
