"""`python -m bench recorded [REPORT FOLDER …]`: compare what recorded reviews sent with the estimate.

REPORT is a native report, FOLDER what `--record` wrote for it; without either, show the kept runs.
`--add` adds the runs to `recorded_runs.json`, on which the estimate is fitted and tested.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from affidavit.agents.verifier import CLAIM
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.ports import Role
from affidavit.records.report import Report
from affidavit.reviewing.cost import FINDINGS_PER_CONVERSATION, sent_tokens

KEPT = Path(__file__).parent / "recorded_runs.json"
SHORT = 10


@dataclass(frozen=True)
class RecordedRole:
    """What one role sent in one review."""

    role: Role
    conversations: int
    opening_tokens: int
    """Of the first request of a conversation, on average."""
    requests: int
    input_tokens: int


@dataclass(frozen=True)
class RecordedRun:
    """One review that was recorded whole."""

    change: str
    changed_lines: int
    roles: tuple[RecordedRole, ...]

    @property
    def input_tokens(self) -> int:
        """All that was sent."""
        return sum(one.input_tokens for one in self.roles)

    def role(self, name: Role) -> RecordedRole | None:
        """What a role sent; None where it was not asked."""
        return next((one for one in self.roles if one.role == name), None)


@cache
def recorded_runs() -> tuple[RecordedRun, ...]:
    """Return the kept runs; `--add` adds one."""
    return tuple(_run(one) for one in json.loads(KEPT.read_text("utf-8")))


def _run(kept: Mapping[str, Any]) -> RecordedRun:
    roles = tuple(RecordedRole(**one) for one in kept["roles"])
    return RecordedRun(kept["change"], kept["changed_lines"], roles)


def foretold(run: RecordedRun) -> int:
    """What the estimate says of a run, from the first requests of its conversations alone."""
    looked, judged = run.role("specialist"), run.role("verifier")
    to_judge = FINDINGS_PER_CONVERSATION * looked.conversations if looked and judged else 0
    others = sum(
        sent_tokens(one.role, [one.opening_tokens] * one.conversations)
        for one in run.roles
        if one.role != "verifier"
    )
    return others + (sent_tokens("verifier", [judged.opening_tokens] * to_judge) if judged else 0)


def runs_within(factor: float) -> list[RecordedRun]:
    """Those that sent at least this part and at most this multiple of what is foretold for them."""
    return [run for run in recorded_runs() if 1 / factor <= foretold(run) / run.input_tokens <= factor]


def run_of(change: str, changed_lines: int, exchanges: Iterable[Mapping[str, Any]]) -> RecordedRun:
    """A run from the exchanges of a folder that `--record` has written; whether a verifier answers at all
    is asked in a few words and not counted.
    """
    kept = [
        one for one in exchanges if "usage" in one and CLAIM not in json.dumps(one["request"]["messages"])
    ]
    roles: dict[Role, None] = dict.fromkeys(one["usage"]["role"] for one in kept)
    return RecordedRun(change, changed_lines, tuple(_role(role, kept) for role in roles))


def _role(role: Role, exchanges: Iterable[Mapping[str, Any]]) -> RecordedRole:
    own = [one for one in exchanges if one["usage"]["role"] == role]
    # Only the first request of a conversation is kept with its instructions.
    first = [one["usage"]["input_tokens"] for one in own if "instructions" in one["request"]]
    sent = sum(one["usage"]["input_tokens"] for one in own)
    requests = sum(one["usage"]["requests"] for one in own)
    return RecordedRole(role, len(first), round(sum(first) / max(1, len(first))), requests, sent)


def written(runs: Iterable[RecordedRun]) -> str:
    """Runs as the file keeps them, one role a line."""
    return "[\n" + ",\n".join(_written(one) for one in runs) + "\n]\n"


def _written(run: RecordedRun) -> str:
    roles = ",\n".join(f"   {json.dumps(asdict(one))}" for one in run.roles)
    head = f'"change": {json.dumps(run.change)}, "changed_lines": {run.changed_lines}'
    return f' {{{head}, "roles": [\n{roles}\n ]}}'


def main(arguments: list[str]) -> None:
    """Print a line for each role; with `--add`, keep the runs."""
    names = [one for one in arguments if one != "--add"]
    if len(names) % 2:
        sys.exit(__doc__)
    runs = [read(Path(report), Path(folder)) for report, folder in zip(names[::2], names[1::2], strict=True)]
    for run in runs or recorded_runs():
        print("\n".join(lines(run)))
    if "--add" in arguments:
        known = {run.change: run for run in (*recorded_runs(), *runs)}
        KEPT.write_text(written(known.values()))


def read(report: Path, folder: Path) -> RecordedRun:
    """Read the run in a folder; name it by the change of its report."""
    change = Report.model_validate_json(report.read_text()).change
    name = f"{Path(change.repository or 'diff').name} {(change.head.commit or '')[:SHORT]}"
    marks = [line[0] for file in change.reviewed_files() for hunk in file.hunks for line in hunk.lines]
    changed = len(marks) - marks.count(" ")
    return run_of(name, changed, ConversationLog(folder, LogMode.REPLAY).exchanges)


def lines(run: RecordedRun) -> list[str]:
    """Return what each role sent beside the estimate for its conversations."""
    share = foretold(run) / run.input_tokens
    said = [
        f"{run.change}, {run.changed_lines} changed lines, {run.input_tokens:,} tokens read; "
        f"foretold {share:.2f} of them"
    ]
    for one in run.roles:
        expected = sent_tokens(one.role, [one.opening_tokens] * one.conversations)
        said.append(
            f"  {one.role:12} {one.conversations:3} conversations, {one.requests:3} requests, "
            f"{one.input_tokens:8,} tokens; foretold {expected / one.input_tokens:.2f} of them"
        )
    looked, judged = run.role("specialist"), run.role("verifier")
    if looked and judged:
        rate = judged.conversations / looked.conversations
        said.append(
            f"  {rate:.1f} judged for a conversation that looked; assumed: {FINDINGS_PER_CONVERSATION}"
        )
    return said
