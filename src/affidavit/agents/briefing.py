"""Write the parts of a change that models read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from affidavit.agents.background import (
    MEMORY_KEY,
    Page,
    comments_on,
    memory_of,
    pages_of,
)
from affidavit.agents.chunks import shown_hunks
from affidavit.agents.map_text import MAX_CALLER_LINES, NOTHING, Surroundings, map_text, symbols_text
from affidavit.context.instructions import instructions_for
from affidavit.diff.redacted import redact_findings
from affidavit.minds.fence import Fence
from affidavit.ports import Case, Repository
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.running.surroundings import told_to_models
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.context import ContextMap
from affidavit.records.finding import Finding
from affidavit.records.plan import Chunk, Plan
from affidavit.records.record import Side

ONE_COMMIT = "(one, with the title above)"
ALL_TOLD = "(the description has their messages)"
MAX_DESCRIPTION = 8_000
MAX_COMMITS = 30
MAX_CHANGED_FILES = 400
MAX_NAMED = 40
SURROUNDING_LINES = 20
SMALL_DIFF_LINES = 120
REACH_LINES = 60
LONG_HUNK_LINES = 400
MAX_WHOLE = 80
"""Lines of a definition that is shown whole around a quote."""
MAX_CAUSE_HUNKS = 6
MAX_VERIFIED_CALLER_LINES = 80
PART_OF_A_CHANGE = (
    "You see one part of a larger change. Before you say that the change lacks something, search for it at "
    "head: it may be in a part that you do not see."
)


@dataclass(frozen=True)
class Briefing:
    """Writes what models read about one change."""

    case: Case
    """The change as it may leave the machine."""
    fence: Fence
    context: ContextMap
    prompts: PromptSet = field(default_factory=current_prompts)
    leads: tuple[Finding, ...] = ()
    _texts: dict[tuple[Chunk | None, str], str] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def change(self) -> Change:
        """Return the change, redacted."""
        return self.case.change

    @property
    def repository(self) -> Repository:
        """Return both trees, redacted."""
        return self.case.repository

    def redacted(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return findings as models may read them."""
        return tuple(redact_findings(findings, self.repository))

    def with_leads(self, leads: Sequence[Finding]) -> "Briefing":
        """Add what the machine has found."""
        return replace(self, leads=self.redacted(leads))

    def planner_text(self, chunk: Chunk, plan: Plan) -> str:
        """Return what the planner reads of a chunk: without the code of callers."""
        return self._change_text(chunk, plan, max_caller_lines=0)

    def change_text(self, chunk: Chunk, plan: Plan) -> str:
        """Return the part that all specialists of a chunk share, word for word; it is written once."""
        key = (chunk, plan.model_dump_json(exclude={"questions"}))
        if key not in self._texts:
            self._texts[key] = self._change_text(chunk, plan)
        return self._texts[key]

    def comment_pages(self, chunk: Chunk, plan: Plan) -> list[Page]:
        """Return the comments of others on a chunk; its text has the first page."""
        return pages_of(comments_on(chunk, self.change.discussion, plan.chunks))

    def _change_text(self, chunk: Chunk, plan: Plan, max_caller_lines: int = MAX_CALLER_LINES) -> str:
        shown = [(file, shown_hunks(file, chunk)) for file in self.change.files if file.path in chunk.paths]
        instructed = self._fenced("project_instructions", self._instructions(chunk.paths) or NOTHING)
        has_surroundings = "surroundings" in self.prompts.templates
        around = Surroundings(self.context, self.repository, max_caller_lines)
        beside = around.beside([file for file, _ in shown]) if has_surroundings else {}
        change = self.prompts.render(
            "change",
            title=self._fenced("title", self.change.title or NOTHING),
            description=self._fenced("description", _cut(self.change.description, MAX_DESCRIPTION)),
            commits=self._fenced("commits", self._commits()),
            discussion=self._discussion(chunk, plan),
            changed_files=self.fence.wrap("changed_files", self.changed_files(chunk)),
            symbols=self._fenced("symbols", symbols_text(self.context.symbols)),
            related_files=self._fenced(
                "related_files", map_text(self.context, names_called=not has_surroundings)
            ),
            project_instructions=instructed,
            mechanical_findings=self._fenced("mechanical_findings", self._leads()),
            diff=self.fence.wrap("diff", _diffs(shown, beside)),
            not_shown=self._not_shown(chunk, plan),
        )
        if has_surroundings and (users := around.of(chunk.paths)):
            text = self.fence.wrap("surroundings", users)
            change += "\n" + self.prompts.render("surroundings", surroundings=text)
        change += self._programs()
        if self.case.earlier is not None:
            said, history = memory_of(self.case.earlier, self.case.scope)
            change += f"\n{said}{self.fence.wrap(MEMORY_KEY, history)}\n"
        if not plan.goal:
            return change
        wrap = self._fenced
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
        """Return the part that all verifier calls share; it is written once."""
        key = (None, plan.goal)
        if key not in self._texts:
            self._texts[key] = self._verifier_text(plan)
        return self._texts[key]

    def _verifier_text(self, plan: Plan) -> str:
        return self._programs() + self.prompts.render(
            "verifier-change",
            title=self._fenced("title", self.change.title or NOTHING),
            description=self._fenced("description", _cut(self.change.description, MAX_DESCRIPTION)),
            goal=self.fence.wrap("plan", plan.goal or NOTHING),
            changed_files=self.fence.wrap("changed_files", self.changed_files()),
        )

    def _programs(self) -> str:
        said = [told_to_models(one.words) for one in self.case.languages]
        return f"\nPrograms: {'; '.join(said)}\n" if said else ""

    def changed_files(self, chunk: Chunk | None = None) -> str:
        """Write a line for each file: path, status, size; of very many, those of the chunk come first."""
        files = self.change.files
        if len(files) > MAX_CHANGED_FILES:
            here = set(chunk.paths) if chunk else set()
            files = tuple(sorted(files, key=lambda file: file.path not in here))
        more = len(files) - MAX_CHANGED_FILES
        tail = [f"… and {more} more changed files, which are not named here"] if more > 0 else []
        return "\n".join([*map(_file_line, files[:MAX_CHANGED_FILES]), *tail])

    def quote_of(self, path: str, side: Side, start: int, end: int, around: int = SURROUNDING_LINES) -> str:
        """Write the numbered lines of a quote, with those around it."""
        lines = self.repository.side(side).lines(path) or []
        first, last = max(1, start - around), min(len(lines), end + around)
        numbered = "\n".join(f"{number}: {lines[number - 1]}" for number in range(first, last + 1))
        return self.fence.wrap("code", f"{path} at {side}\n{numbered}")

    def callers_of(self, finding: Finding) -> str:
        """Write who calls the definition around a finding."""
        around = Surroundings(self.context, self.repository, MAX_VERIFIED_CALLER_LINES)
        text = around.of_line(finding.file, finding.line) if finding.side == "head" else ""
        return "\n# Who uses it\n" + self.fence.wrap("surroundings", text) + "\n" if text else ""

    def claim_texts(self, finding: Finding) -> dict[str, str]:
        """Return what a finding claims, by the placeholders of the templates."""
        claim = {
            "finding_title": finding.title,
            "message": finding.message,
            "failing_input": finding.evidence.failing_input,
            "wrong_outcome": finding.evidence.wrong_outcome,
            "suggestion": finding.suggestion,
        }
        fenced = {name: self.fence.wrap("claim", text or NOTHING) for name, text in claim.items()}
        return {"severity": finding.severity, "category": finding.category, **fenced}

    def shows_around(self, finding: Finding) -> bool:
        """Check whether a finding's hunks can be shown with the code around its quote, each line once."""
        file = next((file for file in self.change.files if file.path == finding.file), None)
        return file is not None and finding.side == "head" and bool(file.hunks) and not file.is_partial

    def hunks_for(self, finding: Finding, quoted: tuple[int, int] | None = None) -> str:
        """Write the hunks near a finding's lines, and those of its cause.

        If its quote is given, the lines around it and its definition are shown among them.
        """
        cause = finding.evidence.caused_by
        wanted = [file for file in self.change.files if finding.file in (file.path, file.old_path)]
        near = [(file, _near(file, finding)) for file in wanted]
        if cause:
            near += [
                (file, _naming(file, cause.symbol))
                for file in self.change.files
                if file.path == cause.file != finding.file
            ]
        beside = {finding.file: self._around(finding.file, *quoted)} if quoted else {}
        texts = _diffs([(file, hunks) for file, hunks in near if hunks], beside)
        return self.fence.wrap("diff", texts or "(the finding's file has no hunk)")

    def _around(self, path: str, start: int, end: int) -> dict[int, str]:
        """Return the lines around a quote that no hunk of its file has: a definition whole, if it fits."""
        lines = self.repository.head.lines(path) or []
        first, last = start - SURROUNDING_LINES, end + SURROUNDING_LINES
        for change in self.context.symbols:
            one = change.head
            if one and one.path == path and one.line <= start and end <= one.end_line <= one.line + MAX_WHOLE:
                first, last = min(first, one.line), max(last, one.end_line)
        wanted = range(max(1, first), min(len(lines), last) + 1)
        shown = {
            new
            for file in self.change.files
            if file.path == path
            for hunk in file.hunks
            for _, _, new, _ in hunk.numbered()
        }
        return {number: lines[number - 1] for number in wanted if number not in shown}

    def _fenced(self, label: str, text: str) -> str:
        """Fence a text, unless we say that there is none."""
        return text if text in (NOTHING, ONE_COMMIT, ALL_TOLD) else self.fence.wrap(label, text)

    def _commits(self) -> str:
        earlier = len(self.change.commits) - MAX_COMMITS
        head = [f"({earlier} earlier commits are not shown)"] if earlier > 0 else []
        commits = self.change.commits[-MAX_COMMITS:]
        if len(commits) == 1 and commits[0].subject == self.change.title and self._is_told(commits[0].body):
            return ONE_COMMIT
        lines = [
            _cut(f"- {one.subject}\n{self._without_repetition(one.body)}".strip(), 1_500)
            for one in commits
            if not (self._is_told(one.subject) and self._is_told(one.body))
        ]
        return "\n".join([*head, *lines]) or (ALL_TOLD if commits else NOTHING)

    def _without_repetition(self, body: str) -> str:
        """Return the body of a commit, unless it is the description of the change."""
        return "" if self._is_told(body) else body

    def _is_told(self, body: str) -> bool:
        """Check whether the description has these words; forges end and break lines otherwise."""
        words, told = " ".join(body.split()), " ".join(self.change.description.split())
        return f" {words} ".replace("  ", " ") in f" {told} "

    def _discussion(self, chunk: Chunk, plan: Plan) -> str:
        """Return the first page of comments; only the triage reads the others."""
        pages = self.comment_pages(chunk, plan)
        if not pages:
            return NOTHING
        here = pages[0]
        more = len(self.change.discussion) - len(here.numbers)
        note = f"\n{more} more comments are handled elsewhere." if more > 0 else ""
        return self.fence.wrap("discussion", here.text) + note

    def _not_shown(self, chunk: Chunk, plan: Plan) -> str:
        """Say what of the change the reader of a chunk does not see, and what nobody sees."""
        others = [file.path for file in self.change.reviewed_files() if file.path not in chunk.paths]
        cut = list(dict.fromkeys(piece.path for piece in chunk.pieces))
        said = [("Not in this part of the diff, but changed too", others)]
        said.append(("Shown here in part only; the rest is in other parts of the diff", cut))
        said.append(("Shown to nobody", list(plan.not_shown)))
        lines = [f"{what}:\n{self.fence.wrap('not_shown', _listed(names))}" for what, names in said if names]
        if len(plan.chunks) > 1:
            lines.append(PART_OF_A_CHANGE)
        return "\n".join(lines)

    def _instructions(self, paths: Sequence[str]) -> str:
        return instructions_for(self.repository.excusing, paths).text

    def guidance(self) -> str:
        """Write for verifiers what the team's instructions say about the whole change; it is written once."""
        key = (None, "guidance")
        if key not in self._texts:
            text = self._instructions([file.path for file in self.change.reviewed_files()])
            self._texts[key] = text and self.prompts.render(
                "verifier-instructions", project_instructions=self.fence.wrap("project_instructions", text)
            )
        return self._texts[key]

    def _leads(self) -> str:
        return "\n".join(lead_line(finding) for finding in self.leads) or NOTHING


