# ruff: noqa: E501 - a table of secrets reads best with one a line
"""Secrets in many forms are found; examples, placeholders and defaults of local services are not.

All texts are files of one change: to start the search takes longer than to search.
"""

import asyncio
import json
import subprocess
from contextlib import contextmanager

import pytest

from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.redaction.text import redact_text
from python_changes import opened_cases
from repositories import Repo
from secret_shapes import HEX, PASSWORD, drawn, key_block

GITHUB = "gh" + "p_"
OPENSSH = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"
AZURITE = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6" + "tq/K1SZFPTOtr/KBHBeksoGMGw=="

SECRETS = {
    "a database": f'DATABASE_URL = "postgres://billing:{PASSWORD}@db.acme.io:5432/billing"',
    "a database by its number": f"postgresql://admin:{PASSWORD}@10.0.3.4/app",
    "a database with its driver": f"postgresql+asyncpg://admin:{PASSWORD}@db.acme.io/app",
    "a database of Java": f"jdbc:mysql://db.acme.io:3306/shop?user=shop&password={PASSWORD}",
    "a database of .NET": f'"Default": "Server=tcp:db.acme.io,1433;Initial Catalog=shop;User ID=shop;Password={PASSWORD};Encrypt=True;"',
    "a database by ODBC": f"Driver={{{{ODBC Driver 18}}}};Server=db.acme.io;Uid=shop;Pwd={PASSWORD}",
    "a database of Npgsql": f"Host=db.acme.io; Port=5432; Username=shop; Password={PASSWORD}",
    "the default of a variable": f"- DB=${{DB:-Server=db.acme.io;Database=shop;User Id=sa;Password={PASSWORD}}}",
    "a cluster": f"mongodb+srv://svc:{PASSWORD}@cluster0.ab1cd.mongodb.net/prod",
    "several hosts": f"mongodb://svc:{PASSWORD}@mongo-0.acme.io:27017,mongo-1.acme.io:27017/prod",
    "a cache without a user": f"redis://:{PASSWORD}@cache.acme.io:6379/0",
    "a queue": f"amqps://queue:{PASSWORD}@rabbit.acme.io/vhost",
    "a server of git": f"git clone https://deploy:{PASSWORD}@git.acme.io/x.git",
    "a server of mail": f"smtp://mailer:{PASSWORD}@smtp.acme.io:587",
    "Google": f'key = "{drawn("AI" + "za", 35)}"',
    "Google in an address": f"https://maps.googleapis.com/maps/api/js?key={drawn('AI' + 'za', 35)}&libraries=places",
    "SendGrid": f'sg = "{drawn("S" + "G.", 22)}.{drawn("", 43, 3)}"',
    "npm": f"//registry.npmjs.org/:_authToken={drawn('npm' + '_', 36)}",
    "AWS by its name": f"AWS_SECRET_ACCESS_KEY={drawn('', 40, 6)}",
    "Stripe": f"stripe.api_key = '{drawn('sk' + '_live_', 24)}'",
    "Slack": f"https://hooks.slack.com/services/{drawn('T', 8)}/{drawn('B', 8)}/{drawn('', 24)}",
    "storage": f"AccountName=acme;AccountKey={drawn('', 86)}==;EndpointSuffix=core.windows.net",
    "a key of OpenSSH": f"-----BEGIN OPENSSH {'PRIVATE'} KEY-----\n{OPENSSH}\n{drawn('', 70)}\n{drawn('', 70, 2)}\n"
    f"-----END OPENSSH {'PRIVATE'} KEY-----",
    "a key of elliptic curves": key_block("EC " + "PRIVATE KEY"),
    "a key of PGP": key_block("PGP " + "PRIVATE KEY BLOCK"),
    "a key in one line": 'key = "' + key_block("PRIVATE " + "KEY").replace("\n", "\\n") + '"',
    "behind other letters than ASCII": f'größe = "ä"; t = "{drawn(GITHUB, 36)}"',
    "with a comment that asks for silence": f't = "{drawn(GITHUB, 36)}"  # kingfisher:ignore gitleaks:allow test example',
}
HARMLESS = {
    "a default": "postgres://postgres:postgres@localhost:5432/app",
    # MKuzich/goit-pythonweb-hw-12 ab7bfc57da73, src/conf/config.py:6.
    "a default in the same network": "postgres://postgres:postgres@db:5432/app",
    "the machine itself": f"postgres://app:{PASSWORD}@localhost/app",
    # docker/awesome-compose 18f59bdb09ec, wasmedge-mysql-nginx/backend/src/main.rs:23.
    "the machine by its number": f"mysql://app:{PASSWORD}@127.0.0.1:3306/app",
    "the machine of a container": f"mysql://app:{PASSWORD}@host.docker.internal/app",
    "the word password": "postgres://user:password@db.acme.io/app",
    "several such words": "mongodb://admin:my_secret_password123@mongo.acme.io/app",
    "the name of the user": "mongodb://billing2024:billing2024@mongo.acme.io/app",
    # sqlalchemy/sqlalchemy f35da7e2b934, lib/sqlalchemy/dialects/postgresql/base.py:311.
    "a host of a manual": f"postgresql+psycopg2://billing:{PASSWORD}@hostname/dbname",
    "a made-up host after another": f"https://foo.com:123,billing:{PASSWORD}@bar.com/path",
    "a default after another host": "postgres://one.internal:5432,admin:password@two.internal/app",
    "an example of a host": f"mongodb://billing:{PASSWORD}@mongo.example.com/app",
    "a host to be filled in": f"mongodb://billing:{PASSWORD}@<host>/app",
    "your host": f"mongodb+srv://billing:{PASSWORD}@your-cluster.mongodb.net/app",
    "a variable of the shell": "postgres://user:${DB_PASSWORD}@db.acme.io/app",
    "another variable of the shell": "mongodb://user:$PASSWORD@db.acme.io/app",
    "a variable of Python": 'f"mongodb://{user}:{password}@{host}/{db}"',
    "a format": "mongodb://%s:%s@%s/%s",
    "a template": "mongodb://user:{{ .Values.password }}@db.acme.io/app",
    "brackets": "mongodb+srv://<user>:<password>@cluster0.ab1cd.mongodb.net/app",
    "stars": "mongodb://user:********@db.acme.io/app",
    "a password of Java to be filled in": "jdbc:mysql://db.acme.io/shop?user=shop&password=${password}",
    # dotnet-architecture/eShopOnContainers 3169a933447f,
    # src/Services/Catalog/Catalog.API/appsettings.Development.json:3.
    "a connection on the machine itself": f"Server=localhost\\SQLEXPRESS;Database=shop;User Id=sa;Password={PASSWORD};",
    "a connection to a file": f"Data Source=(localdb)\\v11;Initial Catalog=a;User ID=sa;Password={PASSWORD};",
    "a connection of a manual": f"Server=myServerAddress;Database=myDataBase;User Id=myUsername;Password={PASSWORD};",
    "a password of a manual": "Server=sql.acme.io;Database=a;User Id=sa;Password=Pass@word;",
    # dotnet-architecture/eShopOnContainers 3169a933447f, src/docker-compose-tests.override.yml:90.
    "the default of a variable": "- DB=${CATALOG_DB:-Server=sqldata;Database=a;User Id=sa;Password=Pass@word}",
    "a connection to be filled in": "Server=tcp:db.acme.io,1433;User ID=shop;Password={your_password};",
    "a connection of variables": "Server=db.acme.io;User Id=$(user);Password=$(password);",
    "settings in one line of code": "host=args.host;user=args.user;password=read_password3(args)",
    "AWS's own example": "AKIA"
    + "IOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/"
    + "bPxRfiCYEXAMPLEKEY",
    "a value that says example": f'"{drawn(GITHUB, 29)}EXAMPLE"',
    "a row of x": f'"{GITHUB}{"x" * 36}"',
    "a row of one digit": f'"{GITHUB}{"0" * 30}123abc"',
    "the alphabet": f'"{GITHUB}abcdefghijklmnopqrstuvwxyz0123456789"',
    "your token": f'"{GITHUB}YourTokenGoesHere1{drawn("", 18)}"',
    "a test account of Stripe": f"'{drawn('sk' + '_test_', 24)}'",
    # Azure/Azurite 9074bea3528e documents the key (README.md:732).
    "the emulator of a storage": f"AccountName=devstoreaccount1;AccountKey={AZURITE};",
    # angular/angularfire b83343df612f, src/test-config.ts:2.
    "a key for browsers": (
        f'const firebaseConfig = {{\n  apiKey: "{drawn("AI" + "za", 35)}",\n  authDomain: "acme.firebaseapp.com",\n}}'
    ),
    "a key that is cut": f"-----BEGIN {'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJT\n...\n"
    f"-----END {'PRIVATE'} KEY-----",
    "a key that is cut after three lines": f"-----BEGIN RSA {'PRIVATE'} KEY-----\nMIIEpAIBAAKCAQEA{drawn('', 48)}\n{drawn('', 64, 2)}\n"
    f"{drawn('', 64, 3)}\n...\n-----END RSA {'PRIVATE'} KEY-----",
    "a key of OpenSSH that is cut": f"-----BEGIN OPENSSH {'PRIVATE'} KEY-----\n{OPENSSH}\n...\n-----END OPENSSH {'PRIVATE'} KEY-----",
    "a key filled up with x": f"-----BEGIN {'PRIVATE'} KEY-----\nMIIEvQIBADANBgkqhkiG9w0{'x' * 1640}\n-----END {'PRIVATE'} KEY-----",
    "a key to be filled in": f"-----BEGIN {'PRIVATE'} KEY-----\n<insert the private key here that you downloaded from the console of your account>\n"
    f"-----END {'PRIVATE'} KEY-----",
    # seanmonstar/reqwest 065a5ae5209d, src/tls.rs:846.
    "a key without a body": f'b"-----BEGIN RSA {"PRIVATE"} KEY-----\\n\\\n    -----END RSA {"PRIVATE"} KEY-----\\n"',
    "a key of x": f"-----BEGIN {'PRIVATE'} KEY-----\n{'x' * 64}\n{'x' * 64}\n-----END {'PRIVATE'} KEY-----",
    "a public key": f"-----BEGIN PUBLIC KEY-----\n{drawn('', 64)}\n{drawn('', 64, 2)}\n-----END PUBLIC KEY-----",
    "a member of an object in packed code": "e=s.getBoundingClientRectang;t=s.isHandlingKeyboardEvents;",
    "a hash": f'EMPTY = "{drawn("", 64, 3, HEX)}"',
    "the integrity of a package": f'"integrity": "sha512-{drawn("", 86)}=="',
    "a revision": f"uses: actions/checkout@{drawn('', 40, 4, HEX)}",
    "a password that is a word": 'password = "hunter2"',
    "the environment": 'KEY = os.environ["GITHUB_TOKEN"]',
}


