"""The text that models read of a change: numbered diff, files, map and leads, all of it fenced as data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from affidavit.ports import Repository
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.context import ContextMap, SymbolChange
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.record import Side

NOTHING = "(none)"
MAX_DESCRIPTION = 8_000
MAX_COMMITS = 30
MAX_SYMBOLS = 80
MAX_INSTRUCTIONS = 12_000
SURROUNDING_LINES = 20
INSTRUCTION_FILES = (".affidavit/instructions.md", "AGENTS.md", "CLAUDE.md")


class Fence(Protocol):
    """Marks around text of a change, so that a model takes it for data."""

    @property
    def rule(self) -> str:
        """The sentence that explains the marks."""

    def wrap(self, label: str, text: str) -> str: ...


@dataclass(frozen=True)
class Briefing:
    """Writes what models are told about one change."""

    change: Change
    repository: Repository
    fence: Fence
    context: ContextMap
    leads: tuple[Finding, ...] = ()
    prompts: PromptSet = field(default_factory=current_prompts)

    def change_text(self, paths: Sequence[str], plan: Plan) -> str:
        """The part that all specialists of a chunk share, word for word."""
        shown = [file for file in self.change.files if file.path in set(paths)]
        not_here = [file.path for file in self.change.reviewed_files() if file not in shown]
        about = [f"Not in this part of the diff, but changed too: {', '.join(not_here)}."] if not_here else []
        change = self.prompts.render(
            "change",
            title=self.fence.wrap("title", self.change.title or NOTHING),
            description=self.fence.wrap("description", _cut(self.change.description, MAX_DESCRIPTION)),
            commits=self.fence.wrap("commits", self._commits()),
            discussion=NOTHING,
            changed_files=self.fence.wrap("changed_files", self.changed_files()),
            symbols=self.fence.wrap("symbols", self._symbols()),
            related_files=self.fence.wrap("related_files", self._related()),
            project_instructions=self.fence.wrap("project_instructions", self._instructions()),
            mechanical_findings=self.fence.wrap("mechanical_findings", self._leads()),
            diff=self.fence.wrap("diff", "\n\n".join(diff_of(file) for file in shown)),
            not_shown="\n".join([*about, *plan.not_shown]),
        )
        if not plan.goal:
            return change
        wrap = self.fence.wrap
        return (
            change
            + "\n"
            + self.prompts.render(
                "plan",
                goal=wrap("plan", plan.goal),
                approach=wrap("plan", plan.approach or NOTHING),
                impact=wrap("plan", plan.impact or NOTHING),
            )
        )

    def verifier_text(self, plan: Plan) -> str:
        """The part that all verifier calls share."""
        return self.prompts.render(
            "verifier-change",
            title=self.fence.wrap("title", self.change.title or NOTHING),
            description=self.fence.wrap("description", _cut(self.change.description, MAX_DESCRIPTION)),
            goal=self.fence.wrap("plan", plan.goal or NOTHING),
            changed_files=self.fence.wrap("changed_files", self.changed_files()),
        )

    def changed_files(self) -> str:
        """One line a file: path, what happened, size."""
        return "\n".join(_file_line(file) for file in self.change.files)

    def quote_of(self, path: str, side: Side, start: int, end: int) -> str:
        """Numbered lines around a quote."""
        lines = self.repository.side(side).lines(path) or []
        first, last = max(1, start - SURROUNDING_LINES), min(len(lines), end + SURROUNDING_LINES)
        numbered = "\n".join(f"{number}: {lines[number - 1]}" for number in range(first, last + 1))
        return self.fence.wrap("code", f"{path} at {side}\n{numbered}")

    def hunks_for(self, finding: Finding) -> str:
        """The hunks that a finding speaks of: those near its lines, and those of its cause."""
        cause = finding.verification.caused_by if finding.verification else None
        wanted = [file for file in self.change.files if finding.file in (file.path, file.old_path)]
        near = [(file, _near(file, finding)) for file in wanted]
        if cause:
            near += [
                (file, list(file.hunks))
                for file in self.change.files
                if file.path == cause.file != finding.file
            ]
        texts = [diff_of(file, hunks) for file, hunks in near if hunks]
        return self.fence.wrap("diff", "\n\n".join(texts) or "(the finding's file has no hunk)")

    def _commits(self) -> str:
        commits = self.change.commits[-MAX_COMMITS:]
        return "\n".join(_cut(f"- {one.subject}\n{one.body}".strip(), 1_500) for one in commits) or NOTHING

    def _symbols(self) -> str:
        lines = [_symbol_line(symbol) for symbol in self.context.symbols]
        more = [f"… and {len(lines) - MAX_SYMBOLS} more"] if len(lines) > MAX_SYMBOLS else []
        return "\n".join([*lines[:MAX_SYMBOLS], *more]) or NOTHING

    def _related(self) -> str:
        lines = [
            f"- {file.path}: " + "; ".join(reason.detail for reason in file.reasons)
            for file in self.context.related_files
        ]
        return "\n".join([*lines, *self.context.left_out]) or NOTHING

    def _instructions(self) -> str:
        texts = []
        for path in INSTRUCTION_FILES:
            lines = self.repository.base.lines(path)
            if lines:
                texts.append(f"[{path}]\n" + "\n".join(lines))
        return _cut("\n\n".join(texts), MAX_INSTRUCTIONS) or NOTHING

    def _leads(self) -> str:
        return "\n".join(lead_line(finding) for finding in self.leads) or NOTHING


def lead_line(finding: Finding) -> str:
    """One finding in one line."""
    return f"- {finding.file}:{finding.line} {finding.severity} {finding.rule_id or ''}: {finding.title}"


def diff_of(file: FileChange, hunks: Iterable[Hunk] | None = None) -> str:
    """A file's hunks with marks and line numbers."""
    shown = file.hunks if hunks is None else hunks
    return "\n".join([f"=== {_file_line(file)}", *(_hunk_text(hunk) for hunk in shown)])


