"""`affidavit doctor` knows every analyser: its version, what it covers, how to get it."""

import asyncio

import pytest

from affidavit.analysers.engine.programs import find_program, packaged_program
from affidavit.analysers.registry import all_analysers
from affidavit.cli.doctor import examine


def test_every_analyser_is_listed_with_version_and_purpose():
    checks = {check.name: check for check in examine()}
    for analyser in all_analysers():
        check = checks[f"analyser {analyser.name}"]
        assert analyser.subject in check.detail
        if check.state == "missing" and not analyser.distribution:
            assert check.advice == analyser.elsewhere
            continue
        assert check.state == "ok", check
        assert check.detail[0].isdigit()


@pytest.mark.parametrize("analyser", all_analysers(), ids=lambda analyser: analyser.name)
def test_the_version_of_the_package_is_the_one_that_the_program_says(analyser):
    program = asyncio.run(find_program(analyser, None))
    assert program is not None or not analyser.distribution
    if program is None:
        return
    if analyser.has_package_version:
        assert packaged_program(analyser.distribution, program.path)[0] == program.version


def test_a_program_that_another_package_brought_is_asked_itself(tmp_path):
    assert packaged_program("ruff", tmp_path / "ruff") == ("", None)
    assert packaged_program("no-such-package", tmp_path / "ruff") == ("", None)
