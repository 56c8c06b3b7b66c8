"""Whole reviews of fixed changes by a scripted mind: what each role would be sent, in tokens.

`python scripted_review.py REPOSITORY COMMIT…` runs with whatever version of Affidavit stands on the path, and
prints JSON. Nothing here depends on that version but the names it has always had.
"""

import ast
import asyncio
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

BYTES_A_TOKEN = 4
LENSES = ("logic", "codebase-fit", "security", "quality")
HEADINGS = {
    "# Your task: logic": "logic",
    "# Your task: fit with": "codebase-fit",
    "# Your task: security": "security",
    "# Your task: reliability": "quality",
    "# Your task: a second look": "second-look",
}
FINDERS = {"logic": (0, 1), "codebase-fit": (0, 2), "quality": (1, 3)}
"""Which problems each lens reports; two lenses that see the same one tell it alike."""
MAX_DEFINITIONS = 3
MAX_READ = 120
NEAR = 40
PROBLEMS = (
    (
        "What is stored belongs to the call before",
        "The value is taken before the check above has run, so a caller that passes an empty list gets the "
        "result of the call before, and what it keeps is wrong until the process is started again.",
        "Take the value after the check, and keep it only where the check held.",
    ),
    (
        "A second thread sees half of the table",
        "Rows are published one by one while readers iterate without a lock: under load somebody counts "
        "fewer orders than there are, and the report of that hour is too low for good.",
        "Build the new table aside and exchange it in one assignment.",
    ),
    (
        "Windows paths are cut at their drive letter",
        "Splitting at the first colon was made for POSIX names. With C:\\data the folder becomes C and the "
        "archive is written beside the program, where the next update deletes it.",
        "Split with os.path.splitdrive before looking for the colon.",
    ),
    (
        "The test passes when nothing is raised",
        "assertRaises stands inside the loop over an empty fixture, thus no iteration runs and the suite is "
        "green although the exception was removed by this very change.",
        "Assert that the fixture has entries, or name them in the test.",
    ),
)

Call = tuple[str, dict[str, Any]]


class Stretch(NamedTuple):
    """Some lines of a file at head."""

    path: str
    first: int
    last: int


@dataclass(frozen=True)
class Interest:
    """What minds want to know of a change, and what they find: read off its commit, by no version's code."""

    around: tuple[Stretch, ...]
    """The definitions around its hunks."""
    altered: tuple[str, ...]
    called: tuple[str, ...]
    problems: tuple[Stretch, ...]

    def steps(self, lens: str) -> list[list[Call]]:
        """The calls of one lens, turn by turn: what is asked for at once stands together."""
        read = [_read(one) for one in self.around[:MAX_DEFINITIONS]]
        uses: list[Call] = [("find_references", {"symbol": name}) for name in self.altered[:2]]
        bodies: list[Call] = [("find_definition", {"symbol": name}) for name in self.called[:2]]
        texts: list[Call] = [("search", {"pattern": name, "context_lines": 2}) for name in self.called[:1]]
        return {
            "planner": [read[:1]],
            "logic": [read, bodies],
            "codebase-fit": [[*read[:1], *uses], texts],
            "security": [read, uses[:1]],
            "quality": [read, uses[:1]],
            "second-look": [read[-1:], uses],
        }[lens]


def _read(one: Stretch, side: str = "head") -> Call:
    lines = {"start_line": one.first, "end_line": min(one.last, one.first + MAX_READ)}
    return "get_file_context", {"file_path": one.path, **lines, "branch": side}


def interest_in(repository: Path, commit: str) -> Interest:
    """What there is to know: source before tests, in the order of the diff."""
    diff = _git(repository, "diff", "-U0", f"{commit}^", commit, "--", "*.py")
    hunks: list[Stretch] = []
    added: list[str] = []
    path = ""
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif found := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            count = int(found[2] or 1)
            hunks += [Stretch(path, int(found[1]), int(found[1]) + count - 1)] if count else []
        elif line.startswith("+") and not path.startswith("tests/"):
            added.append(line[1:])
    hunks.sort(key=lambda one: one.path.startswith("tests/"))
    around = [_enclosing(repository, commit, hunk) for hunk in hunks]
    known = dict.fromkeys(re.findall(r"\b([a-z_]{5,})\(", "\n".join(added)))
    return Interest(
        around=tuple(dict.fromkeys(one for one, _ in around)),
        altered=tuple(dict.fromkeys(name for _, name in around if name)),
        called=tuple(known),
        problems=tuple(hunks),
    )


