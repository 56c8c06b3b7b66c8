import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.redaction.text import Redactor

# Put together here, so that no scanner takes this file for a leak.
PEM_BODY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 3 + ["Mzx1cQ=="])
PEM = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{PEM_BODY}\n-----END RSA PRIVATE {'KEY'}-----"
AWS = "AKIA" + "IOSFODNN7QX3MPLE"
GITHUB = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
OPENAI = "sk-" + "proj-9fK2mQ7xT4vB8nL1cR5yW3zH6dJ0pS2aE"
ANTHROPIC = "sk-ant-" + "api03-Rk3Jx9Lm2Qp7Vt5Wy8Zb1Nc4Hd6Fg0As"
SLACK = "xoxb-" + "123456789012-abcdefghijkl"
GOOGLE = "AIza" + "SyD4f8Kq2Lm9Xz7Vb3Nc5Hj1Pw6Rt0Yu8Ei"
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        (f"key = '{AWS}'", AWS, "token"),
        (f"url: https://x:{GITHUB}@github.com/a/b", GITHUB, "token"),
        (f"OPENAI_API_KEY={OPENAI}", OPENAI, "token"),
        (f'"anthropic": "{ANTHROPIC}"', ANTHROPIC, "token"),
        (f"slack({SLACK!r})", SLACK, "token"),
        (f"+  google: {GOOGLE}", GOOGLE, "token"),
        (f"stripe.api_key = '{STRIPE}'", STRIPE, "token"),
        (f"Authorization: Bearer {JWT}", JWT, "token"),
        ("postgres://app:Hunter2-Sup3r@db.example.com/x", "Hunter2-Sup3r", "password"),
        ("redis://:p4ssw0rd!x@cache:6379/0", "p4ssw0rd!x", "password"),
        ("+DB_PASSWORD=fJ8#kq2Lz9!mW4x", "fJ8#kq2Lz9!mW4x", "secret"),
        ("12: SECRET_KEY = 'k9$2mQx7!vB4nL1c'", "k9$2mQx7!vB4nL1c", "secret"),
        ('{"client_secret": "8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2"}', "8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2", "secret"),
        ("api_token: 8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2", "8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2", "secret"),
        ("Authorization: Bearer 8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2", "8Zb1Nc4Hd6Fg0AsRk3Jx9Lm2", "token"),
    ],
)
def test_a_secret_does_not_leave(text: str, secret: str, kind: str) -> None:
    redacted = Redactor().redact(text)
    assert secret not in redacted
    assert f"REDACTED_{kind}_0" in redacted


@pytest.mark.parametrize("prefix", ["", "+", " ", "12: ", '    "'])
def test_a_private_key_loses_its_body_and_keeps_its_lines(prefix: str) -> None:
    text = "\n".join(prefix + line for line in PEM.split("\n"))
    redacted = Redactor().redact(f"before\n{text}\nafter")
    assert "MIIE" not in redacted
    assert "Mzx1cQ" not in redacted
    assert redacted.count("\n") == text.count("\n") + 2
    assert redacted.startswith("before\n")
    assert redacted.endswith("\nafter")


def test_a_private_key_without_its_end_is_redacted() -> None:
    redacted = Redactor().redact(PEM.split("\n-----END", maxsplit=1)[0].rsplit("\n", 1)[0])
    assert "MIIE" not in redacted


@pytest.mark.parametrize("prefix", ["", "+", " ", "12: ", "+12: ", '    "'])
@pytest.mark.parametrize("suffix", ["", ",", '\\n" +', "\r"])
def test_the_middle_of_a_private_key_does_not_leave(prefix: str, suffix: str) -> None:
    middle = PEM.split("\n")[1:-2]
    redacted = Redactor().redact("before\n" + "\n".join(prefix + line + suffix for line in middle))
    assert "MIIE" not in redacted
    assert redacted.startswith("before\n")
    assert redacted.count("\n") == len(middle)
    assert redacted.endswith("_0" + suffix)


def test_the_first_line_of_a_key_with_few_digits_does_not_leave() -> None:
    first = "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCxYzAbCdEfGhIj"
    assert Redactor().redact(f"2: {first}") == "2: REDACTED_encoded_data_0"


def test_the_rest_of_a_private_key_does_not_leave() -> None:
    redacted = Redactor().redact("\n".join(f"{n}: {line}" for n, line in enumerate(PEM.split("\n")[2:])))
    assert "MIIE" not in redacted
    assert "Mzx1cQ" not in redacted
    assert redacted.startswith("0: REDACTED_private_key_0")


def test_a_line_before_the_end_of_a_key_that_is_redacted_already_stays_as_it_is() -> None:
    once = Redactor().redact(PEM)
    assert Redactor().redact(once) == once


