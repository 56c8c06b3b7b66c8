"""Secrets in some ninety forms and twenty-seven types of files are taken out, and ordinary code is not."""

import pytest

from affidavit.redaction.text import redact_content, redact_text
from secret_corpus import FILES, corpus


@pytest.mark.parametrize("seed", range(5))
def test_no_secret_of_any_form_is_left(seed: int) -> None:
    files, secrets = corpus(seed)
    shown = {path: redact_text(text) for path, text in files.items()}
    left = [
        form for form, drawn in secrets.items() if any(one in shown[form.split(": ")[0]] for one in drawn)
    ]
    assert left == []
    assert len(secrets) >= 90
    assert len(FILES) >= 27


def test_every_line_keeps_its_number_and_most_of_the_text_stays() -> None:
    files, _ = corpus()
    for text in files.values():
        assert redact_text(text).count("\n") == text.count("\n")
    shown = redact_text(files["src/app.py"])
    for kept in (
        'password: str = "REDACTED_',
        'os.environ.get("DB_PASSWORD", "REDACTED_',
        "# old password: REDACTED_",
    ):
        assert kept in shown


def test_a_text_of_two_bytes_a_letter_is_read() -> None:
    files, secrets = corpus()
    (path,) = [path for path in files if path.endswith("app.ts")]
    shown = redact_content(files[path].encode("utf-16")).replace(b"\0", b"").decode("latin-1")
    drawn = [one for form, some in secrets.items() if form.startswith(path) for one in some]
    assert [one for one in drawn if one in shown] == []


def test_bytes_of_no_encoding_hide_nothing() -> None:
    token = ("ghp_" + "a8" * 18).encode()
    assert token not in redact_content(b"\xff\xfe\x80 key = '" + token + b"'\x00\xff")


@pytest.mark.parametrize(
    "harmless",
    [
        'key="WindowCoveringConfigStatusOperational",',
        "const visitorKeys = generateReferenceSharedVisitorKeys({",
        'registry-auth-token: "npm:^5.0.1"',
        "current_password_bytes = credentials.password.encode('utf8')",
        "PASSWORD_MATCH = re.compile(r'^(?:.+[-_\\s])?pass(?:[-_\\s]?(?:word|wd)?)$', re.I)",
        "if self.password_lock and not info[1].startswith('*LOCKED*'):",
        'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request"),',
        "def get_encrypted_password(password, hashtype='sha512', salt=None):",
        "'password': '**REDACTED**',",
        'mac += f"/{self._secureon_password}"',
        "pass:?string,",
        "REDIS_AUTHENTICATED_HOST: 'localhost:16380'",
        "postgres://postgres:postgres@localhost:5432/test",
        "https://${USER}:${PASS}@acme.io",
        "token: TokenKind2 = TokenKind2.next()",
        "openssl req -x509 -newkey rsa:4096 -keyout ssl/worker.key",
        '"minipass@npm:^5.0.0 || ^6.0.2":',
        "export type Token = { kind: SyntaxKind; text: string };",
        "csrf_token = request.headers.get('X-CSRFToken')",
        "password = getpass.getpass('Password: ')",
        "assert response.json()['token'] == token_1.value",
        'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")',
        '"secret": "Geheimnis", "password": "Contraseña",',
        "SECRET_KEY = os.environ['SECRET_KEY']",
        "api_key: ${{ secrets.API_KEY_2 }}",
        "<input type='password' name='password' id='password-1' />",
        "next_token = response.get('NextToken', None)",
        "return f'{token[:4]}...{token[-4:]}'",
        "sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'",
        "[%key:component::knx::config_panel::dpt::options::7_002%]",
        '<label for="password" class="tw-flex-1">',
        '"./jwt": "./src/middleware/jwt/jwt.ts",',
        'throw new BadCredentialsException("SubjectX500PrincipalExtractor.noMatching");',
        '"password": reporter_filter.cleansed_substitute,',
        "ACCESS_TOKEN_UPDATE_FREQUENCY = 24.hours.freeze",
        'com-password4j = "1.8.4"',
        '"max_tokens_per_1_minute": max_tokens_per_1_minute,',
        '.refreshToken("refresh-1").subjectToken("access-token-1234")',
        'password: "Minimum 8 characters",',
        'token = "10000000000"',
    ],
)
def test_ordinary_code_is_left_alone(harmless: str) -> None:
    assert redact_text(harmless) == harmless


def test_a_picture_in_a_file_is_no_key() -> None:
    row = "iVBORw0KGgoAAAANSUhEUgAAAlgAAAGQCAYAAABI21pYAAAgAElEQVR4Xuy9B5gcV5X2"[:64]
    text = "\n".join([row, *(row[::-1] for _ in range(9)), ""])
    assert redact_text(text) == text


def test_a_certificate_is_no_key() -> None:
    row = "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ"
    text = "\n".join(["-----BEGIN CERTIFICATE-----", *[row] * 9, "-----END CERTIFICATE-----", ""])
    assert redact_text(text) == text


PHRASES = (
    "correct-horse-battery-9",
    "correct_horse_battery_9",
    "correct.horse.battery.9",
    "CorrectHorseBattery9",
    "hunter2hunter2Xy9",
    "Sunshine2024",
)
IN_QUOTES = (
    '{name} = "{value}"',
    "    self.{name}: str = '{value}'  # for now",
    'connect(user="app", {name}="{value}")',
    "const {name} = `{value}`;",
    "  {name}: '{value}',",
    'const key = process.env.{name} || "{value}";',
    '{name} := "{value}"',
    'private static final String {name} = "{value}";',
    'public string {name} {{ get; set; }} = "{value}";',
    '  "{name}": "{value}",',
    "'{name}' => '{value}',",
    '<user name="app" {name}="{value}"/>',
)
BARE = (
    "  {name}: {value}",
    "{name}={value}",
    "export {name}={value}",
    "ENV {name} {value}",
    "spring.datasource.{name}={value}",
    "      - {name}={value}",
    "<{name}>{value}</{name}>",
)
SURROUNDINGS = (
    "{line}",
    'a = "x"\nb = "y"\n{line}\n',
    "import os\r\n\r\n{line}\r\nprint(1)\r\n",
    "@@ -1,2 +1,3 @@ def f():\n import os\n+{line}\n-x = 1\n",
    "+import os\n {line}\n",
    "-{line}\n+x = 1\n",
)


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("name", ["password", "DB_PASSWORD", "clientSecret", "API_KEY", "auth_token"])
def test_a_phrase_with_a_number_is_hidden_whatever_stands_around_it(name: str, around: str) -> None:
    left = [
        line
        for value in PHRASES
        for form in (*IN_QUOTES, *BARE)
        for line in [form.format(name=name, value=value)]
        if value in redact_text(around.format(line=line))
    ]
    assert left == []


@pytest.mark.parametrize(
    "phrase", ["correct horse battery staple", "correct horse battery 9", "one-blue-wet-goat"]
)
def test_words_that_somebody_strung_together_are_hidden_as_a_password_in_quotes(phrase: str) -> None:
    left = [
        form
        for form in IN_QUOTES
        for name in ("password", "passphrase")
        if phrase in redact_text(form.format(name=name, value=phrase))
    ]
    assert left == []


def test_the_marks_of_a_diff_hide_no_block_of_secrets() -> None:
    diff = "@@ -1,3 +1,4 @@\n apiVersion: v1\n kind: Secret\n data:\n+  a: aHVudGVyMmh1bnRlcjI=\n"
    assert redact_text(diff) == diff.replace("aHVudGVyMmh1bnRlcjI=", "REDACTED_secret_0")
