"""Open changes for an agent, keep them by id, and write the prompts of specialists."""

import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from affidavit.agents.briefing import Briefing
from affidavit.agents.model_agents import LENSES, SUBJECTS, ModelAgent
from affidavit.agents.panel import Panel
from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings
from affidavit.context.view import render_context_json
from affidavit.errors import InputError, UnknownRevisionError
from affidavit.events import Emit
from affidavit.git.location import find_repository
from affidavit.git.objects import ObjectStore
from affidavit.git.revisions import parse_range, resolve_commit
from affidavit.ports import Case, Dependencies, Role, Talk, ToolSource
from affidavit.records.report import Answer, RoleUsage
from affidavit.reviewing.hold import settings_for
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import server_pool
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.plan import plan_by_size
from affidavit.stages.review import begin_case
from affidavit.system.temporary import Closing
from affidavit.tools.arguments import JoinedTools
from affidavit.tools.checks import Checks

MAX_OPEN = 8
MAX_SHOWN_FILES = 300
_TARGETS = (
    "name a commit or a range (a branch as refs/heads/NAME), or hand the text of a diff in as `diff`; no "
    "file is opened by its name"
)


@dataclass(frozen=True)
class WantedChange:
    """A change that an agent asks for: a revision, a range, or the text of a diff."""

    target: str = ""
    diff: str = ""
    title: str = ""
    description: str = ""

    def request(self, repo: Path) -> ChangeRequest:
        """Return the request for the intake; refuse file names, since an agent may be misled."""
        if self.target and self.diff:
            raise InputError("name a target or hand in a diff, not both")
        if self.target:
            self._refuse_files(repo)
        return ChangeRequest(
            target="-" if self.diff else self.target or None,
            diff_text=self.diff.encode("utf-8", "surrogatepass") if self.diff else None,
            repo=repo,
            title=self.title,
            description=self.description,
            may_be_empty=True,
        )

    def _refuse_files(self, repo: Path) -> None:
        """Check the revision first, so that the error does not tell whether such a file exists."""
        location = find_repository(repo)
        span = parse_range(self.target)
        with ObjectStore(location) as store:
            try:
                for name in (span.old, span.new) if span else (self.target,):
                    resolve_commit(store, location, name)
            except UnknownRevisionError as error:
                raise InputError(f"{self.target!r}: {error}; {_TARGETS}") from error
        if Path(self.target).exists() or (repo / self.target).exists():
            raise InputError(f"{self.target!r} is the name of a file here, too; {_TARGETS}")


class KeptChange(Closing):
    """An opened change with its tools; each part is made when it is first needed."""

    def __init__(self, opened: OpenedChange, wanted: WantedChange, options: ReviewOptions) -> None:
        self.opened = opened
        self.wanted = wanted
        self.settings: Settings = settings_for(opened, options)
        self._cache = None if options.no_cache else cache_folder()
        self._lock = threading.Lock()
        sides = (opened.change.base.tree, opened.change.head.tree, wanted.title, wanted.description)
        self.id = hashlib.sha256("\0".join(map(str, sides)).encode()).hexdigest()[:12]

    @cached_property
    def case(self) -> Case:
        """Return the change with the settings of its base."""
        return begin_case(self.opened.change, self.opened.repository, self.settings)

    @cached_property
    def _panel(self) -> Panel:
        servers = server_pool(self.settings, self.opened.repository.folder)
        off = self.settings.analysers_off
        return Panel({}, self._cache, analysers_off=off, servers=servers)

    @cached_property
    def shown(self) -> Case:
        """Return the change, redacted."""
        with self._lock:
            return self._panel.redact(self.case)

    @cached_property
    def dependencies(self) -> Dependencies | None:
        """Return where the sources of packages are read; None if there are none."""
        with self._lock:
            return self._panel.packages(self.case)

    @cached_property
    def tools(self) -> ToolSource:
        """Return the tools that read both sides, redacted."""
        case = self.shown
        with self._lock:
            off = self.settings.analysers_off
            return JoinedTools(
                self._panel.tools(case),
                Checks(case.repository, case.change, self._cache, analysers_off=off),
            )

    @cached_property
    def briefing(self) -> Briefing:
        """Return the change as models see it, with its map."""
        with self._lock:
            return self._panel.brief(self.case)

    def map_text(self) -> str:
        """Return the map of the change as JSON."""
        return render_context_json(self.briefing.change, self.briefing.context)

    def summary(self) -> dict[str, Any]:
        """Describe the change for an agent."""
        change = self.shown.change
        files = [
            {
                "path": file.path,
                "status": str(file.status),
                "added": len(file.changed_lines("head")),
                "removed": len(file.changed_lines("base")),
                **({"skipped": str(file.skipped)} if file.skipped else {}),
            }
            for file in change.files[:MAX_SHOWN_FILES]
        ]
        more = len(change.files) - len(files)
        notices = [*self.opened.notices, *filter(None, [change.why_empty])]
        return {
            "change": self.id,
            "title": change.title,
            "base": change.base.commit or change.base.tree,
            "head": change.head.commit or change.head.tree,
            "files": files,
            **({"more_files": more} if more else {}),
            **({"notices": notices} if notices else {}),
        }

    def close(self) -> None:
        """End git's processes and delete temporary objects."""
        self.opened.close()