def test_a_private_key_on_one_line_is_redacted() -> None:
    redacted = Redactor().redact('key = "' + PEM.replace("\n", "\\n") + '"')
    assert "MIIE" not in redacted


@pytest.mark.parametrize(
    "harmless",
    [
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "2: " + "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "src/affidavit/contract/ReplyText/ofModels/andTheirTools/inSome42s",
        '"integrity": "sha512-3Zt4tIK9d0lTuI3F2Zl9m7vD1mC0VqFq6j2Jm2m6H2N3k1Qx9Hq0G7cYw5o8b2a=="',
        "    --hash=sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        'checksum = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"',
        "id = '123e4567-e89b-12d3-a456-426614174000'",
        "assert digest == 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'",
        "token_hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'",
        "password = get_password_from_vault2(name)",
        "password = os.environ['DB_PASSWORD_2']",
        "token: TokenKind2 = TokenKind2.next()",
        "DATABASE_URL=postgres://user:${DB_PASSWORD}@localhost/db",
        "url = f'https://{user}:{password}@host/'",
        "API_KEY=your-api-key-here-1234",
        "commit 43457f4e7b1c2a3d4e5f60718293a4b5c6d7e8f9",
        "class sk-circle-fade-dot-animation-delay",
        "secret: <redacted>",
        "https://example.com/a:b/c@d",
        "next_token = tokens[index1]",
        'PASSWORD_FIELD = "password_input"',
    ],
)
def test_what_only_looks_like_a_secret_stays(harmless: str) -> None:
    assert Redactor().redact(harmless) == harmless


def test_texts_inside_data_are_redacted() -> None:
    assert Redactor().redact_all({"lines": [{"text": AWS}], "total": 1}) == {
        "lines": [{"text": "REDACTED_token_0"}],
        "total": 1,
    }


@given(st.text())
def test_the_number_of_lines_stays(text: str) -> None:
    assert Redactor().redact(text).count("\n") == text.count("\n")


@given(st.text(), st.text())
def test_redacting_twice_changes_nothing_more(before: str, after: str) -> None:
    redactor = Redactor()
    once = redactor.redact(f"{before}\n{PEM}\nkey = '{AWS}'\n{after}")
    assert redactor.redact(once) == once


@pytest.mark.parametrize(
    "hostile",
    [
        f"-----BEGIN PRIVATE {'KEY'}-----\n",
        "secret=",
        "token: ",
        "://a:",
        "A" * 99 + "\n",
        "password" * 9 + '="',
        "eyJaaaaaaaaaaaaa.eyJ",
        "cGFzc3dvcmQgaXMgbm90IGhlcmUsIHNvcnJ5 ",
        "\\\\n",
        "<password><token>",
        "a:b@://",
    ],
)
def test_hostile_text_is_read_in_time(hostile: str) -> None:
    text = hostile * (200_000 // len(hostile))
    started = time.process_time()
    Redactor().redact(text)
    assert time.process_time() - started < 2.5


@pytest.mark.parametrize("mark", ["{}: ", "+{}: ", "  {} | "])
def test_the_numbers_of_lines_are_no_part_of_a_key(mark: str) -> None:
    text = "\n".join(mark.format(number) + line for number, line in enumerate(PEM.split("\n"), start=7))
    redacted = Redactor().redact(text).split("\n")
    assert [line.startswith(mark.format(number)) for number, line in enumerate(redacted, start=7)] == [
        True
    ] * 6
    assert not [line for line in PEM_BODY.split("\n") if line in "\n".join(redacted)]


def test_long_secrets_are_found_again() -> None:
    keys = [hashlib.shake_256(str(number).encode()).hexdigest(240) for number in range(300)]
    text = "\n".join(f'api_key = "{key}"\nprint("x{key}y")' for key in keys)
    shown = Redactor().redact(text)
    assert not [key for key in keys if key in shown]


def test_a_file_of_nothing_but_secrets_is_read_in_time_and_none_is_left() -> None:
    tokens = ["ghp_" + hashlib.sha256(str(number).encode()).hexdigest()[:36] for number in range(6000)]
    text = "\n".join(f"{token} beside x{token}y" for token in tokens)
    started = time.process_time()
    shown = Redactor().redact(text)
    assert time.process_time() - started < 10
    assert not [token for token in tokens if token[4:20] in shown]
    assert shown.count("\n") == text.count("\n")


def test_the_bracket_that_ends_the_default_of_a_variable_stays() -> None:
    text = "- DB=${DB:-Server=db.acme.io;User Id=sa;Password=%s}"
    assert Redactor().redact(text % "Xk29fLq7ab") == text % "REDACTED_password_0"
