"""Write our comments and replies. Everything quoted is inert."""

import re
from dataclasses import dataclass

from affidavit.diff.parse import parse_diff
from affidavit.errors import InputError
from affidavit.forges.posting.actions import Inline
from affidavit.forges.standing import Mark, write_mark
from affidavit.git.text import decode_path
from affidavit.iterations.review_summary import key_of
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.finding import Finding
from affidavit.records.record import Side
from affidavit.records.report import Report
from affidavit.redaction.spans import MARKER
from affidavit.render.markdown import clipped_line, finding_block
from affidavit.render.proof import patch_words
from affidavit.render.safe_text import clip, visible
from affidavit.render.view import finding_view

MAX_LINES = 30


@dataclass(frozen=True)
class Suggested:
    """A replacement for lines at head."""

    start: int
    end: int
    lines: tuple[str, ...]

    def block(self, style: str) -> str:
        """Write the suggestion block; GitLab counts the lines above the commented one."""
        longest = max((len(run) for line in self.lines for run in re.findall("`+", line)), default=0)
        fence = "`" * max(3, longest + 1)
        name = "suggestion" if style == "lines" else f"suggestion:-{self.end - self.start}+0"
        return "\n".join([f"{fence}{name}", *self.lines, fence])


def suggestion_of(candidate: Candidate, change: Change) -> Suggested | None:
    """Return a suggestion for a patch that was tried, holds, and touches one run of shown lines."""
    evidence = candidate.finding.verification if candidate.finding else None
    patch = evidence.patch if evidence else None
    if not patch or candidate.patch_trial is None or not candidate.patch_trial.holds:
        return None
    try:
        files = parse_diff(patch.encode())
    except InputError:
        return None
    if len(files) != 1 or len(files[0].hunks) != 1 or candidate.finding is None:
        return None
    path = decode_path(files[0].name)
    file = change.file_at(path, "head")
    replaced = _replaced(files[0].hunks[0].to_record())
    if file is None or replaced is None or path != candidate.finding.file:
        return None
    old, suggested = replaced
    return suggested if _is_shown(file, suggested, old) and _is_plain(suggested) else None


def _replaced(hunk: Hunk) -> tuple[list[str], Suggested] | None:
    """Return the old lines from the first change of a hunk to the last, and their replacement."""
    rows = list(hunk.numbered())
    changed = [at for at, row in enumerate(rows) if row[0] != " "]
    if not changed:
        return None
    first, last = changed[0], changed[-1]
    if all(rows[at][1] is None for at in range(first, last + 1)):
        # Lines are only added: a forge replaces lines, so the one before is repeated.
        if first == 0:
            return None
        first -= 1
    part = rows[first : last + 1]
    old = [(number, text) for _, number, _, text in part if number is not None]
    new = tuple(text for mark, _, _, text in part if mark != "-")
    return [text for _, text in old], Suggested(old[0][0], old[-1][0], new)


def _is_shown(file: FileChange, suggested: Suggested, old: list[str]) -> bool:
    """Check that one hunk of the diff has all of these lines with this text: a patch's numbers may be off."""
    wanted = dict(zip(range(suggested.start, suggested.end + 1), old, strict=False))
    for hunk in file.hunks:
        shown = {new: text for _, _, new, text in hunk.numbered() if new is not None}
        if wanted.items() <= shown.items() and len(wanted) == len(old):
            return True
    return False


def _is_plain(suggested: Suggested) -> bool:
    """Check that nothing in it is hidden, cut or a command: what readers see is what they commit."""
    return len(suggested.lines) <= MAX_LINES and not any(
        visible(line, keep="\t") != line or line.startswith("/") or MARKER.search(line)
        for line in suggested.lines
    )


CUT = "\n\n**Cut here: the forge takes no longer comment. The report has the rest.**"
HOW_TO_ANSWER = "<sub>Answer `/affidavit dismiss why` or `/affidavit wrong why`.</sub>"


def finding_mark(candidate: Candidate, report: Report) -> Mark:
    others = names_of(candidate) | {key_of(candidate, report)}
    return Mark(
        kind="finding",
        fingerprint=candidate.fingerprint,
        also=tuple(sorted(others - {candidate.fingerprint})),
        rule=(candidate.finding.rule_id or "") if candidate.finding else "",
        by="machine" if candidate.is_proven_by_machine else "model",
        report=report.id,
        head=report.change.head.commit or "",
    )


def finding_body(candidate: Candidate, report: Report, limit: int, suggestion: str = "") -> str:
    """Write the comment on a finding, without its code: the diff shows it."""
    offered = [f"{patch_words(candidate)}:\n\n{suggestion}"] if suggestion else []
    parts = (
        write_mark(finding_mark(candidate, report)),
        finding_block(finding_view(candidate, report), has_code=False),
        *offered,
        HOW_TO_ANSWER,
    )
    text = "\n\n".join(parts)
    # Half a suggestion would be committed as one.
    return finding_body(candidate, report, limit) if suggestion and len(text) > limit else fitted(text, limit)


def fixed_body(fingerprint: str, reason: str, report: Report) -> str:
    """Write the reply for a fixed finding whose thread cannot be resolved."""
    mark = Mark(kind="reply", fingerprint=fingerprint, report=report.id, to="fixed")
    return f"{write_mark(mark)}\nFixed: {clipped_line(reason)}. This thread can be resolved."


def fitted(text: str, limit: int) -> str:
    """Cut a text to the limit of the forge, and close open folds and code blocks."""
    if len(text) <= limit:
        return text
    kept = clip(text, limit - 400)
    fence = _open_fence(kept)
    folds = kept.count("<details>") - kept.count("</details>")
    closing = (f"\n{fence}" if fence else "") + "\n\n</details>" * max(folds, 0)
    return kept + closing + CUT


def _open_fence(text: str) -> str:
    """Return the fence of a code block that is still open at the end; empty if none is."""
    open_fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        run = bare[: len(bare) - len(bare.lstrip("`"))]
        if len(run) < 3:
            continue
        if not open_fence:
            open_fence = run
        elif bare == run and len(run) >= len(open_fence):
            open_fence = ""
    return open_fence


def inline_place(finding: Finding, change: Change) -> Inline | None:
    """Return an empty comment in the place of a finding; None if the diff does not show its line."""
    file = change.file_at(finding.file, finding.side)
    if file is None or file.is_binary or file.is_partial:
        return None
    first, last = finding.lines
    for hunk in file.hunks:
        if not hunk.has_changes:
            # The forge does not show it.
            continue
        shown = _lines(hunk, finding.side)
        if first in shown:
            # A range must lie within one hunk; of a longer one its first line is enough.
            end = last if last in shown else first
            old, new = shown[end]
            return Inline(
                path=file.path,
                old_path=(file.old_path or file.path),
                side=finding.side,
                line=end,
                start_line=first if end > first else None,
                old_line=old,
                new_line=new,
            )
    return None


def _lines(hunk: Hunk, side: Side) -> dict[int, tuple[int | None, int | None]]:
    """Map the line numbers of a hunk on one side to the numbers on both."""
    found: dict[int, tuple[int | None, int | None]] = {}
    for _, old, new, _ in hunk.numbered():
        number = old if side == "base" else new
        if number is not None:
            found[number] = (old, new)
    return found
