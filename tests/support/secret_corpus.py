"""Files of many types with secrets in many forms, drawn when the tests run; no secret stands in this file."""

import base64
import json
import random
from collections.abc import Iterator
from string import ascii_letters, ascii_lowercase, digits

ALNUM = ascii_letters + digits
SIGNED = ALNUM + "!#%^*-_+"
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
MARK = "KEY"
"""Keeps scanners from taking this file for one that holds a key."""


class Draw:
    """Draws secrets and remembers them; the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._drawn: list[str] = []

    def take(self) -> list[str]:
        """What was drawn since the last time."""
        drawn, self._drawn = self._drawn, []
        return drawn

    def of(self, letters: str, length: int, prefix: str = "", suffix: str = "") -> str:
        """A secret of so many letters; what stands before and behind it is none."""
        while True:
            drawn = "".join(self._random.choices(letters, k=length))
            # Among so many letters a machine draws a digit, too.
            if any(map(str.isdigit, drawn)) and any(map(str.isalpha, drawn)):
                self._drawn.append(drawn)
                return prefix + drawn + suffix

    def password(self) -> str:
        """As people choose it: a word, digits, a sign."""
        word = "".join(self._random.choices(ascii_lowercase, k=6)).title()
        drawn = f"{word}{self._random.randrange(10, 99)}!{self._random.choice(ascii_lowercase)}"
        self._drawn.append(drawn)
        return drawn

    def key_lines(self, width: int, count: int) -> list[str]:
        """The lines of a key, the last one shorter."""
        return [*(self.of(BASE64, width) for _ in range(count)), self.of(BASE64, 22, suffix="==")]

    def encoded(self, text: str) -> str:
        """Base64 of a text; it gives the text away."""
        written = base64.b64encode(text.encode()).decode()
        self._drawn.append(written.rstrip("="))
        return written


Forms = Iterator[tuple[str, str]]
"""The name of a form, and a text that has it."""


def key_block(draw: Draw, kind: str, width: int = 64, count: int = 6) -> list[str]:
    """A private key in the form of PEM."""
    return [
        f"-----BEGIN {kind}PRIVATE {MARK}-----",
        *draw.key_lines(width, count),
        f"-----END {kind}PRIVATE {MARK}-----",
    ]


def _python(draw: Draw) -> Forms:
    yield "typed", f'password: str = "{draw.password()}"'
    yield "optional type", f'api_key: Optional[str] = "{draw.of(ALNUM, 32)}"'
    yield "environment default", f'PW = os.environ.get("DB_PASSWORD", "{draw.password()}")'
    yield "getenv default", f"TOKEN = os.getenv('SERVICE_TOKEN', '{draw.of(ALNUM, 30)}')"
    yield "keyword default", f'KEY = env("SECRET_KEY", default="{draw.of(SIGNED, 50)}")'
    yield "or default", f'secret = config.get("client_secret") or "{draw.of(ALNUM, 28)}"'
    yield "wrapped", f'token = SecretStr("{draw.of(ALNUM, 26)}")'
    yield "argument", f'connect(user="app", password="{draw.password()}")'
    yield "dictionary", f"SETTINGS = {{'auth_token': '{draw.of(HEX, 40)}'}}"
    yield "comparison", f'if password == "{draw.password()}": pass'
    yield "attribute", f'self.api_secret = "{draw.of(ALNUM, 33)}"'
    yield "setter", f'client.set_password("{draw.password()}")'
    yield "triple quotes", f'PASSPHRASE = """{draw.of(SIGNED, 24)}"""'
    yield "next line", f'ACCESS_KEY = (\n    "{draw.of(ALNUM, 36)}"\n)'
    yield "repeated", _repeated(draw)
    yield "behind an escape", f'TEXT = "token:\\nghp{draw.of(ALNUM, 36, "_")}"'
    yield "comment", f"# old password: {draw.password()}"
    yield "address", f'DB = "postgresql+psycopg://app:{draw.password()}@db.acme.io/x"'
    yield "basic", f'H = {{"Authorization": "Basic {draw.encoded("app:" + draw.password())}"}}'
    yield "bearer", f'headers["Authorization"] = "Bearer {draw.of(ALNUM, 40)}"'
    yield "escaped JSON", f'BODY = "{{\\"password\\": \\"{draw.password()}\\"}}"'
    yield "key in pieces", "\n".join(f'    "{line}\\n"' for line in key_block(draw, "EC ", 48, 4))


def _repeated(draw: Draw) -> str:
    value = draw.of(ALNUM, 24)
    return f'api_token = "{value}"\nprint("curl https://acme.io/{value}/x")'


def _javascript(draw: Draw) -> Forms:
    yield "backticks", f"const password = `{draw.password()}`;"
    yield "or", f'const key = process.env.API_KEY || "{draw.of(ALNUM, 32)}";'
    yield "nullish", f"const t = process.env.AUTH_TOKEN ?? '{draw.of(ALNUM, 32)}';"
    yield "typed field", f'  private readonly clientSecret: string = "{draw.of(ALNUM, 30)}";'
    yield "object", f"  accessKey: '{draw.of(ALNUM, 40)}',"
    hook = f"com/services/{draw.of(ALNUM, 9, 'T')}/{draw.of(ALNUM, 9, 'B')}/{draw.of(ALNUM, 24)}"
    yield "slack webhook", f"fetch('https://hooks.slack.{hook}')"
    yield "stripe", f'stripe("sk_{draw.of(ALNUM, 24, "live_")}")'
    yield "google", f'load("AI{draw.of(ALNUM, 35, "za")}")'
    yield "jwt", f'use("ey{draw.of(ALNUM, 30, "J")}.ey{draw.of(ALNUM, 40, "J")}.{draw.of(ALNUM, 43)}")'
    yield "query", f'get("https://acme.io/x?access_token={draw.of(ALNUM, 32)}&a=b")'
    yield "hugging face", f'hub("h{draw.of(ascii_letters + "7", 34, "f_")}")'


def _go(draw: Draw) -> Forms:
    yield "declared", f'var dbPassword string = "{draw.password()}"'
    yield "short declaration", f'apiToken := "{draw.of(ALNUM, 32)}"'
    yield "constant", f'const signingKey = "{draw.of(BASE64, 44)}"'


def _java(draw: Draw) -> Forms:
    yield "final", f'private static final String SECRET = "{draw.of(SIGNED, 30)}";'
    yield "property", f'System.getProperty("db.password", "{draw.password()}");'
    yield "annotation", f'@Value("${{app.token:{draw.of(ALNUM, 32)}}}")'


def _environment(draw: Draw) -> Forms:
    yield "plain", f"DB_PASSWORD={draw.password()}"
    yield "exported", f"export API_TOKEN={draw.of(ALNUM, 32)}"
    yield "quoted", f'STRIPE_SECRET="{draw.of(ALNUM, 32)}"'
    yield "laravel", f"APP_KEY=base64:{draw.of(BASE64, 43)}="
    yield "sendgrid", f"MAIL=S{draw.of(ALNUM, 22, 'G.')}.{draw.of(ALNUM, 43)}"
    yield "digital ocean", f"DO=do{draw.of(HEX, 64, 'p_v1_')}"
    yield "azure", f"STORE=DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={draw.of(BASE64, 86)}=="


def _ini(draw: Draw) -> Forms:
    yield "aws", f"[default]\naws_access_key_id = AK{draw.of(ascii_letters[26:] + '234567', 16, 'IA')}"
    yield "aws secret", f"aws_secret_access_key = {draw.of(BASE64, 40)}"
    yield "password", f"[database]\npassword = {draw.password()}"
    yield "wireguard", f"[Interface]\nPrivateKey = {draw.of(BASE64, 43)}="


def _yaml(draw: Draw) -> Forms:
    yield "bare", f"database:\n  password: {draw.password()}"
    yield "quoted", f"api_key: '{draw.of(ALNUM, 32)}'"
    yield "rails", f"secret_key_base: {draw.of(HEX, 128)}"
    yield "kubeconfig", f"client-key-data: {draw.encoded(chr(10).join(key_block(draw, 'RSA ')))}"
    yield "block", "tls_key: |\n" + "\n".join(f"  {line}" for line in key_block(draw, "", 76, 5))
    yield "kubeconfig token", f"    token: {draw.of(ALNUM, 60)}"


def _kubernetes(draw: Draw) -> Forms:
    yield "head", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app"
    yield "data", f"data:\n  whatever: {draw.encoded(draw.password())}"
    yield "string data", f"stringData:\n  other: {draw.of(ALNUM, 20)}"


def _shell(draw: Draw) -> Forms:
    yield "before a command", f"PGPASSWORD={draw.password()} psql -h db"
    yield "option", f"mysql --password={draw.password()} app"
    yield "spaced option", f"helm login --password {draw.of(ALNUM, 24)} acme.io"
    yield "curl user", f"curl -u admin:{draw.password()} https://acme.io"
    yield "curl header", f'curl -H "X-Api-Key: {draw.of(ALNUM, 32)}" https://acme.io'
    yield "github", f"git clone https://x:gh{draw.of(ALNUM, 36, 'p_')}@github.com/a/b"


def _docker(draw: Draw) -> Forms:
    yield "from", "FROM debian:12"
    yield "env", f"ENV API_TOKEN={draw.of(ALNUM, 32)}"
    yield "spaced env", f"ENV DB_PASSWORD {draw.of(ALNUM, 20)}"
    yield "arg", f"ARG NPM_TOKEN={draw.of(ALNUM, 36)}"


def _terraform(draw: Draw) -> Forms:
    yield "resource", f'resource "aws_db_instance" "x" {{\n  password = "{draw.password()}"\n}}'
    yield "variable", f'variable "api_token" {{\n  default = "gl{draw.of(ALNUM, 20, "pat-")}"\n}}'


def _xml(draw: Draw) -> Forms:
    yield "element", f"<server><password>{draw.password()}</password></server>"
    yield "attribute", f'<user name="a" password="{draw.password()}"/>'
    yield "setting", f'<add key="ClientSecret" value="{draw.of(ALNUM, 32)}"/>'


def _sql(draw: Draw) -> Forms:
    yield "role", f"CREATE ROLE app LOGIN PASSWORD '{draw.password()}';"
    yield "user", f"CREATE USER 'app'@'%' IDENTIFIED BY '{draw.password()}';"


def _php(draw: Draw) -> Forms:
    yield "define", f"define('DB_PASSWORD', '{draw.password()}');"
    yield "arrow", f"'secret' => '{draw.of(ALNUM, 24)}',"
    yield "salt", f"define('AUTH_KEY', '{draw.of(SIGNED, 30)} {draw.of(SIGNED, 30)}');"


def _properties(draw: Draw) -> Forms:
    yield "spring", f"spring.datasource.password={draw.of(ALNUM, 16)}"
    yield "jdbc", f"url=jdbc:postgresql://db.acme.io/x?user=a&password={draw.password()}"


def _markdown(draw: Draw) -> Forms:
    yield "sentence", f"The password is `{draw.password()}`."
    yield "discord", f"https://discord.com/api/webhooks/{'8' * 18}/{draw.of(ALNUM, 68)}"


def _netrc(draw: Draw) -> Forms:
    yield "one line", f"machine acme.io login app password {draw.password()}"
    yield "several lines", f"machine b.io\n  login app\n  password {draw.of(ALNUM, 14)}"


def _npmrc(draw: Draw) -> Forms:
    yield "token", f"//registry.npmjs.org/:_authToken={draw.of(ALNUM, 36)}"
    yield "npm token", f"//a.io/:_authToken=np{draw.of(ALNUM, 36, 'm_')}"
    yield "password", f"//b.io/:_password={draw.encoded(draw.password())}"


def _credentials(draw: Draw) -> Forms:
    yield "git", f"https://app:{draw.password()}@git.acme.io"


def _json(draw: Draw) -> Forms:
    key = "\n".join([*key_block(draw, "", 64, 26), ""])
    account = {"type": "service_account", "private_key": key, "client_email": "a@b.iam"}
    yield "key with escaped line ends", json.dumps(account, indent=1)


def _docker_config(draw: Draw) -> Forms:
    login = draw.encoded("app:" + draw.password())
    yield "login", json.dumps({"auths": {"acme.io": {"auth": login}}}, indent=1)


def _jwk(draw: Draw) -> Forms:
    yield "exponent", json.dumps({"kty": "EC", "crv": "P-256", "d": draw.of(ALNUM, 43)})


def _openssh(draw: Draw) -> Forms:
    yield "key", "\n".join(key_block(draw, "OPENSSH ", 70, 20))


def _pgp(draw: Draw) -> Forms:
    lines = key_block(draw, "PGP ", 64, 12)
    yield "key", "\n".join([f"{lines[0][:-5]} BLOCK-----", "", *lines[1:-1], f"{lines[-1][:-5]} BLOCK-----"])


def _narrow(draw: Draw) -> Forms:
    yield "key", "\n".join(key_block(draw, "RSA ", 32, 40))


def _putty(draw: Draw) -> Forms:
    body = "\n".join(draw.of(BASE64, 64) for _ in range(3))
    yield "key", f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n{body}\nPrivate-MAC: {draw.of(HEX, 64)}"


def _htpasswd(draw: Draw) -> Forms:
    yield "hash", f"admin:$apr1${draw.of(ALNUM, 8)}${draw.of(ALNUM, 22)}"


FILES = {
    "src/app.py": _python,
    "src/app.ts": _javascript,
    "src/main.go": _go,
    "src/App.java": _java,
    "deploy/.env": _environment,
    "deploy/credentials.ini": _ini,
    "deploy/values.yaml": _yaml,
    "deploy/secret.yaml": _kubernetes,
    "deploy/run.sh": _shell,
    "deploy/Dockerfile": _docker,
    "deploy/main.tf": _terraform,
    "deploy/settings.xml": _xml,
    "deploy/roles.sql": _sql,
    "deploy/config.php": _php,
    "deploy/app.properties": _properties,
    "docs/setup.md": _markdown,
    "home/.netrc": _netrc,
    "home/.npmrc": _npmrc,
    "home/.git-credentials": _credentials,
    "keys/account.json": _json,
    "home/config.json": _docker_config,
    "keys/key.jwk": _jwk,
    "keys/id_rsa": _openssh,
    "keys/signing.asc": _pgp,
    "keys/narrow.pem": _narrow,
    "keys/login.ppk": _putty,
    "deploy/.htpasswd": _htpasswd,
}


def corpus(seed: int = 1) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The files by path, and the secrets in them by form."""
    draw = Draw(seed)
    files: dict[str, str] = {}
    secrets: dict[str, list[str]] = {}
    for path, forms in FILES.items():
        texts = []
        for name, text in forms(draw):
            texts.append(text)
            secrets[f"{path}: {name}"] = draw.take()
        files[path] = "\n".join([*texts, ""])
    return files, {form: drawn for form, drawn in secrets.items() if drawn}
