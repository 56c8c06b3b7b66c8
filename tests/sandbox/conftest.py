"""The real sandbox of this machine, and a way to run a program in it."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from affidavit.records.run import RunLimits
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.choice import choose_sandbox
from affidavit.sandbox.job import Ended, Job
from affidavit.sandbox.provision import own_python


@pytest.fixture(scope="session")
def sandbox() -> Bubblewrap:
    choice = choose_sandbox()
    if choice.sandbox is None:
        words = f"programs cannot be run here: {choice.reason}"
        # Where we could have made it work, a missing wall is a failure: nothing would show the walls.
        if os.getuid() == 0 or os.environ.get("CI"):
            pytest.fail(words)
        pytest.skip(words)
    assert isinstance(choice.sandbox, Bubblewrap)
    return choice.sandbox


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Ended]:
    """Run the text of a Python program."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("of the change\n")
    python = next(own_python())

    def run(
        sandbox: Bubblewrap, text: str, *arguments: str, mounts: Sequence[Path] = (), **limits: object
    ) -> Ended:
        path = ":".join((*python.search_path, "/usr/bin", "/bin"))
        job = Job(
            ("python3", "-c", text, *arguments),
            source,
            mounts=(*python.mounts, *mounts),
            variables={"PATH": path, "HOME": "/tmp/home"},
            limits=RunLimits.model_validate({"seconds": 20, **limits}),
        )
        return sandbox.run(job)

    return run
