"""Write an evaluation, or the comparison of two, as markdown in which nothing of a change is obeyed."""

from collections.abc import Sequence

from affidavit.lab.evaluation.view import sentences
from affidavit.records.lab.evaluation import CaseResult, Comparison, Evaluation
from affidavit.render.safe_text import clip, code_span, markdown_line

_MAX_LENGTH = 600


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Scores, tables, and every case."""
    pieces = [
        f"# Evaluation: {safe(sentences.title(evaluation))}",
        _table(sentences.SCORES_HEAD, sentences.headline(evaluation)),
        safe(f"Cost: {sentences.costs(evaluation)}."),
        "\n".join(f"- {safe(sentence)}" for sentence in sentences.notices(evaluation)),
        *section("By language", sentences.TABLE_HEAD, sentences.table(evaluation.by_language)),
        *section("By category", sentences.TABLE_HEAD, sentences.table(evaluation.by_category)),
        *section("Stability", sentences.STABILITY_HEAD, sentences.stability_rows(evaluation)),
        "## Cases",
        *(_case(result) for result in evaluation.results),
    ]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def comparison_markdown(comparison: Comparison) -> str:
    """The differences, and the cases that changed."""
    head = ("", "first", "second", "difference, 95% interval")
    changes = [
        f"- {code_span(clip(case, 200))}: " + "; ".join(safe(line) for line in lines)
        for case, lines in sentences.change_lines(comparison)
    ]
    left_out = [f"- {code_span(clip(case, 200))}: {safe(why)}" for case, why in comparison.left_out.items()]
    pieces = [
        f"# Comparison over {comparison.cases} cases",
        f"- first: {safe(sentences.run_words(comparison.first))}\n"
        f"- second: {safe(sentences.run_words(comparison.second))}",
        *section("Second less first", head, sentences.comparison_rows(comparison)),
        *(["## Cases that changed", "\n".join(changes)] if changes else []),
        *(["## Left out", "\n".join(left_out)] if left_out else []),
    ]
    return "\n\n".join(pieces) + "\n"


def safe(text: str) -> str:
    """One line of foreign text, bounded."""
    return markdown_line(clip(text, _MAX_LENGTH))


def section(title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A heading and its table; nothing without rows."""
    return [f"## {title}", _table(head, rows)] if rows else []


def _table(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    # A bar ends a cell even inside of code.
    return safe(text.replace("|", "/"))


def _case(result: CaseResult) -> str:
    heading = f"- {code_span(clip(result.case.id, 200))} {safe(sentences.verdict_of(result))}"
    lines = [f"  - **{line.kind}**: {safe(line.text)}" for line in sentences.case_lines(result)]
    return "\n".join([heading, *lines])
