"""The real sandbox of this machine, and a way to run a program in it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from affidavit.records.program_runs import RunLimits
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.job import Ended, Job
from affidavit.sandbox.provision import own_python
from sandboxes import needed_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Bubblewrap:
    found = needed_sandbox()
    assert isinstance(found, Bubblewrap)
    return found


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
