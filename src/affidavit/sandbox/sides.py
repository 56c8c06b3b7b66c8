"""Run programs on both sides of a change, each in a copy of its side."""

import os
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from affidavit.errors import AffidavitError, InputError
from affidavit.git.patches import apply_patch, patched_repository
from affidavit.git.repository import GitRepository
from affidavit.git.text import is_safe_path
from affidavit.git.tree import differing
from affidavit.ports import Repository, Tree
from affidavit.records.program_runs import AlteredFile, Program, ProgramRun, RunLimits
from affidavit.records.record import Side
from affidavit.redaction.text import redact_text
from affidavit.sandbox.copies import (
    PROGRAM_FOLDERS,
    VERSION_TEXT,
    altered_files,
    command_of,
    file_of,
    find_language,
    installed_languages,
    version_files,
    write_side,
)
from affidavit.sandbox.following import changed_lines
from affidavit.sandbox.job import NODE_HOOK, SIDE, WATCH, Ended, Job, Sandbox
from affidavit.sandbox.provision import Provision, base_variables
from affidavit.sandbox.watching import Noticed, shadows, watching
from affidavit.system.concurrency import usable_cores
from affidavit.system.temporary import Closing, temporary_folder

MAX_PROGRAM_BYTES = 200_000
LOOK_SECONDS = 0.1
"""How often a waiting run checks whether the review was stopped."""
NOTHING = Provision()
USUAL = RunLimits()


@dataclass
class Allowance:
    """The time that is left for all programs of a review; None: no limit."""

    left_ms: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, duration_ms: int) -> int | None:
        """Take off what a program used, and return the whole seconds left."""
        with self.lock:
            if self.left_ms is None:
                return None
            self.left_ms -= duration_ms
            return max(0, int(self.left_ms / 1000))


