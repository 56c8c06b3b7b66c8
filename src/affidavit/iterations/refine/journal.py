"""What a loop has done so far, kept after every step, so that it goes on where it was interrupted."""

import fcntl
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field, ValidationError

from affidavit.errors import InputError
from affidavit.iterations.refine.agent import AgentRun
from affidavit.records.iteration import IterationSummary
from affidavit.records.record import Record
from affidavit.system.private_files import make_private_folder, write_private_file

FILE, LOCK = "journal.json", "lock"
NAMED = 10
"""So many files that were not taken are named."""


class Turn(Record):
    """One iteration of the loop: a commit, its review, and what the agent then did."""

    number: int
    commit: str
    report: str = ""
    """The file of its report; empty while it is not reviewed."""
    digest: str = ""
    summary: IterationSummary | None = None
    blocking: int = 0
    held_back: tuple[str, ...] = ()
    """Why only a person may accept it; empty where the loop may."""
    diff: str = ""
    """The file with all of the agent's work so far, for that person; empty where nothing is held back."""
    agent: AgentRun | None = None
    """None while the agent has not been asked."""
    left_out: tuple[str, ...] = ()
    """What the agent left and no branch takes: large files, and links that lead out."""
    ignored: tuple[str, ...] = ()
    """What the agent left and git ignored when the loop began: no branch takes it either."""
    result: str = ""
    """The commit that the agent's work became; empty where it changed nothing."""


class Journal(Record):
    """A whole loop."""

    repository: str
    target: str
    base: str
    start: str
    agent: str
    """A digest of the agent's command: it may name a key."""
    max: int
    series: str = ""
    """The series of its reviews: each loop has its own."""
    turns: tuple[Turn, ...] = ()
    spent_usd: float = 0
    spent_tokens: int = 0
    stopped: str = ""
    """Why the loop ended; empty while it goes on."""
    best: int = Field(default=0, ge=0)
    branch: str = ""
    """The branch that was left; empty where nothing was better than what was there."""

    @property
    def not_taken(self) -> tuple[str, ...]:
        """All that the agent left so far and no commit of the loop took."""
        return tuple(
            sorted({path for turn in self.turns for paths in (turn.left_out, turn.ignored) for path in paths})
        )

    def with_turn(self, turn: Turn) -> "Journal":
        """The journal with its last turn as it is now, or with one more."""
        kept = tuple(one for one in self.turns if one.number != turn.number)
        return self.model_copy(update={"turns": (*kept, turn)})


def not_taken(left_out: tuple[str, ...], ignored: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    """What was not taken, and why."""
    reasons = ((ignored, "git ignores it"), (left_out, "large, or a link that leads out"))
    return [(paths, why) for paths, why in reasons if paths]


def named(paths: Sequence[str]) -> str:
    """Paths as people read them: the first of them, and of a folder with many only the folder."""
    tops = Counter(path.partition("/")[0] for path in paths if "/" in path)
    many = {top for top, count in tops.items() if count > NAMED}
    few = [path for path in paths if path.partition("/")[0] not in many]
    shown = [*few[:NAMED], *(f"{top}/ ({tops[top]} files)" for top in sorted(many)[:NAMED])]
    more = max(len(few) - NAMED, 0) + sum(tops[top] for top in sorted(many)[NAMED:])
    return ", ".join(shown) + (f" and {more} more" if more else "")


def read_journal(folder: Path) -> Journal | None:
    """What was kept in a folder; None where there is nothing, or nothing that can be read."""
    try:
        return Journal.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def keep_journal(folder: Path, journal: Journal) -> None:
    """Keep it, whole or not at all."""
    write_private_file(folder / FILE, journal.model_dump_json(indent=1) + "\n")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else runs the same loop meanwhile."""
    make_private_folder(folder)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError("this loop is running already, in another process") from error
        yield