def _hunk_text(hunk: Hunk) -> str:
    lines = [
        f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@ {hunk.heading}".rstrip()
    ]
    for mark, old, new, text in hunk.numbered():
        lines.append(f"{mark}{old if mark == '-' else new}: {text.rstrip()}")
    return "\n".join(lines)


def _file_line(file: FileChange) -> str:
    added, removed = len(file.changed_lines("head")), len(file.changed_lines("base"))
    was = f" (was {file.old_path})" if file.old_path and file.old_path != file.path else ""
    skipped = f", not reviewed: {file.skipped}" if file.skipped else ""
    return f"{file.path}{was} [{file.status}, +{added} -{removed}{skipped}]"


def _symbol_line(change: SymbolChange) -> str:
    symbol = change.head or change.base
    if symbol is None:
        return ""
    was = (
        f"; before: {change.base.signature}" if change.fate in ("resigned", "renamed") and change.base else ""
    )
    place = f"{symbol.path}:{symbol.line}"
    return f"- {change.fate}: {symbol.kind} {symbol.qualified} ({place}) {symbol.signature}{was}"


def _near(file: FileChange, finding: Finding) -> list[Hunk]:
    """The hunks within reach of the finding's lines; all of a small file's hunks."""
    if sum(len(hunk.lines) for hunk in file.hunks) <= 120:
        return list(file.hunks)
    start, end = finding.lines
    near = []
    for hunk in file.hunks:
        first, count = (
            (hunk.new_start, hunk.new_count) if finding.side == "head" else (hunk.old_start, hunk.old_count)
        )
        if first - 60 <= end and start <= first + count + 60:
            near.append(hunk)
    return near or list(file.hunks[:1])


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text or NOTHING
    return text[:most] + f"\n[cut: {len(text) - most} more characters]"
