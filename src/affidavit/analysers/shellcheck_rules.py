"""List the ShellCheck rules that run, with their meaning; hadolint reports most of them, too."""

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.analysers.plain_http import unencrypted_script
from affidavit.records.finding import Severity

HIGH, LOW = Severity.HIGH, Severity.LOW


def shell_rules(analyser: str) -> tuple[Rule, ...]:
    """Return the table, under the name of the analyser that reports it."""
    wrong = RuleMaker(analyser, failing_input="Running {file} so that line {line} is reached.")
    parts = (_parsing, _destroying, _conditions, _comparisons, _assigning, _flow, _streams_and_codes)
    return tuple(rule for part in parts for rule in part(wrong))


def _parsing(wrong: RuleMaker) -> list[Rule]:
    return wrong(
        "SC1072",
        "Syntax error",
        "The shell stops with a syntax error, here or before anything runs.",
        "Correct the syntax.",
        severity=HIGH,
        failing_input="Running {file}.",
    )


def _destroying(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC2115",
            "`rm` of `/` if a variable is empty",
            "If the variable is empty or unset, everything below `/` is deleted.",
            'Write `"${{variable:?}}"`, so that the script stops instead.',
            severity=HIGH,
            failing_input="The variable is empty or unset at {file}:{line}.",
        ),
        *wrong(
            "SC2114",
            "`rm` of a system folder",
            "A folder that the system needs is deleted.",
            "Name the intended folder.",
            severity=HIGH,
        ),
        *wrong(
            "SC2094",
            "File is read and written in one pipeline",
            "The file is emptied before it is read.",
            "Write to another file and move it afterwards.",
            severity=LOW,
        ),
        *wrong(
            "SC2095",
            "Command in a loop reads the loop's input",
            "The loop ends after its first round.",
            "Give the command `</dev/null` as its input.",
            severity=LOW,
        ),
    ]


def _conditions(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong.each(
            {
                "SC2073": "Comparison redirects to a file",
                "SC2210": "Redirection to a file named like a number",
            },
            "A file is made or overwritten, and nothing is compared.",
            "Use `-lt`, `-gt` or `[[ … ]]`.",
            severity=HIGH,
        ),
        *wrong(
            "SC2122",
            "`>=` and `<=` do not compare text",
            "The test fails with an error, so the condition is never true.",
            "Use `-ge`, `-le`, or `! [[ a < b ]]`.",
            severity=HIGH,
        ),
        *wrong.each(
            {
                "SC2071": "Numbers are compared as text",
                "SC2072": "Decimals in a comparison",
                "SC2079": "Decimals in `(( … ))`",
                "SC2170": "Text is compared as a number",
            },
            "The comparison gives a wrong answer or fails.",
            "Use `-lt`, `-gt` or `(( … ))` for integers, `=` for text and `bc` for decimals.",
        ),
        *wrong.each(
            {
                "SC2050": "Comparison of two constants",
                "SC2055": "`!= … -o !=` is always true",
                "SC2056": "`!= … -o !=` is always true",
                "SC2252": "`!= … || !=` is always true",
                "SC2077": "No spaces around the operator of a comparison",
                "SC2078": "Condition is a constant",
                "SC2157": "Test of a constant text",
                "SC2158": "`[ false ]` is true",
                "SC2159": "`[ 0 ]` is true",
                "SC2160": "`[ true ]` tests a text",
                "SC2161": "`[ 1 ]` tests a text",
            },
            "The condition always gives the same answer, so one of the two branches never runs.",
            "Correct the condition.",
        ),
    ]


def _comparisons(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong.each(
            {
                "SC2057": "Unknown binary operator",
                "SC2058": "Unknown unary operator",
                "SC2107": "`&&` inside `[ … ]`",
                "SC2108": "`-a` inside `[[ … ]]`",
                "SC2109": "`||` inside `[ … ]`",
                "SC2110": "`-o` inside `[[ … ]]`",
                "SC2199": "Array in a test",
                "SC2200": "Brace expansion in a test",
                "SC2202": "Glob in a test",
                "SC2204": "Subshell instead of a test",
                "SC2205": "Subshell instead of a test",
                "SC2255": "Arithmetic inside `[ … ]`",
            },
            "The test fails with an error, or does not test what it says.",
            "Correct the condition.",
        ),
        *wrong.each(
            {"SC2070": "`-n` with an unquoted value is always true", "SC2144": "`-e` with a glob"},
            "With an empty value the test is true, with several files it fails.",
            "Quote the value, or loop over the files.",
        ),
        # SC2221 reports the earlier pattern.
        *wrong(
            "SC2222",
            "`case` pattern never matches",
            "An earlier pattern takes everything that this one would match.",
            "Put the narrower pattern first, or delete it.",
            severity=LOW,
        ),
    ]


