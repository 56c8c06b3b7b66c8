"""Ask models for findings: one conversation for each group of lenses and chunk."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from typing import Any

from affidavit.agents.background import Page
from affidavit.agents.briefing import Briefing, lead_line
from affidavit.agents.chunks import shown_hunks, shown_line_count
from affidavit.agents.limits import LEVELS, Level, limits
from affidavit.agents.map_text import NOTHING, names_in
from affidavit.contract.schema import asked_schema
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.languages.test_files import is_test
from affidavit.minds.fence import Fence
from affidavit.ports import Case, Mind, Talk, ToolSource
from affidavit.prompts import QUOTING, PromptSet
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.touched import EXPERIMENTER
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import ToolUse
from affidavit.records.finding import Category, Finding, Severity
from affidavit.records.plan import Chunk, Plan
from affidavit.records.report import Answer, Gap, LanguageHere, Reply
from affidavit.records.settings_entries import Effort
from affidavit.tools.arguments import JoinedTools
from affidavit.tools.descriptions import DESCRIPTIONS
from affidavit.tools.programs import ProbeTools

PATH_KEY = "file_path"
DEPENDENCY = "dependency"
"""The side of an answer that was read from a package."""
MAX_PATHS = 1_000
"""Per recorded call; a search that finds more has not read each file."""


class WatchedTools:
    """Tools whose calls are recorded; calls may come from several threads."""

    def __init__(self, tools: ToolSource) -> None:
        self._tools = tools
        self.uses: list[ToolUse] = []

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """Return the descriptions of the watched tools."""
        return self._tools.descriptions

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        """Call the tool; a call with an error as its answer has read nothing."""
        answer = self._tools.call(name, arguments)
        if "error" not in answer:
            self.uses.append(_use(name, arguments, answer))
        return answer


def _use(name: str, arguments: object, answer: dict[str, Any]) -> ToolUse:
    read = tuple(dict.fromkeys(_paths_in(answer)))[:MAX_PATHS]
    if answer.get("branch") != DEPENDENCY:
        return ToolUse(tool=name, read=read, searched=_searched(arguments))
    # A file of a package may have the same path as a file of the repository.
    package = f"{answer.get('package')}@{answer.get('version')}"
    return ToolUse(tool=name, read=tuple(f"{package}:{path}" for path in read))


def _paths_in(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _paths_in(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key == PATH_KEY and isinstance(each, str):
                yield each
            else:
                yield from _paths_in(each)


def _searched(arguments: object) -> tuple[str, ...]:
    paths = arguments.get("paths") if isinstance(arguments, dict) else None
    return tuple(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()


LENSES = ("logic", "codebase-fit", "security", "quality")
SUBJECTS = {
    "logic": "what the altered code does wrong for which input or state",
    "codebase-fit": "what the change had to do elsewhere: callers, twins, contracts, registrations",
    "security": "what an outsider can send, and what they get",
    "quality": "failures, load, tests that cannot fail, sentences made false, compatibility",
    "triage": "whether what others commented is true",
    EXPERIMENTER: "what altered behaviour does on both sides when it is run",
}
"""The subject of each specialist in a line, for the planner."""
TOGETHER = (("logic", "codebase-fit"), ("quality", "security"))
"""Lenses that share a conversation, named by the first: they read the same code, and in trials the first
two found the same."""
ONE_LOOK_LINES, SHARED_LOOK_LINES = 120, 300
"""Up to this many changed lines one conversation uses all lenses, or two of them."""
SECOND_LOOK = "second-look"
TRIAGE = "triage"
REVIEW_SCHEMA_NAME = "review_result"
STRETCH_LINES = 40
PROSE = (".md", ".rst", ".txt", ".adoc")
MAX_SUMMARY_LENGTH = 240
MORE_EFFORT = "Review with --effort deep, or in smaller parts."
_DIFFERENCE = {name: {"type": "string"} for name in ("probe", "announced", "finding")}
DIFFERENCES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "differences": {
            "type": "array",
            "items": {"type": "object", "properties": _DIFFERENCE, "required": list(_DIFFERENCE)},
        }
    },
    "required": ["differences"],
}
"""What an experimenter returns besides its findings."""
IMPORT = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|using\s+[\w.:]+;|use\s+[\w:\\]+)")

MakeTools = Callable[[], ToolSource]


def asked_at_any_size(
    change: Change, languages: Iterable[LanguageHere] = (), effort: Effort = "normal"
) -> tuple[str, ...]:
    """Return the triage if others commented, and the experimenter if a language of changed code runs here."""
    running = {one.title for one in languages if one.runs}
    code = (file.path for file in change.reviewed_files() if not is_test(file.path))
    triage = (TRIAGE,) if change.discussion else ()
    is_running = any(grammar_of(path) and LANGUAGES.of(path).title in running for path in code)
    return (*triage, EXPERIMENTER) if is_running and LEVELS[effort].runs_experiments else triage


def looks(
    lenses: Sequence[str], changed_lines: int, level: Level = LEVELS["normal"]
) -> list[tuple[str, ...]]:
    """Group lenses into conversations, because each sends the whole change with every turn.

    Other specialists, such as the experimenter, look alone.
    """
    alone: list[tuple[str, ...]] = [(lens,) for lens in lenses if lens not in LENSES]
    reading = tuple(lens for lens in lenses if lens in LENSES)
    if level.is_together or (changed_lines <= ONE_LOOK_LINES and not level.is_apart):
        return [reading, *alone] if reading else alone
    is_shared = changed_lines <= SHARED_LOOK_LINES or not level.is_apart
    shared = TOGETHER if is_shared else [(lens,) for together in TOGETHER for lens in together]
    chosen = [tuple(lens for lens in together if lens in reading) for together in shared]
    return [*(together for together in chosen if together), *alone]


@dataclass(frozen=True)
class ModelAgent:
    """One specialist with a lens, looking at one chunk of the change."""

    lenses: tuple[str, ...]
    """Its lenses, in one conversation."""
    mind: Mind
    briefing: Briefing
    plan: Plan
    chunk: Chunk
    make_tools: MakeTools
    level: Level = LEVELS["normal"]
    reported: tuple[Finding, ...] = ()
    """Findings of others, for the second look."""
    in_order: tuple[str, ...] = ()
    """What they reported to be in order."""
    opened: frozenset[str] = frozenset()
    """What they read besides the diff."""
    page: Page | None = None
    """The comments of others, for the triage; the shared text has the first page."""
    page_number: int = 1
    kind: SpecialistKind = "model"

    @property
    def name(self) -> str:
        """Return the first lens; a chunk or a page of comments after the first adds its number."""
        named = self.lenses[0]
        if self.page_number > 1:
            return f"{named}@{self.chunk.number}.{self.page_number}"
        return named if self.chunk.number == 1 else f"{named}@{self.chunk.number}"

    def examines(self, file: FileChange) -> bool:
        """Check whether the chunk shows the file; the triage looks at comments, not at the diff."""
        return self.lenses != (TRIAGE,) and self._shown(file) in self.chunk.paths

    def _shown(self, file: FileChange) -> str:
        return self.briefing.repository.shown_name(file.path)

    async def examine(self, case: Case) -> Reply:
        """Hold the conversation, and report its result or failure."""
        started = time.monotonic()
        tools = WatchedTools(self.make_tools())
        bench = ProbeTools(case.runner, own_names(case.repository)) if case.runner else None
        offered = JoinedTools(tools, bench) if bench else tools
        talk = self.talk(offered, has_programs=bench is not None, has_dependencies=bool(case.dependencies))
        answer = await self.mind.converse(talk, case.emit)
        return Reply(
            specialist=self.name,
            kind=self.kind,
            text=answer.text,
            prompt_version=self.briefing.prompts.version,
            schema_version=self.briefing.prompts.schema_version,
            incomplete=_incomplete(self.name, answer),
            diagnostics=_diagnostics(self.name, answer),
            usage=(answer.usage,),
            chunk=self.chunk.number,
            uses=tuple(tools.uses),
            probes=bench.probes if bench else (),
            request=answer.request,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    def talk(
        self, tools: ToolSource | None, *, has_programs: bool = False, has_dependencies: bool = False
    ) -> Talk:
        """Write the talk; how to run programs or quote packages is part of it if that is possible."""
        prompts = self.briefing.prompts
        has_dependencies = has_dependencies and prompts.asks_for_programs
        has_programs = has_programs and prompts.asks_for_programs
        talk = Talk(
            speaker=self.name,
            instructions=instructions(self.briefing.fence, prompts)
            + (prompts.section(QUOTING) if has_dependencies else "")
            + (prompts.section("running") if has_programs else ""),
            prefix=self.briefing.change_text(self.chunk, self.plan),
            task=self._task(),
            schema=self._schema(has_programs=has_programs, has_dependencies=has_dependencies),
            schema_name=REVIEW_SCHEMA_NAME,
            tools=tools,
            repeatable=DESCRIPTIONS.keys(),
        )
        lines = shown_line_count(self.briefing.change, [self.chunk])
        rounds, tokens = limits(self.level, lines, talk, runs_programs=EXPERIMENTER in self.lenses)
        return replace(talk, max_turns=rounds, max_tokens=tokens)

    def _schema(self, **parts: bool) -> dict[str, Any]:
        prompts = self.briefing.prompts
        schema = asked_schema(prompts.schema_version, prompts.version, **parts)
        if EXPERIMENTER in self.lenses:
            schema["properties"]["meta"] = DIFFERENCES
        return schema

    def _task(self) -> str:
        return "\n".join(self._task_of(lens) for lens in self.lenses)

    def _task_of(self, lens: str) -> str:
        render, questions = self.briefing.prompts.render, self._questions(lens)
        if lens == TRIAGE:
            return render(TRIAGE, comments=self._comments(), questions=questions)
        if lens != SECOND_LOOK:
            return render(lens, questions=questions)
        wrap = self.briefing.fence.wrap
        # Duplicates of two lenses are one line here.
        reported = "\n".join(dict.fromkeys(map(_summary_of, self.reported))) or NOTHING
        in_order = "\n".join(f"- {one}" for one in self.in_order) or NOTHING
        return render(
            SECOND_LOOK,
            reported=wrap("reported", reported),
            uncovered=wrap("uncovered", "\n".join(self.uncovered()) or NOTHING),
            questions=questions,
            in_order=wrap("in_order", in_order),
        )

    def _comments(self) -> str:
        if self.page is None or self.page_number == 1:
            return "The comments are those above, under what other reviewers and tools have said."
        return "The comments are these:\n" + self.briefing.fence.wrap("discussion", self.page.text)

    def _questions(self, lens: str) -> str:
        asked = self.plan.questions.get(lens, ())
        if not asked:
            return ""
        listed = "\n".join(f"- {question}" for question in asked)
        return "Questions to begin with; do not end with them:\n" + self.briefing.fence.wrap(
            "questions", listed
        )

    def uncovered(self) -> list[str]:
        """List the stretches of the diff that no finding is about; files that nobody opened come first.

        Prose, imports and, beside other code, tests are left out.
        """
        spoken = [(finding.file, finding.lines) for finding in self.reported]
        lines = []
        files = [file for file in self.briefing.change.files if not file.path.endswith(PROSE)]
        shown = [file for file in files if not is_test(file.path)] or files
        for file in sorted(shown, key=lambda file: file.path in self.opened):
            for hunk in filterfalse(_only_imports, _stretches(shown_hunks(file, self.chunk))):
                first, last = hunk.new_start, hunk.new_start + max(hunk.new_count, 1) - 1
                if not any(
                    path == file.path and start <= last and first <= end for path, (start, end) in spoken
                ):
                    named = names_in(hunk, file, self.briefing.context.symbols)
                    lines.append(f"- {file.path} lines {first} to {last}" + (f": {named}" if named else ""))
        return lines


def _stretches(hunks: Iterable[Hunk]) -> Iterator[Hunk]:
    """Divide long hunks: a finding at one end of 200 lines says nothing of the other end."""
    for hunk in hunks:
        starts = range(0, len(hunk.lines), STRETCH_LINES)
        yield from (hunk.part(start, min(start + STRETCH_LINES, len(hunk.lines))) for start in starts)


def _only_imports(hunk: Hunk) -> bool:
    changed = [text for mark, _, _, text in hunk.numbered() if mark in "+-" and text.strip()]
    return all(map(IMPORT.match, changed))


def _summary_of(finding: Finding) -> str:
    """Return the first whole sentences of a finding, so that others can compare their own point."""
    sentences = re.split(r"(?<=[.!?])\s+", finding.message)
    said = sentences[0]
    for sentence in sentences[1:]:
        if len(said) + len(sentence) > MAX_SUMMARY_LENGTH:
            break
        said = f"{said} {sentence}"
    return f"{lead_line(finding)}. {said}"


def instructions(fence: Fence, prompts: PromptSet) -> str:
    """Write the instructions, which are the same for every specialist."""
    return prompts.render(
        "specialist",
        fence_rule=fence.rule,
        schema_version=prompts.schema_version,
        prompt_version=prompts.version,
        severities=", ".join(Severity),
        categories=", ".join(Category),
        confidences="high, medium, low",
    )


def _incomplete(name: str, answer: Answer) -> tuple[Gap, ...]:
    if answer.outcome != "answered":
        return (Gap(name=name, reason=answer.failure),)
    return (Gap(name=name, reason=answer.detail, advice=MORE_EFFORT),) if answer.detail else ()


def _diagnostics(name: str, answer: Answer) -> tuple[Diagnostic, ...]:
    if answer.outcome != "budget_exhausted":
        return ()
    return (Diagnostic(code=Reason.BUDGET_EXHAUSTED, detail=answer.detail, specialist=name),)
