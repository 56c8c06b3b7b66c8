"""Run a repository's own tests on a tree of it: do they notice the bug?

This runs the repository's code. It gets a folder of its own, no network where the system can take it away,
and nothing of the environment but PATH; that is isolation from accidents, not from malice.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from affidavit.analysers.execution import Limits, isolated_environment, run_program
from affidavit.git.checkout import write_tree_to
from affidavit.ports import Tree
from affidavit.system.temporary import temporary_folder

LIMITS = Limits(timeout_seconds=900)


@dataclass(frozen=True)
class Trial:
    """How the tests ended."""

    passed: bool
    said: str


async def run_tests(tree: Tree, command: str, *, limits: Limits = LIMITS) -> Trial:
    """Write the tree out and run the command in it with the shell; one that takes too long has failed."""
    with temporary_folder("tests-") as scratch:
        code = scratch / "code"
        await asyncio.to_thread(_lay_out, tree, code)
        environment = isolated_environment(scratch)
        outcome = await run_program(
            ["/bin/sh", "-c", command],
            folder=code,
            # The tests need the programs that the user calls them with.
            environment={**environment, "PATH": os.environ.get("PATH", os.defpath)},
            limits=limits,
        )
    if outcome.state == "timed_out":
        return Trial(False, f"took longer than {limits.timeout_seconds:g} s")
    if outcome.state != "exited":
        return Trial(False, outcome.last_words or outcome.state)
    return Trial(outcome.exit_code == 0, f"exit code {outcome.exit_code}: {outcome.last_words}".rstrip(": "))


def _lay_out(tree: Tree, code: Path) -> None:
    code.mkdir()
    write_tree_to(tree, code)