def _assigning(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong.each(
            {
                "SC1066": "`$` before an assigned name",
                "SC1068": "Spaces around `=` of an assignment",
                "SC2270": "Assignment to a positional parameter",
                "SC2276": "Command name with `=`",
                "SC2281": "`$` before an assigned name",
                "SC2283": "Spaces around `=` of an assignment",
            },
            "The shell looks for a command of that name and fails; the variable keeps its old value.",
            "Write `name=value`, without `$` and without spaces.",
            severity=HIGH,
        ),
        *wrong(
            "SC2031",
            "Variable set in a subshell is lost",
            "The variable still has the value that it had before the pipeline or the parentheses.",
            "Set the variable in this shell, for example with `while … done < <(command)`.",
            severity=LOW,
        ),
        *wrong(
            "SC2088",
            "Tilde in quotes",
            "The shell looks for a folder whose name is `~`.",
            'Use `"$HOME"` instead.',
        ),
        *wrong(
            "SC2089 SC2090",
            "Quotes inside a variable are literal",
            "The command gets the quotes as part of its arguments.",
            "Keep the arguments in an array.",
            severity=LOW,
        ),
        *wrong(
            "SC2168",
            "`local` outside a function",
            "The shell fails with an error at this line.",
            "Drop `local`, or move the line into a function.",
        ),
    ]


def _flow(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong.each(
            {
                "SC2041": "Loop over a literal text",
                "SC2042": "Commas between the items of a loop",
                "SC2043": "Loop over one constant",
                "SC2066": "Loop over one quoted text",
            },
            "The loop runs only once, with the whole text as its item.",
            "Loop over the items: an array, a glob, or unquoted words.",
        ),
        *wrong.each(
            {"SC2104": "`break` outside a loop", "SC2105": "`break` outside a loop"},
            "The shell reports an error, or goes on where it should stop.",
            "Use `return` or `exit`.",
        ),
        *wrong(
            "SC2218",
            "Function is called before its definition",
            "The shell reports that there is no such command.",
            "Move the definition above the call.",
            severity=HIGH,
        ),
        *wrong(
            "SC2024",
            "`sudo` does not cover the redirection",
            "The file is opened as the calling user, who may not write it.",
            "Use `… | sudo tee FILE`.",
        ),
    ]


def _streams_and_codes(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC2069",
            "Wrong order of redirections",
            "Standard error is not redirected.",
            "Write `>FILE 2>&1`.",
            severity=LOW,
        ),
        *wrong.each(
            {
                "SC2216": "Pipe into a command that reads no input",
                "SC2217": "Redirection into a command that reads no input",
                "SC2259": "Redirection overrides the pipe",
                "SC2260": "Redirection overrides the output pipe",
                "SC2261": "Several redirections compete",
            },
            "The input or output goes nowhere.",
            "Use `xargs`, or keep one of the two redirections.",
        ),
        *wrong.each(
            {
                "SC2151": "Several values for `return`",
                "SC2152": "Invalid `return` code",
                "SC2241": "Several values for `exit`",
                "SC2242": "Invalid `exit` code",
            },
            "The shell reports an error or returns another code.",
            "Return a number from 0 to 255; print text with `echo`.",
        ),
    ]


SHELLCHECK_RULES: tuple[Rule, ...] = (
    *shell_rules("shellcheck"),
    *RuleMaker("shellcheck")(
        "SC2164",
        "`rm` runs in the wrong folder if `cd` fails",
        "`rm` deletes files of the folder that the script was in before.",
        "Write `cd … || exit`.",
        meaning="`cd` is not checked, and the script goes on to delete files by relative paths.",
        failing_input="The folder at {file}:{line} is missing, or its variable is empty.",
    ),
    *unencrypted_script("shellcheck"),
)