class Changes(Closing):
    """The open changes, newest last; beyond a limit the oldest is closed."""

    def __init__(self, repo: Path, options: ReviewOptions) -> None:
        self.repo = repo
        self._options = options
        self._open: dict[str, KeptChange] = {}
        self._lock = threading.Lock()

    def open(self, wanted: WantedChange) -> KeptChange:
        """Open a change; opening it twice gives the same."""
        with open_change(wanted.request(self.repo)).closed_on_failure() as opened:
            change = KeptChange(opened, wanted, self._options)
        with self._lock:
            known = self._open.pop(change.id, None)
            if known:
                change.close()
            change = known or change
            while len(self._open) >= MAX_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[change.id] = change
            return change

    def find(self, name: str) -> KeptChange:
        """Return a change by its id; without an id the newest, or the uncommitted changes."""
        with self._lock:
            if name in self._open:
                return self._open[name]
            if not name and self._open:
                return next(reversed(self._open.values()))
        if name:
            raise InputError(f"no change {name!r} is open: open_change returns the id of one")
        return self.open(WantedChange())

    def close(self) -> None:
        """Close all changes."""
        with self._lock:
            for change in self._open.values():
                change.close()
            self._open.clear()


HAND_IN = """
# How to hand in
Read with the tools of this server (get_file_context, search, find_references, …): they read the same trees
against which your quotes are checked. Then call `submit_findings` with `change` "{change}" and the review
result as `result`. Each finding comes back proven or withheld, with the reason: tell the user about those
that are shown, with their status, and about no other. An empty list of findings is a good result.
"""


@dataclass
class _Nobody:
    """Stands in for a model: the agent that gets the prompt is the model."""

    role: Role = "specialist"
    model: str = ""

    async def converse(self, _talk: Talk, _emit: Emit) -> Answer:
        return Answer(outcome="failed", usage=RoleUsage(role=self.role, model=self.model))


def prompt_list() -> list[dict[str, Any]]:
    """Return the name and purpose of each prompt."""
    return [
        {"name": f"review-{lens}", "description": f"Look at a change: {SUBJECTS[lens]}."} for lens in LENSES
    ]


def prompt_text(name: str, change: KeptChange, part: int = 1) -> str:
    """Return the prompt of a specialist with this lens for one part of the change."""
    lens = name.removeprefix("review-")
    if lens not in LENSES:
        known = ", ".join(f"review-{one}" for one in LENSES)
        raise InputError(f"there is no prompt {name!r}; there are: {known}")
    briefing = change.briefing
    plan = plan_by_size(briefing.change, (lens,), (), briefing.context.symbols)
    if not 1 <= part <= max(1, len(plan.chunks)):
        raise InputError(f"the change has {len(plan.chunks)} parts: ask for one from 1 to {len(plan.chunks)}")
    if not plan.chunks:
        raise InputError("the change has no file that is reviewed: there is nothing to look at")
    agent = ModelAgent((lens,), _Nobody(), briefing, plan, plan.chunks[part - 1], lambda: change.tools)
    talk = agent.talk(None, has_dependencies=bool(change.dependencies))
    parts = f"\nThis is part {part} of {len(plan.chunks)}.\n" if len(plan.chunks) > 1 else ""
    hand_in = HAND_IN.format(change=change.id).strip()
    return f"{talk.instructions}\n{talk.prefix}\n{parts}{talk.task}\n{hand_in}\n"
