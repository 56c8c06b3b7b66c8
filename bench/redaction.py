"""`python -m bench redaction FOLDER…`: what is redacted in real commits, and what still parses."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from affidavit.diff.redacted import redact_hunks
from affidavit.errors import AffidavitError
from affidavit.git.repository import open_repository
from affidavit.git.tree import read_all
from affidavit.languages.registry import grammar_of, has_errors
from affidavit.redaction.spans import MARKER
from affidavit.stages.intake import ChangeRequest, open_change
from bench.commits import Commit, last_commits


@dataclass
class Figures:
    """What was counted so far."""

    diffs: int = 0
    with_markers: int = 0
    lines: int = 0
    characters: int = 0
    hidden_lines: int = 0
    hidden_characters: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)

    def summary(self) -> list[str]:
        """Return the figures as lines."""
        share = 1e6 * self.hidden_lines / max(self.lines, 1)
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        return [
            f"{self.diffs} diffs, {self.lines} lines, {self.characters} characters, {self.seconds:.0f} s",
            f"{self.with_markers} diffs with a marker; {self.hidden_lines} lines, {share:.0f} of a million",
            f"{self.hidden_characters} characters hidden: {kinds}",
        ]


class HiddenLine(NamedTuple):
    """One line that is shown with a marker."""

    place: str
    text: str
    shown: str


def main(arguments: Sequence[str]) -> None:
    """Go through the commits, write every hidden line into a table, and print the figures."""
    asked = _parser().parse_args(arguments)
    figures = Figures()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    if asked.parses:
        found: Counter[str] = Counter()
        with asked.out.open("w", errors="backslashreplace") as table:
            for folder in asked.folders:
                table.writelines("\t".join(one) + "\n" for one in _hidden_in_tree(folder, found))
        print(*(f"{count} {name}" for name, count in found.items()), f"table: {asked.out}", sep="\n")
        return
    with asked.out.open("w", errors="backslashreplace") as table:
        for commit in (
            one for folder in asked.folders for one in last_commits(folder, asked.commits, asked.before)
        ):
            started = time.process_time()
            try:
                hidden = list(_hidden_lines(commit, figures))
            except AffidavitError as error:
                print(f"{commit.repository} {commit.id[:12]}: {error}", file=sys.stderr)
                continue
            figures.seconds += time.process_time() - started
            _count(figures, hidden)
            table.writelines("\t".join(one) + "\n" for one in hidden)
    print(*figures.summary(), f"table: {asked.out}", sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench redaction", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a repository, bare or not")
    parser.add_argument("--commits", type=int, default=50, metavar="N", help="the last N of each (50)")
    parser.add_argument("--before", metavar="DATE", help="only commits from before this day")
    parser.add_argument(
        "--parses", action="store_true", help="go through all files of the last commit that have a grammar"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(".bench/redaction.tsv"), help="the table (.bench/redaction.tsv)"
    )
    return parser


def _hidden_lines(commit: Commit, figures: Figures) -> Iterator[HiddenLine]:
    with open_change(ChangeRequest(commit.target, repo=commit.folder)) as opened:
        for file in opened.change.files:
            shown = redact_hunks(file, opened.repository)
            for hunk, redacted in zip(file.hunks, shown, strict=True):
                figures.lines += len(hunk.lines)
                figures.characters += sum(map(len, hunk.lines))
                for (_, old, new, text), line in zip(hunk.numbered(), redacted.lines, strict=True):
                    if text != line[1:]:
                        place = f"{commit.repository} {commit.id[:12]} {file.path}:{new or old}"
                        yield HiddenLine(place, text.strip(), line[1:].strip())


def _hidden_in_tree(folder: Path, found: Counter[str]) -> Iterator[HiddenLine]:
    """Redact every file that has a grammar, and count those that no longer parse or change again."""
    (commit,) = last_commits(folder, 1)
    with open_repository(folder, commit.id, commit.id) as opened:
        secrets = opened.head.secrets
        for path, data in read_all(opened.head, filter(grammar_of, opened.head.entries())):
            blob = opened.head.entries()[path].blob
            shown = secrets.redact(path, blob, data)
            lines = [*zip(data.split(b"\n"), shown.split(b"\n"), strict=True)]
            hidden = [(at, *both) for at, both in enumerate(lines, start=1) if both[0] != both[1]]
            parsed = bool(hidden) and not has_errors(path, data)
            found["files"] += 1
            found["lines"] += len(lines)
            found["lines with a marker"] += len(hidden)
            found["files with a marker that parse"] += parsed
            found["of them no longer parse"] += parsed and has_errors(path, shown)
            again = secrets.redact_versions(path, shown) if parsed else [shown]
            found["of them change when they are redacted again"] += again != [shown]
            for at, own, other in hidden:
                texts = (one.decode("utf-8", "replace").strip() for one in (own, other))
                yield HiddenLine(f"{commit.repository} {path}:{at}", *texts)


def _count(figures: Figures, hidden: Sequence[HiddenLine]) -> None:
    figures.diffs += 1
    figures.with_markers += bool(hidden)
    figures.hidden_lines += len(hidden)
    figures.kinds.update(
        found.removeprefix("REDACTED_").rpartition("_")[0]
        for one in hidden
        for found in MARKER.findall(one.shown)
    )
    figures.hidden_characters += sum(len(one.text) - len(MARKER.sub("", one.shown)) for one in hidden)
