"""Tokens that are written in parts: put together, and hidden with all of their parts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.redaction.joining import join_parts
from affidavit.redaction.text import redact_text
from secret_shapes import drawn

TOKEN = drawn("ghp" + "_", 36, "parts")
FIRST, SECOND = TOKEN[:22], TOKEN[22:]


@pytest.mark.parametrize(
    "text",
    [
        "x = ''.join([\n    '{a}',\n    '{b}',\n])\n",
        'x = "".join(("{a}",  # one\n    "{b}"))\n',
        "x = '%s%s' % ('{a}', '{b}')\n",
        "x = '%s%s' % (\n    '{a}',\n    '{b}',\n)\n",
        "x = '{{}}{{}}'.format('{a}', '{b}')\n",
        "x = f\"{{'{a}'}}{{'{b}'}}\"\n",
        "token: >-\n  {a}\n  {b}\nnext: 1\n",
        "- token: |\n    {a}\n    {b}\n",
        "token: >-  # folded\r\n  {a}\r\n  {b}\r\n",
        "const t = ['{a}', '{b}'].join('')\n",
        "t = ['{a}',\n  '{b}'].join\n",
        't := fmt.Sprintf("%s%s", "{a}", "{b}")\n',
        't := strings.Join([]string{{"{a}", "{b}"}}, "")\n',
        "$t = implode('', ['{a}', '{b}']);\n",
        "SELECT CONCAT('{a}', '{b}');\n",
        "SELECT '{a}' || '{b}';\n",
        "x = '{a}'\nx += '{b}'\n",
        '$x = "{a}";\n$x .= "{b}";\n',
        "x = '{a}' \\\n    '{b}'\n",
        "x = ('{a}') + ('{b}')\n",
        "x = '{a}' + r'{b}'\n",
        "x = ('{a}'  # one\n     # two\n     '{b}')\n",
        "x = '{a}''{b}'\n",
        "x = f\"{a}{{'{b}'}}\"\n",
        "x = f'{{ \"{a}\"!s }}{b}'\n",
        'x = f\'gh{{"p"}}_{{"{a}"}}{b}\'[4:]\n',
        "const t = `{a}${{'{b}'}}`\n",
        "const t = `${{ '{a}' }}{b}`\n",
        'const t = "{a}" /* one */ + /* two */ "{b}"\n',
        'char *t = "{a}" /* one */ "{b}";\n',
        'char *t = "{a}" /* one *\n * two **/ "{b}";\n',
        "x = \"{a}#{{'{b}'}}\"\n",
        "x = \"#{{'{a}'}}{b}\"\n",
        "const t = ['{a}', /* one */ '{b}'].join('')\n",
        'x={a}""{b}\n',
        'x = "{a}".concat("{b}");\n',
        "x = ''.join(['{a}'] + ['{b}'])\n",
        "x = '{a}' +" + " " * 500 + "'{b}'\n",
        "x = '{a}\U000e0041{b}'\n",
        "x = '{a}\u200b{b}'\n",
        "x = '{a}\u2062{b}'\n",
    ],
)
def test_no_part_of_a_token_leaves(text: str) -> None:
    redacted = redact_text(text.format(a=FIRST, b=SECOND))
    assert "REDACTED_token_0" in redacted
    assert FIRST not in redacted
    assert SECOND not in redacted
    assert redacted.count("\n") == text.count("\n")


def test_a_token_of_single_letters_is_put_together() -> None:
    redacted = redact_text("x = ''.join([" + ", ".join(f"'{sign}'" for sign in TOKEN) + "])\n")
    assert redacted == "x = ''.join(['REDACTED_token_0'])\n"


@pytest.mark.parametrize(
    "text",
    [
        "NAMES = ['{a}', '{b}']\n",
        "call('{a}', '{b}')\n",
        "steps:\n  - {a}\n  - {b}\n",
        "text: >-\n  one two {a}\n  {b} three\n",
    ],
)
def test_texts_that_nobody_puts_together_stay(text: str) -> None:
    written = text.format(a=FIRST, b=SECOND)
    assert redact_text(written) == written


@given(st.lists(st.sampled_from(['"', "'", " ", "+", "\n", ",", "a", "].join('')", "''.join([", "\\", "%s"])))
def test_every_byte_keeps_its_place(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    joined = join_parts(data)
    for at, byte in enumerate(joined.text if joined else b""):
        assert joined
        assert data[joined.place(at)] == byte


@pytest.mark.parametrize(
    "piece",
    [
        "''.join([",
        "''.join(['a', ",
        "].join('')",
        "[].join('')",
        "'%s%s' % (",
        "a: >-\n  abcd\n",
        "'+",
        "'/*",
        "'/* * */",
    ],
)
def test_hostile_joints_are_read_in_time(piece: str) -> None:
    started = time.process_time()
    join_parts((piece * (500_000 // len(piece)) + ")]").encode())
    assert time.process_time() - started < 5
