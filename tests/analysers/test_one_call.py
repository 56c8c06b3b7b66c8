"""One call that is wrong in two ways is one diagnostic, however its parameters are called."""

from affidavit.analysers.ty import MISSING, UNKNOWN, join_calls
from affidavit.records.evidence import AnalyserDiagnostic


def said(rule: str, message: str, column: int) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(rule=rule, path="app.py", line=4, end_line=4, column=column, message=message)


def test_parameters_that_are_known_by_their_numbers_are_joined_without_a_name() -> None:
    (joined,) = join_calls(
        [
            said(MISSING, "No arguments provided for required parameters 1, 2", 18),
            said(UNKNOWN, "Argument `name` does not match any known parameter", 33),
            said(UNKNOWN, "Argument `config` does not match any known parameter", 60),
        ]
    )
    assert joined.message == (
        "Argument `name`, while a required one is left out, does not match any known parameter"
    )


def test_a_renamed_parameter_names_both() -> None:
    (joined,) = join_calls(
        [
            said(MISSING, "No argument provided for required parameter `gross` of function `total`", 5),
            said(UNKNOWN, "Argument `net` does not match any known parameter of function `total`", 11),
        ]
    )
    assert joined.message == (
        "Argument `net`, while `gross` is left out, does not match any known parameter of function `total`"
    )
