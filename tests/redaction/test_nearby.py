"""What is drawn by lot beside a word that speaks of secrets is hidden, however it is handed over."""

import pytest

from affidavit.redaction.text import redact_text

DRAWN = "q7Rk2vX9mZpL4wTs8YbN"
CHOSEN = "Winter2031!"
BESIDE_A_WORD = (
    'variable "db_password" {\n  type = string\n  default = "§"\n}',
    'requests.get(url, auth=("user", "§"))',
    'HTTPBasicAuth("user", "§")',
    'smtp.login("bob@x.com", "§")',
    'parser.add_argument("-p", "--password", type=str, default="§")',
    'user, password = "bob", "§"',
    'passwords = {"bob": "§"}',
    'hmac.new(b"§", msg, "sha256")',
    'headers = {"Authorization": "Bearer " + "§"}',
    "$this->password = <<<EOT\n§\nEOT;",
    "mysql -u bob -p§ db",
    "sshpass -p § ssh x",
    "echo § | docker login --password-stdin",
    "openssl rsa -passin pass:§ -in k",
    "smbclient -U bob%§ //x",
    "kinit bob <<< §",
    'ConvertTo-SecureString "§" -AsPlainText -Force',
    '{"value":"§","name":"api_key"}',
    "args:\n  - --password\n  - §",
    "<key>APIKey</key>\n<string>§</string>",
    "enable secret §",
    "| password | § |",
    "user,password\nbob,§",
    "INSERT INTO users (name, password) VALUES ('bob', '§');",
    'new UsernamePasswordCredentials("user", "§")',
    'cy.get("[name=password]").type("§")',
    "my $password = q{§};",
    "Set-Cookie: auth_token=§; Path=/",
    "- **Password:** `§`",
    '[submodule "a"]\n\turl = https://§@github.com/x',
)
BESIDE_ITS_NAME = (
    '#define DB_PASSWORD "§"',
    'static const char db_password[] = "§";',
    'const DB_PASSWORD: &\'static str = "§";',
    'storePassword "§"',
    "env:\n  - name: DB_PASSWORD\n    value: §",
    '{"name":"DB_PASSWORD","value":"§"}',
    '{"ParameterKey": "DBPassword", "ParameterValue": "§"}',
    "password: |\n  §",
    "password: &pw §",
    "password: !!str §",
    '<entry key="password">§</entry>',
    '<property name="password"><value>§</value></property>',
    "<password><![CDATA[§]]></password>",
    "passwort = §",
    "mot_de_passe = §",
    "contraseña: §",
    "host:5432:db:bob:§",
)


@pytest.mark.parametrize("form", BESIDE_A_WORD)
def test_what_is_drawn_by_lot_beside_a_word_of_secrets_is_hidden(form: str) -> None:
    assert DRAWN[:10] not in redact_text(form.replace("§", DRAWN))


@pytest.mark.parametrize("form", BESIDE_ITS_NAME)
def test_a_chosen_password_is_hidden_however_its_name_stands_to_it(form: str) -> None:
    shown = redact_text(form.replace("§", CHOSEN))
    assert CHOSEN not in shown
    assert shown.count("\n") == form.count("\n")


@pytest.mark.parametrize(
    "joint", ['" + "', '"\n     "', "' . '", "\\\n", "\N{ZERO WIDTH SPACE}", "\N{SOFT HYPHEN}"]
)
def test_a_token_in_parts_is_hidden(joint: str) -> None:
    first, last = "ghp_Zk38Vq1Lw9XmTb27", "RnYc5HsGd0JpAe6UfQoI"
    assert last not in redact_text(f't = "{first}{joint}{last}"')


def test_zero_bytes_strewn_into_a_text_hide_no_secret() -> None:
    text = "x = 1\n" * 20 + f'password\0 = \0"{CHOSEN}"\n'
    assert CHOSEN not in redact_text(text)


@pytest.mark.parametrize(
    "harmless",
    [
        "def public_key(self) -> Ed25519PublicKey: # the private_key's other half",
        "token = getOAuth2TokenUrl(session)",
        "password_hash = sha256_crypt.hash(password, rounds=535000)",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 adds login",
        "id: 123e4567-e89b-12d3-a456-426614174000  # of the session",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDf auth",
        "import { Base64UrlEncoder, X509TrustManager } from './token';",
        'name: DB_PASSWORD\nvalueFrom: "db"',
        'class Token "abstract base"',
        "password: |\n  The password must have eight letters.",
        "from django.contrib.auth.hashers import PBKDF2SHA1PasswordHasher",
    ],
)
def test_names_digests_and_public_keys_beside_such_a_word_stay(harmless: str) -> None:
    assert redact_text(harmless) == harmless
