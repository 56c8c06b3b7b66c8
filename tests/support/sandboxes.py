"""The sandbox that tests run programs in: where there is none, they fail if it could have been had."""

import os
from collections.abc import Mapping

import pytest

from affidavit.sandbox.choice import Choice, choose_sandbox
from affidavit.sandbox.job import Sandbox


def needed_sandbox() -> Sandbox:
    """The sandbox of this machine."""
    return demanded(choose_sandbox(), os.environ, os.getuid())


def demanded(choice: Choice, environ: Mapping[str, str], user: int) -> Sandbox:
    """The sandbox; a test without one is skipped, but fails where nobody would see that it was."""
    if choice.sandbox is None:
        words = f"programs cannot be run here: {choice.reason}"
        # Where we could have made it work, a missing wall is a failure: nothing would show the walls.
        if user == 0 or environ.get("CI"):
            pytest.fail(words)
        pytest.skip(words)
    return choice.sandbox