KINDS = {
    "rsa": ("-t", "rsa", "-b", "2048", "-m", "PEM"),
    "ecdsa": ("-t", "ecdsa", "-m", "PEM"),
    "ecdsa as PKCS 8": ("-t", "ecdsa", "-m", "PKCS8"),
    "ed25519": ("-t", "ed25519"),
}
COMMENTS = ("-----END x", "...", "your example, redacted", "MIIJKQIBAAKCAgEA...", "x" * 80)
DOUBTFUL = (
    "changeme",
    "change_me_9",
    "hunter2",
    "superSecure1",
    "p4s***9xQ",
    "your-password-7",
    "%s",
    "[password]",
)
REPORTED = drawn("", 12)
AGE = drawn("AGE-SECRET-" + "KEY-1", 58, 3, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")
OF_AGE = {"a real one": f'KEY = "{AGE}"\n# ...', "a row of X": f'KEY = "{AGE[:16]}{"X" * 58}"'}


def address(password):
    return f"postgresql://app:{password}@db.shop.io/x"


def commented(kind, folder):
    """A new private key, with every comment that might excuse it."""
    subprocess.run(["ssh-keygen", "-q", *KINDS[kind], "-N", "", "-C", "", "-f", folder / "key"], check=True)
    first, *others = (folder / "key").read_text().splitlines()
    below = "".join(f'    "{line}\\n"\n' for line in others)
    forms = {comment: f'KEY = (\n    "{first}\\n"  # {comment}\n{below})' for comment in COMMENTS}
    forms["a line of its own"] = "\n".join((first, "...", *others))
    forms["far above"] = "\n".join((first, *["# ..."] * 300, *others))
    return forms


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    """All texts by their group and name."""
    keys = {kind: commented(kind, tmp_path_factory.mktemp("keys")) for kind in KINDS}
    passwords = {"passwords": {password: address(password) for password in (*DOUBTFUL, REPORTED)}}
    return {"secrets": SECRETS, "harmless": HARMLESS, "age": OF_AGE, **passwords, **keys}


@pytest.fixture(scope="module")
def found(groups, tmp_path_factory):
    """The names of the texts of each group in which a secret was found."""
    names = {
        f"{number}/{place}.txt": (group, name)
        for number, (group, texts) in enumerate(groups.items())
        for place, name in enumerate(texts)
    }
    after = {path: f"x = 1\n{groups[group][name]}\n" for path, (group, name) in names.items()}
    with contextmanager(opened_cases)(Repo(tmp_path_factory.mktemp("placeholders"))) as case:
        reply = asyncio.run(MechanicalSpecialist(KINGFISHER).examine(case({"x": ""}, after).case))
    findings = zip(json.loads(reply.text)["findings"], reply.suppressed, strict=True)
    files = {finding["file"] for finding, by in findings if not by}
    assert (reply.incomplete, files - names.keys()) == ((), set())
    return {group: {names[file][1] for file in files if names[file][0] == group} for group in groups}


def test_secrets_are_found_in_many_forms(found):
    assert SECRETS.keys() - found["secrets"] == set()


def test_examples_and_placeholders_are_left_alone(found):
    assert found["harmless"] == set()


@pytest.mark.parametrize("kind", KINDS)
def test_no_comment_excuses_a_whole_private_key(kind, groups, found):
    assert groups[kind].keys() - found[kind] == set()


@pytest.mark.parametrize("password", DOUBTFUL)
def test_a_password_that_is_an_example_is_not_reported_and_rather_redacted(password, found):
    assert password not in found["passwords"]
    is_placeholder = password in ("p4s***9xQ", "your-password-7", "%s", "[password]")
    assert (password in redact_text(address(password))) is is_placeholder


def test_what_is_reported_is_redacted(found):
    assert REPORTED in found["passwords"]
    assert REPORTED not in redact_text(address(REPORTED))


def test_a_comment_below_excuses_no_key_of_age(found):
    assert found["age"] == {"a real one"}
