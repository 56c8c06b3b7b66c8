"""`python -m bench recorded [REPORT FOLDER …]`: compare what recorded reviews sent with the estimate.

REPORT is a native report, FOLDER what `--record` wrote for it; without either, show the runs of the package.
`--add` adds the runs to those of the package, on which the estimate is fitted and tested.
"""

import sys
from pathlib import Path

from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.records.report import Report
from affidavit.reviewing.cost import (
    FINDINGS_PER_CONVERSATION,
    RUNS_FILE,
    RecordedRun,
    foretold,
    recorded_runs,
    run_of,
    sent_tokens,
    written,
)
from affidavit.specialists.agents.chunks import changed_line_count

KEPT = Path(__file__).parents[1] / "src" / "affidavit" / "reviewing" / RUNS_FILE
SHORT = 10


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
    return run_of(name, changed_line_count(change), ConversationLog(folder, LogMode.REPLAY).exchanges)


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