def _listed(names: list[str]) -> str:
    more = [f"… and {len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return "\n".join([*names[:MAX_NAMED], *more])


def lead_line(finding: Finding) -> str:
    """Write a finding in one line."""
    rule = f" {finding.rule_id}" if finding.rule_id else ""
    return f"- {finding.file}:{finding.line} {finding.severity}{rule}: {finding.title}"


def _diffs(shown: Iterable[tuple[FileChange, list[Hunk]]], beside: Mapping[str, Mapping[int, str]]) -> str:
    return "\n\n".join(diff_of(file, hunks, beside.get(file.path)) for file, hunks in shown)


def diff_of(
    file: FileChange, hunks: Iterable[Hunk] | None = None, beside: Mapping[int, str] | None = None
) -> str:
    """Write a file's hunks with marks and line numbers, and further lines beside them."""
    shown = file.hunks if hunks is None else hunks
    parts = [(hunk.new_start, _hunk_text(hunk)) for hunk in shown]
    parts += [(number, f" {number}: {text.rstrip()}") for number, text in (beside or {}).items()]
    return "\n".join([f"=== {_file_line(file)}", *(text for _, text in sorted(parts, key=itemgetter(0)))])


def _hunk_text(hunk: Hunk) -> str:
    lines = [
        f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@ {hunk.heading}".rstrip()
    ]
    for mark, old, new, text in hunk.numbered():
        lines.append(f"{mark}{old if mark == '-' else new}: {text.rstrip()}")
    return "\n".join(lines)


def _file_line(file: FileChange) -> str:
    marks = [line[0] for hunk in file.hunks for line in hunk.lines]
    added, removed = marks.count("+"), marks.count("-")
    was = f" (was {file.old_path})" if file.old_path and file.old_path != file.path else ""
    skipped = f", not reviewed: {file.skipped}" if file.skipped else ""
    link = ", a link" if file.is_link else ""
    return f"{file.path}{was} [{file.status}{link}, +{added} -{removed}{skipped}]"


def _near(file: FileChange, finding: Finding) -> list[Hunk]:
    """Return the hunks within reach of the finding's lines; all hunks of a small file."""
    if sum(len(hunk.lines) for hunk in file.hunks) <= SMALL_DIFF_LINES:
        return list(file.hunks)
    start, end = finding.lines
    parts = [_window(hunk, finding.side, start - REACH_LINES, end + REACH_LINES) for hunk in file.hunks]
    near = [part for part in parts if part is not None]
    return near or [hunk.part(0, SMALL_DIFF_LINES) for hunk in file.hunks[:1]]


def _window(hunk: Hunk, side: Side, first: int, last: int) -> Hunk | None:
    """Return the hunk if some of its lines are between the two; of a long one, only those lines."""
    within = [
        index
        for index, (_, old, new, _) in enumerate(hunk.numbered())
        if first <= ((new if side == "head" else old) or 0) <= last
    ]
    if not within:
        return None
    return hunk if len(hunk.lines) <= LONG_HUNK_LINES else hunk.part(within[0], within[-1] + 1)


def _naming(file: FileChange, symbol: str) -> list[Hunk]:
    """Return the hunks that name the symbol of a cause, or the first; of long ones, a part."""
    name = re.split(r"[.:#]+", symbol)[-1].strip("() ")
    hunks = [hunk for hunk in file.hunks if name and any(name in line for line in hunk.lines)]
    return [_around(hunk, name) for hunk in (hunks or file.hunks[:1])[:MAX_CAUSE_HUNKS]]


def _around(hunk: Hunk, name: str) -> Hunk:
    if len(hunk.lines) <= LONG_HUNK_LINES:
        return hunk
    at = next((index for index, line in enumerate(hunk.lines) if name and name in line), 0)
    return hunk.part(max(0, at - REACH_LINES), at + REACH_LINES)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text or NOTHING
    return text[:most] + f"\n[cut: {len(text) - most} more characters]"