def _enclosing(repository: Path, commit: str, hunk: Stretch) -> tuple[Stretch, str]:
    """The function or class around a hunk and its name; else some lines around it."""
    text = _git(repository, "show", f"{commit}:{hunk.path}")
    best: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None = None
    for node in ast.walk(ast.parse(text)):
        is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if is_definition and node.lineno <= hunk.first and hunk.last <= (node.end_lineno or 0):
            best = node
    if best is None or (best.end_lineno or 0) - best.lineno > MAX_READ:
        return Stretch(hunk.path, max(1, hunk.first - NEAR // 2), hunk.last + NEAR // 2), ""
    return Stretch(hunk.path, best.lineno, best.end_lineno or best.lineno), best.name


@dataclass
class ScriptedMind:
    """Asks for what it wants to know, turn by turn, answers by its script, and counts what it was sent."""

    role: Any
    interest: Interest
    lines: dict[str, list[str]]
    asks_again: bool
    """Whether it asks for code that it was given already."""
    model: str = "scripted"
    sent: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))

    async def converse(self, talk: Any, _emit: Any) -> Any:
        """One conversation: each request repeats all before it."""
        from affidavit.records.report import Answer, RoleUsage  # noqa: PLC0415

        opening = _opening(talk)
        size, requests, total = len(opening.encode()), 1, len(opening.encode())
        for step in self._steps(talk):
            wanted = [(call, text) for call in step if (text := self._new(talk, call, opening)) is not None]
            if not wanted:
                continue
            size += sum(len((json.dumps(call) + text).encode()) for call, text in wanted)
            requests, total = requests + 1, total + size
            opening += "".join(text for _, text in wanted)
        count = self.sent[str(self.role)]
        count[0], count[1], count[2] = count[0] + 1, count[1] + requests, count[2] + total // BYTES_A_TOKEN
        usage = RoleUsage(role=self.role, model=self.model)
        return Answer(outcome="answered", text=json.dumps(self._answer(talk)), usage=usage)

    def _steps(self, talk: Any) -> list[list[Call]]:
        if talk.tools is None:
            return []
        offered = {one["function"]["name"] for one in talk.tools.descriptions}
        if self.role == "verifier":
            found = re.search(r"- file: (?:<<<[^\n]*\n)?([^\n]+)[\s\S]*?- line: (\d+)", talk.task)
            place = next(
                one
                for one in self.interest.problems
                if found and one.path == found[1] and one.first == int(found[2])
            )
            here = next(
                one
                for one in self.interest.around
                if one.path == place.path and one.first <= place.first <= one.last
            )
            return [[_read(here), _read(here, "base")]]
        named = [self.role] if self.role == "planner" else _lenses_of(talk)
        several = [self.interest.steps(lens) for lens in named]
        turns = max((len(steps) for steps in several), default=0)
        joined = [
            [call for steps in several for call in steps[turn : turn + 1][0:1]] for turn in range(turns)
        ]
        flat = [[call for calls in turn for call in calls if call[0] in offered] for turn in joined]
        return [_distinct(calls) for calls in flat]

    def _new(self, talk: Any, call: Call, known: str) -> str | None:
        """What the tool answers; None where its lines were given before."""
        answer = talk.tools.call(*call)
        text = _written(answer)
        content = answer.get("content")
        if self.asks_again or not isinstance(content, str):
            return text
        bare = [line.partition(": ")[2].strip() for line in content.split("\n")]
        return text if any(line and line not in known for line in bare) else None

    def _answer(self, talk: Any) -> dict[str, Any]:
        if talk.schema_name == "review_plan":
            questions = {lens: [f"What does {lens} say of this?"] * 2 for lens in FINDERS}
            return {"goal": "This change is trying to do better", "questions": questions}
        if talk.schema_name == "review_result":
            found = [number for lens in _lenses_of(talk) for number in FINDERS.get(lens, ())]
            problems = [one for one in dict.fromkeys(found) if one < len(self.interest.problems)]
            versions = {key: _constant(talk.schema, key) for key in ("schema_version", "prompt_version")}
            return {**versions, "findings": [self._finding(number) for number in problems]}
        if talk.schema_name == "verification_judgment":
            said = {"scenario": "differs", "judgment": "CONFIRMED", "qualified": False, "worth": "act"}
            said |= {"severity": "medium", "reason": "the line shows it"}
            return {key: said[key] for key in talk.schema["properties"]}
        if "groups" in talk.schema["properties"]:
            found = re.findall(r"\[([\w@.+-]+-\d+)\] [^\n]*\ntitle: ([^\n]+)", talk.task)
            groups: dict[str, list[str]] = defaultdict(list)
            for name, title in found:
                groups[title].append(name)
            return {"groups": [{"cause": cause, "findings": names} for cause, names in groups.items()]}
        return {"summary": "It does better.", "positive_notes": [], "shorter": [], "recommendations": []}

    def _finding(self, number: int) -> dict[str, Any]:
        place = self.interest.problems[number]
        quoted = self.lines[place.path][place.first - 1 : place.first + 2]
        title, message, suggestion = PROBLEMS[number]
        return {
            "id": str(number),
            "severity": "medium",
            "category": "correctness",
            "title": title,
            "file": place.path,
            "line": place.first,
            "message": message,
            "suggestion": suggestion,
            "verification": {
                "code_examined": "\n".join(quoted),
                "line_range_examined": [place.first, place.first + 2],
                "verification_method": "read the function and those who call it",
                "checked_for_handling_elsewhere": True,
                "failing_input": title.lower(),
                "wrong_outcome": message[:60],
            },
        }


