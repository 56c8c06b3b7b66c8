"""Write the measures of an installation as markdown, for a wiki or a pull request."""

import re
from collections.abc import Sequence

from affidavit.lab.labels.view import sentences
from affidavit.records.measure import Group, Quality
from affidavit.render.safe_text import markdown_line, one_line

_MAX_LENGTH = 2_000


def quality_markdown(quality: Quality) -> str:
    """The rate first, then what qualifies it, then where it comes from."""
    blocks = ["## How good the reviews are", _line(sentences.period(quality))]
    blocks += [f"> **Alarm:** {_line(alarm)}" for alarm in sentences.alarms(quality)]
    blocks += [_items(sentences.rates(quality)), _line(sentences.DEFINITION)]
    blocks += [f"> {_line(warning)}" for warning in sentences.warnings(quality)]
    for dimension, groups in quality.by.items():
        if groups:
            blocks += [f"### By {sentences.DIMENSION_WORDS.get(dimension, dimension)}", _table(groups)]
    for section in sentences.sections(quality):
        blocks += [f"### {section.heading}", _items(section.lines)]
    return "\n\n".join(blocks) + "\n"


def _line(text: str) -> str:
    return markdown_line(one_line(text, _MAX_LENGTH))


def _items(lines: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- **{_line(label)}**: {_line(text)}" for label, text in lines)


def _table(groups: Sequence[Group]) -> str:
    rows = ["|  | shown | labelled | wrong | nit |", "| --- | ---: | ---: | --- | --- |"]
    for one in groups:
        # Inside code nothing is escaped yet, and a bar ends the cell even there.
        cells = [re.sub(r"(?<!\\)\|", r"\\|", _line(cell)) for cell in sentences.group_cells(one)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)
