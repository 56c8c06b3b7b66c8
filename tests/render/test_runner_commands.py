"""What a change or a model says is no command to the machine that runs a build and reads its log."""

import json
import re
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from affidavit.render.formats import FORMATS, RenderOptions, render
from affidavit.render.safe_text import json_without_commands, visible, without_commands
from affidavit.render.terminal import render_terminal
from hostile_everywhere import report_of

COMMANDS = (
    "::add-mask::secret",
    "  ::set-env name=PATH::/tmp",
    "::stop-commands::token",
    "::error file=a.py,line=1::all is lost",
    "::ERROR::x",
    "##vso[task.setvariable variable=PATH]/tmp",
    "##[group]x",
    "##[error]x",
    "###vso[task.complete]",
    "##teamcity[buildProblem description='x']",
    "section_start:1700000000:name",
    "section_end:1700000000:name",
    "travis_fold:start:x",
)
OBEYED_ANYWHERE = re.compile(r"##[\w.]*\[|section_(?:start|end):|travis_(?:fold|time):", re.IGNORECASE)
OBEYED_AT_START = re.compile(r"\s*::(?:add-mask|set-env|stop-commands|error)\b.*::", re.IGNORECASE)
any_log = st.lists(
    st.sampled_from([*COMMANDS, "\n", "\r\n", "\u2028", " ", "\t", "#", "##", ":", "::", "[", "word "]),
    max_size=8,
).map("".join)


def obeyed(log: str) -> list[str]:
    """The lines of a log that a runner would take for commands."""
    return [
        line
        for line in re.split(r"\r\n|\r|\n", log)
        if OBEYED_ANYWHERE.search(line) or OBEYED_AT_START.match(line)
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_runner_would_obey(command: str) -> None:
    assert obeyed(command) == [command]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FORMATS)
def test_no_format_prints_a_command(name: str, command: str) -> None:
    text = f"a title\n{command}\nand {command}"
    assert obeyed(render(report_of(text), name, RenderOptions(show_withheld=True, show_nits=True))) == []


@given(any_log)
@settings(max_examples=30)
def test_no_line_of_the_terminal_is_a_command_however_it_is_wrapped(text: str) -> None:
    page = StringIO()
    console = Console(file=page, width=40, force_terminal=False, color_system=None)
    render_terminal(
        report_of(text), console=console, options=RenderOptions(show_withheld=True, show_nits=True)
    )
    assert obeyed(page.getvalue()) == []
    assert [line for line in page.getvalue().splitlines() if line.lstrip().startswith("::")] == []


@given(any_log)
def test_what_is_made_visible_is_no_command(text: str) -> None:
    assert obeyed(visible(text)) == []


@given(any_log)
def test_json_says_the_same_in_letters_that_no_runner_obeys(text: str) -> None:
    written = json_without_commands(json.dumps({"said": text, text: [text]}))
    assert obeyed(written) == []
    assert json.loads(written) == {"said": text, text: [text]}


@pytest.mark.parametrize(
    "code",
    [
        "use crate::error::Error;",
        "::std::string name;",
        "## [link](x)",
        "x = a[::2]",
        "#[derive(Debug)]",
        "::before {",
    ],
)
def test_ordinary_code_is_left_as_it_is(code: str) -> None:
    assert without_commands(code) == code


@pytest.mark.parametrize("width", [40, 110])
def test_no_line_of_the_terminal_begins_with_what_a_change_says(width: int) -> None:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=False, color_system=None)
    render_terminal(
        report_of("Foreign words"), console=console, options=RenderOptions(show_withheld=True, show_nits=True)
    )
    assert [line for line in page.getvalue().splitlines() if line.startswith(("Foreign", "words"))] == []
