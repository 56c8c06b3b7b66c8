"""What is hidden in the files of a change, and the numbers that tell secrets apart."""

import json
from collections.abc import Callable

import pytest

from affidavit.git.repository import GitRepository
from affidavit.languages.registry import has_errors, texts_in
from affidavit.redaction.spans import SecretNumbers
from affidavit.redaction.text import find_secrets, redact_file, redact_text
from secret_corpus import corpus
from trees import Files, open_pair

__all__ = ["open_pair"]
Opened = Callable[[Files, Files], GitRepository]

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
OTHER = "ghp_" + "Zb1Nc4Hd6Fg0AsRk3Jx9Lm2Qp7Vt5Wy8Zb1N"
THIRD = "ghp_" + "Lm2Qp7Vt5Wy8Zb1NZb1Nc4Hd6Fg0AsRk3Jx9"
STRINGS = {
    "py": "a = {}\n",
    "js": "const a = {};\n",
    "ts": "const a: string = {};\n",
    "tsx": "const a = <b c='d'>{{{}}}</b>;\n",
    "go": "package a\n\nvar a = {}\n",
    "java": "class A {{ String a = {}; }}\n",
    "rs": "const A: &str = {};\n",
    "c": "char *a = {};\n",
    "cpp": "auto a = {};\n",
    "rb": "a = {}\n",
    "php": "<?php $a = {};\n",
    "cs": "class A {{ string a = {}; }}\n",
}
"""A file of each grammar, around a string."""
CODE = {
    "undici.js": "const HTTP_QUOTED_STRING_TOKENS = /^[\\u0009\\u0020-\\u007E\\u0080-\\u00FF]+$/u\n",
    "regex.rb": "API_TOKEN = /\\A[a-zA-Z0-9]{8}Xy9Zk2Lm4Qp7\\z/\n",
    "call.py": "password = aB3dE5fG7hJ9kL2mN4pQ(1)\nsecret: Xk9mQ2w7Rt4z = aB3dE5fG7hJ9.kL2mN4pQ6rS\n",
    "name.go": "package a\n\nvar apiKey = aB3dE5fG7hJ9kL2mN4pQ\n",
}


def shown(path: str, text: str) -> str:
    data = text.encode()
    redacted = redact_file(data, find_secrets(data), SecretNumbers(), lambda one: texts_in(path, one))
    return redacted.decode()


@pytest.mark.parametrize("path", CODE)
def test_code_is_no_secret(path: str, open_pair: Opened) -> None:
    repository = open_pair({"a.txt": "a\n"}, {path: CODE[path]})
    assert repository.redacted.head.lines(path) == CODE[path].splitlines()


def test_a_pattern_is_no_secret_in_a_message_either() -> None:
    assert redact_text(CODE["undici.js"]) == CODE["undici.js"]


@pytest.mark.parametrize("ending", STRINGS)
def test_every_file_with_a_secret_in_a_string_still_parses(ending: str) -> None:
    files, drawn = corpus()
    secrets = [secret for some in drawn.values() for secret in some]
    parsed = 0
    for text in [*(line for one in files.values() for line in one.splitlines()), *files.values()]:
        file = STRINGS[ending].format(json.dumps(text).replace("$", "S").replace("#{", "{"))
        redacted = shown(f"a.{ending}", file)
        plain = redact_text(file)
        assert [one for one in secrets if one in redacted and one not in plain] == []
        if not has_errors(f"a.{ending}", file.encode()):
            parsed += 1
            assert not has_errors(f"a.{ending}", redacted.encode()), redacted
            assert shown(f"a.{ending}", redacted) == redacted
    assert parsed > 200


def test_a_secret_of_another_value_has_another_number(open_pair: Opened) -> None:
    base = {"a.py": f'KEY = "{TOKEN}"\nOLD = "{OTHER}"\n', "kept.py": f'A = "{THIRD}"\nB = "{TOKEN}"\n'}
    repository = open_pair(base, {"a.py": f'KEY = "{OTHER}"\nOLD = "{OTHER}"\n'})
    shown = repository.redacted
    assert shown.base.lines("a.py") == ['KEY = "REDACTED_token_1"', 'OLD = "REDACTED_token_2"']
    assert shown.head.lines("a.py") == ['KEY = "REDACTED_token_2"', 'OLD = "REDACTED_token_2"']
    assert shown.head.lines("kept.py") == ['A = "REDACTED_token_3"', 'B = "REDACTED_token_1"']


def test_programs_and_models_are_given_the_same_text(open_pair: Opened) -> None:
    files, _ = corpus()
    code = "password = 'Hunter2Sup3r'\nsecret = aB3dE5fG7hJ9kL2mN4pQ\n"
    base: Files = {**files, "code.py": code, "code.txt": code}
    repository = open_pair(base, {"src/app.py": files["src/app.py"].replace("1", "2")})
    for side in ("base", "head"):
        raw, redacted = repository.side(side), repository.redacted.side(side)
        for path in raw.entries():
            assert raw.redacted_lines(path) == redacted.lines(path), path
    assert "secret = aB3dE5fG7hJ9kL2mN4pQ" in (repository.head.redacted_lines("code.py") or [])
    assert "secret = aB3dE5fG7hJ9kL2mN4pQ" not in (repository.head.redacted_lines("code.txt") or [])


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", f'x = f"{{a}}{TOKEN}{{b}}"\n', 'x = f"{a}REDACTED_token_1{b}"\n'),
        (
            "a.py",
            f'x = "{TOKEN[:20]}" \\\n    "{TOKEN[20:]}"\n',
            'x = "REDACTED_token_1" \\\n    "REDACTED_token_1"\n',
        ),
        (
            "a.js",
            f"/* password: Hunter2Sup3r!x*/ f()\n// {TOKEN}\n",
            "/* password: REDACTED_secret_1*/ f()\n// REDACTED_token_1\n",
        ),
        ("a.js", f"const x = `a\\n{TOKEN}\\nb`\n", "const x = `a\\nREDACTED_token_1\\nb`\n"),
        ("a.js", f"const x = {TOKEN}\n", "const x = REDACTED_token_1\n"),
        ("a.json", f'{{"a": "\\"{TOKEN}\\""}}\n', '{"a": "\\"REDACTED_token_1\\""}\n'),
    ],
)
def test_a_secret_is_hidden_within_its_quotes(path: str, text: str, expected: str) -> None:
    assert shown(path, text) == expected
