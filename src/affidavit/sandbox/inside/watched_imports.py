"""Which packages a program looks for in vain: what Python loads at its start in, their names out.

Code that catches a failed import goes on without a word, and what it does then says nothing about code that
has the package. Python loads `sitecustomize` before any program; ours notes each name that nobody finds,
through a pipe that lies read-only in the sandbox. What the change itself writes there can only take away its
own proof.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from affidavit.sandbox.job import SIDE, WATCH
from affidavit.system.temporary import temporary_folder

MAX_NAMES = 50
MAX_BYTES = 65536
"""What the kernel keeps of a pipe that nobody reads."""
NAME = re.compile(r"[^\W\d]\w{0,99}")
PIPE = "missing"
NOTING = f"""\
import os
import sys

HERE = {WATCH!r}


class Watch:
    noted = set()

    def find_spec(self, name, path=None, target=None):
        if path is None and name not in self.noted and name not in getattr(sys, "stdlib_module_names", ()):
            if asked_by_the_repository(sys._getframe(1)) and not self.found_by_others(name, target):
                self.noted.add(name)
                note(name)
        return None

    def found_by_others(self, name, target):
        finders = sys.meta_path[sys.meta_path.index(self) + 1 :]
        return any(one.find_spec(name, None, target) for one in finders if hasattr(one, "find_spec"))


def asked_by_the_repository(frame):
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<frozen ") and os.path.basename(os.path.dirname(file)) != "importlib":
            return file.startswith({SIDE + "/"!r}) or not os.path.isabs(file)
        frame = frame.f_back
    return False


def note(name):
    try:
        pipe = os.open(HERE + {"/" + PIPE!r}, os.O_WRONLY | os.O_NONBLOCK)
        try:
            os.write(pipe, (name + "\\n").encode("utf-8", "replace"))
        finally:
            os.close(pipe)
    except OSError:
        pass


def begin():
    sys.path[:] = [one for one in sys.path if one != HERE]
    own = sys.modules.pop("sitecustomize", None)
    try:
        # Another one that the environment has is loaded as ever.
        import sitecustomize
    except ImportError:
        pass
    finally:
        if own is not None:
            sys.modules.setdefault("sitecustomize", own)
    sys.meta_path.append(Watch())


begin()
"""


@dataclass
class Watched:
    """A folder for the sandbox, and what was noted there."""

    folder: Path
    pipe: int

    def missing(self) -> tuple[str, ...]:
        """The names that were looked for in vain, once each, in the order of the alphabet."""
        try:
            noted = os.read(self.pipe, MAX_BYTES)
        except BlockingIOError:
            return ()
        names = {line for line in noted.decode("utf-8", "replace").split("\n") if NAME.fullmatch(line)}
        return tuple(sorted(names)[:MAX_NAMES])


@contextmanager
def watching_imports() -> Iterator[Watched]:
    """Something to mount into a sandbox at `WATCH`, with its folder on Python's path."""
    with temporary_folder("watch-") as folder:
        folder.chmod(0o755)
        (folder / "sitecustomize.py").write_text(NOTING, "utf-8")
        os.mkfifo(folder / PIPE)
        # A container's user is another one.
        (folder / PIPE).chmod(0o622)
        pipe = os.open(folder / PIPE, os.O_RDONLY | os.O_NONBLOCK)
        try:
            yield Watched(folder, pipe)
        finally:
            os.close(pipe)
