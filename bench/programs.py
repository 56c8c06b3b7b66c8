"""What a run in the sandbox costs above the program itself, alone and ten at once."""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from affidavit.sandbox.choice import choose_sandbox
from affidavit.sandbox.job import Job, Sandbox
from affidavit.sandbox.provision import own_python
from bench.row import Row, best, call

ROUNDS = 10
AT_ONCE = 10
NOTHING = ("python3", "-c", "pass")


def rows() -> list[Row]:
    """A program that does nothing, behind walls and without."""
    sandbox = choose_sandbox().sandbox
    if sandbox is None:
        print("programs: no sandbox here, nothing is measured")
        return []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_text("a")
        plain = best(lambda: call([Path(sys.base_prefix) / "bin" / NOTHING[0], *NOTHING[1:]]), ROUNDS)
        walled = best(lambda: _run(sandbox, folder), ROUNDS)
        together = best(lambda: _ten(sandbox, folder))
    return [
        Row("a program that does nothing, walled", walled, "the same without walls", plain, 8),
        Row("ten of them at once", together, "ten of them one after the other", walled * AT_ONCE, 1),
    ]


def _run(sandbox: Sandbox, folder: str) -> None:
    python = next(own_python())
    variables = {"PATH": ":".join((*python.search_path, "/usr/bin", "/bin"))}
    ended = sandbox.run(Job(NOTHING, Path(folder), mounts=python.mounts, variables=variables))
    if ended.state != "exited":
        raise RuntimeError(ended.detail)


def _ten(sandbox: Sandbox, folder: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda _: _run(sandbox, folder), range(AT_ONCE)))
