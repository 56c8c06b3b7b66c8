"""A default that calls share is a finding only where a call changes it or hands it out."""

import pytest

from affidavit.analysers.ruff import RUFF

READ = {
    "a loop": "    for one in names:\n        print(one)\n",
    "a comprehension": "    return [one.upper() for one in names]\n",
    "a membership test": "    return 'a' in names\n",
    "its length": "    return len(names)\n",
    "a copy": "    return list(names)\n",
    "joined": "    return ', '.join(names)\n",
    "a part in a sum": "    return names[0] + 'x'\n",
    "copied": "    mine = names[:]\n    mine.append(1)\n",
    "not used": "    return 1\n",
    # SCons/scons f544c9944e1a, SCons/ActionTests.py:157; psf/black c3cc5a95d4f7, src/blib2to3/pytree.py:392.
    "handed on": "    other(names)\n",
    "a part that is handed on": "    names[0].append(1)\n",
}
CHANGED = {
    "appended to": "    names.append('x')\n",
    "returned": "    return names\n",
    "kept": "    global kept\n    kept = names\n",
    "a part set": "    names[0] = 'x'\n",
    "a slice set": "    names[:] = ['x']\n",
    "a part deleted": "    del names[0]\n",
    "added to": "    names += ['x']\n",
    "renamed": "    mine = names\n    mine.append(1)\n",
    "yielded": "    yield names\n",
    "taken by an inner function": "    def inner():\n        return names\n    return inner\n",
}


def rules(case, ask, body):
    text = f"from other import other\n\n\ndef f(names: list = ['a']):\n{body}"
    return [found["rule_id"] for found in ask(RUFF, case({"x": ""}, {"a.py": text}))]


@pytest.mark.parametrize("what", READ)
def test_a_default_that_is_only_read_draws_nothing(what, case, ask):
    assert "ruff/B006" not in rules(case, ask, READ[what])


@pytest.mark.parametrize("what", CHANGED)
def test_a_default_that_can_change_is_found(what, case, ask):
    assert "ruff/B006" in rules(case, ask, CHANGED[what])