class SandboxedSides(Closing):
    """Both sides without secrets, so that no program can print one."""

    def __init__(
        self,
        repository: Repository,
        sandbox: Sandbox,
        provision: Provision = NOTHING,
        limits: RunLimits = USUAL,
        budget_seconds: float | None = None,
        at_once: int | None = None,
    ) -> None:
        self._repository = repository
        self._sandbox = sandbox
        self._provision = provision
        self._limits = limits
        self._folders = ExitStack()
        self._written: dict[Side, Path] = {}
        self._altered: dict[Side, tuple[AlteredFile, ...]] = {}
        self._changed: dict[Side, tuple[tuple[str, ...], dict[str, tuple[int, ...]]]] = {}
        self._writing = threading.Lock()
        self._stopped = threading.Event()
        # More programs than cores would only slow each other down.
        self._turns = threading.BoundedSemaphore(at_once or usable_cores())
        self._allowance = Allowance(None if budget_seconds is None else budget_seconds * 1000)

    @property
    def name(self) -> str:
        """Return the name of the sandbox."""
        return self._sandbox.name

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that programs can be written in here."""
        return installed_languages((*self._provision.search_path, *PROGRAM_FOLDERS))

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run a program in a copy of its own; its output is bounded and without secrets."""
        limits = self._limits if seconds is None else self._limits.model_copy(update={"seconds": seconds})
        try:
            if program.patch and side == "head":
                return self._run_patched(program, seconds)
            problem = self._problem(program, side)
            if problem:
                return ProgramRun(side=side, state="not_started", detail=problem)
            with watching(self._altered_at(side), *self._changed_at(side)) as watched:
                ended = self._run(program, side, limits, watched.folder)
                noticed = watched.noticed()
        except AffidavitError as error:
            return ProgramRun(side=side, state="not_started", detail=str(error))
        left = self._allowance.spend(ended.duration_ms)
        return _shown(ended, side, noticed).model_copy(update={"left_seconds": left})

    def beside(self, repository: Repository) -> "SandboxedSides":
        """Use the same sandbox and environment for another pair of trees; it closes with this one."""
        return self._folders.enter_context(self._beside(repository))

    def _beside(self, repository: Repository) -> "SandboxedSides":
        other = SandboxedSides(repository, self._sandbox, self._provision, self._limits)
        other._stopped, other._turns, other._allowance = self._stopped, self._turns, self._allowance
        return other

    def _run_patched(self, program: Program, seconds: float | None) -> ProgramRun:
        """Run a program at head with its patch; the patched copy is deleted afterwards."""
        if not isinstance(self._repository, GitRepository):
            raise InputError("there is no repository to apply a patch to")
        patched = patched_repository(self._repository, apply_patch(self._repository, program.patch))
        with self._beside(patched) as other:
            return other.run(program.model_copy(update={"patch": ""}), "head", seconds)

    def stop(self) -> None:
        """End what is running, and run nothing more."""
        self._stopped.set()

    def _problem(self, program: Program, side: Side) -> str:
        """Say why a program cannot run; empty if it can."""
        if self._stopped.is_set():
            return "the review was stopped"
        if self._allowance.left_ms is not None and self._allowance.left_ms <= 0:
            return "the time for programs is used up: allow more with --run-seconds"
        language = find_language(program.language)
        if language is None or language not in self.languages:
            return f"{program.language} cannot be run here; available: {', '.join(self.languages)}"
        if len(program.text) + sum(len(file.content) for file in program.files) > MAX_PROGRAM_BYTES:
            return f"a program has at most {MAX_PROGRAM_BYTES} characters with its files"
        tree = self._tree(side)
        entries = tree.entries()
        for path in (file_of(language, program.text), *(file.path for file in program.files)):
            if not is_safe_path(path):
                return f"{path}: no file can be added there"
            # A file that replaces code of the change would test the replacement.
            if path in entries:
                return f"{path} is part of the change's {side}: a program may add files, not replace them"
        hidden = next(filter(None, (shadows(file.path, tree) for file in program.files)), "")
        return f"{hidden} would be hidden: a program may add files, not replace them" if hidden else ""

    def _tree(self, side: Side) -> Tree:
        return self._repository.redacted.side(side)

    def _run(self, program: Program, side: Side, limits: RunLimits, watch: Path) -> Ended:
        language = find_language(program.language) or program.language
        file = file_of(language, program.text)
        with temporary_folder("added-") as added:
            added.chmod(0o755)
            for path, text in {
                file: program.text,
                **{one.path: one.content for one in program.files},
            }.items():
                (added / path).parent.mkdir(parents=True, exist_ok=True)
                (added / path).write_text(text, "utf-8", newline="")
            self._link(added, side)
            job = Job(
                command_of(language, file),
                self._folder(side),
                added,
                self._provision.mounts,
                self._variables(side),
                limits,
                stopped=self._stopped,
                watch=watch,
            )
            return self._in_turn(job)

    def _in_turn(self, job: Job) -> Ended:
        """Run a job when a slot is free; its own time begins then."""
        while not self._turns.acquire(timeout=LOOK_SECONDS):
            if self._stopped.is_set():
                return Ended("not_started", detail="the review was stopped")
        try:
            return self._sandbox.run(job)
        finally:
            self._turns.release()

    def _folder(self, side: Side) -> Path:
        with self._writing:
            if side not in self._written:
                folder = self._folders.enter_context(temporary_folder(f"{side}-"))
                folder.chmod(0o755)
                write_side(self._tree(side), folder)
                for place in (folder / path for path in version_files(self._tree("base"))):
                    # Head may have made a link of the file or of its folder.
                    if place.parent.resolve() == place.parent and not os.path.lexists(place):
                        place.parent.mkdir(parents=True, exist_ok=True)
                        place.write_text(VERSION_TEXT, "utf-8")
                self._written[side] = folder
            return self._written[side]

    def _altered_at(self, side: Side) -> tuple[AlteredFile, ...]:
        with self._writing:
            if side not in self._altered:
                self._altered[side] = altered_files(self._repository, side)
            return self._altered[side]

    def _changed_at(self, side: Side) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]]]:
        """Return the files of a side that differ, and their changed lines."""
        with self._writing:
            if side not in self._changed:
                tree, other = self._tree(side), self._tree("head" if side == "base" else "base")
                paths = tuple(sorted(differing(tree, other)))
                self._changed[side] = paths, changed_lines(tree, other, paths)
            return self._changed[side]

    def _link(self, added: Path, side: Side) -> None:
        taken = {path.split("/")[0] for path in self._tree(side).entries()}
        for name, target in self._provision.links:
            if name not in taken and not (added / name).exists():
                (added / name).symlink_to(target)

    def _variables(self, side: Side) -> Mapping[str, str]:
        entries = self._tree(side).entries()
        sources = [SIDE, *([f"{SIDE}/src"] if any(path.startswith("src/") for path in entries) else [])]
        given = dict(self._provision.variables)
        packages = [*sources, *filter(None, [given.pop("PYTHONPATH", "")])]
        own = {"PYTHONPATH": ":".join([WATCH, *packages])}
        if self._changed_at(side)[1]:
            own["NODE_OPTIONS"] = f"--require {WATCH}/{NODE_HOOK}"
        return {**base_variables(self._provision), **given, **own}

    def close(self) -> None:
        """Delete the copies."""
        self._folders.close()
        self._written.clear()


def _shown(ended: Ended, side: Side, noticed: Noticed) -> ProgramRun:
    is_full = noticed.is_full and ended.state == "exited"
    return ProgramRun(
        side=side,
        state="out_of_disk" if is_full else ended.state,
        exit_code=None if is_full else ended.exit_code,
        output=redact_text(ended.output.decode("utf-8", "replace").replace("\r\n", "\n")),
        duration_ms=ended.duration_ms,
        detail=redact_text(ended.detail),
        missing=noticed.missing,
        unreached=noticed.unreached,
        altered=noticed.altered,
        touched=noticed.touched,
        executed=noticed.executed,
    )