def _lenses_of(talk: Any) -> list[str]:
    return [lens for heading, lens in HEADINGS.items() if heading in talk.task]


def _distinct(calls: list[Call]) -> list[Call]:
    return list({json.dumps(call, sort_keys=True): call for call in calls}.values())


def _constant(schema: dict[str, Any], key: str) -> str:
    """A version: the schema's own constant, or what its prompts name."""
    from affidavit.prompts import current_prompts  # noqa: PLC0415

    held = schema["properties"][key].get("enum")
    if held:
        return str(held[0])
    return current_prompts().version if key == "prompt_version" else current_prompts().schema_version


def _opening(talk: Any) -> str:
    tools = talk.tools.descriptions if talk.tools else []
    described = [json.dumps(one, ensure_ascii=False) for one in (talk.schema, tools)]
    return "\n".join((talk.instructions, *described, talk.prefix, talk.task))


def _written(answer: dict[str, Any]) -> str:
    """As a model of this version reads it."""
    try:
        from affidavit.minds.wire.tool_text import written  # noqa: PLC0415
    except ImportError:
        return json.dumps(answer, ensure_ascii=False)
    return written(answer)


def measure(repository: Path, commit: str, *, asks_again: bool) -> dict[str, list[int]]:
    """Conversations, requests and tokens of each role in one review."""
    from affidavit.config.settings import Settings  # noqa: PLC0415
    from affidavit.pipeline import review  # noqa: PLC0415
    from affidavit.reviewing.panel import assemble_panel  # noqa: PLC0415
    from affidavit.stages.looking.intake import ChangeRequest, open_change  # noqa: PLC0415
    from affidavit.stages.looking.review import Crew  # noqa: PLC0415

    interest = interest_in(repository, commit)
    texts = {one.path: _git(repository, "show", f"{commit}:{one.path}") for one in interest.problems}
    lines = {path: text.split("\n") for path, text in texts.items()}
    roles = ("planner", "specialist", "joiner", "verifier", "reporter")
    minds: dict[Any, Any] = {role: ScriptedMind(role, interest, lines, asks_again) for role in roles}
    with open_change(ChangeRequest(target=f"{commit}^..{commit}", repo=repository)) as opened:
        crew = Crew((), assemble_panel(minds, None))
        asyncio.run(review(opened.change, opened.repository, Settings(), crew))
    return {role: list(mind.sent[role]) for role, mind in minds.items()}


def _git(repository: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=repository, check=True, capture_output=True, text=True)
    return done.stdout


def main() -> None:
    """Each commit, with a mind that reads nothing twice and with one that makes the same calls always."""
    repository, commits = Path(sys.argv[1]), sys.argv[2:]
    print(
        json.dumps(
            {
                name: {commit: measure(repository, commit, asks_again=again) for commit in commits}
                for name, again in (("needed", False), ("same", True))
            }
        )
    )


if __name__ == "__main__":
    main()
