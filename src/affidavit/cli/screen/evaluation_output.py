"""Where evaluations and comparisons go: which formats were asked for, and the writing of them."""

from collections.abc import Sequence

from affidavit.cli.screen.outputs import TEXT, NamedOutput, check_outputs, parse_output, write_all
from affidavit.lab.evaluation.run import Evaluated
from affidavit.records.lab.evaluation import Comparison

FORMATS = (TEXT, "json", "markdown", "html")


def parse_outputs(texts: Sequence[str]) -> list[NamedOutput]:
    """Read `json`, `html=FILE`; where none goes to standard output, the text does."""
    outputs = [parse_output(text, FORMATS) for text in texts]
    return outputs if check_outputs(outputs) else [*outputs, NamedOutput(TEXT, None)]


def write_evaluation(evaluated: Evaluated, outputs: Sequence[NamedOutput]) -> None:
    """Write every format that was asked for."""
    # Each renderer is imported where it is used: who asks for JSON does not wait for the page.
    from affidavit.lab.evaluation.view.text import render_evaluation  # noqa: PLC0415

    evaluation = evaluated.evaluation

    def render(name: str) -> str:
        if name == "json":
            return evaluation.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            from affidavit.lab.evaluation.view.markdown import evaluation_markdown  # noqa: PLC0415

            return evaluation_markdown(evaluation)
        from affidavit.lab.evaluation.view.page import evaluation_page  # noqa: PLC0415

        return evaluation_page(evaluation, evaluated.reports)

    write_all(outputs, render, lambda console: render_evaluation(evaluation, console=console))


def write_comparison(comparison: Comparison, outputs: Sequence[NamedOutput]) -> None:
    """Write every format that was asked for."""
    from affidavit.lab.evaluation.view.text import render_comparison  # noqa: PLC0415 - as above

    def render(name: str) -> str:
        if name == "json":
            return comparison.model_dump_json(indent=1, ensure_ascii=True) + "\n"
        if name == "markdown":
            from affidavit.lab.evaluation.view.markdown import comparison_markdown  # noqa: PLC0415

            return comparison_markdown(comparison)
        from affidavit.lab.evaluation.view.page import comparison_page  # noqa: PLC0415

        return comparison_page(comparison)

    write_all(outputs, render, lambda console: render_comparison(comparison, console=console))
