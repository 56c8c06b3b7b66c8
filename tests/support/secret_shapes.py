# ruff: noqa: E501 - a table of secrets reads best with one a line
"""Made-up secrets of every shape, put together so that no scanner of this repository stumbles over them."""

import random
import re
import re._constants as sre
import re._parser as sre_parser
import string
from collections.abc import Iterable, Mapping
from typing import Any

from affidavit.analysers.kingfisher_rules import name_of

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
RUST_ONLY = (
    (re.compile(r"\[\[:alnum:\]\]"), "[A-Za-z0-9]"),
    (re.compile(r"\\z"), "$"),
    (re.compile(r"\(\?-i:|\(\?[isx]+:"), "(?:"),
    (re.compile(r"\(\?[isx]+\)"), ""),
)
NEAR_A_WORD = r"[ \t\w.-]{0,20}"


def drawn(prefix: str, length: int, seed: object = 11, letters: str = LETTERS) -> str:
    """A value that looks drawn by lot, the same in every run."""
    return prefix + "".join(random.Random(str(seed)).choices(letters, k=length))


def uuid(seed: object) -> str:
    """A value in the form of a UUID."""
    return "-".join(drawn("", size, f"{seed}{size}{n}", HEX) for n, size in enumerate((8, 4, 4, 4, 12)))


def key_block(kind: str, seed: int = 0) -> str:
    """A private key in the form of PEM."""
    body = [drawn("", 64, seed + n) for n in range(5)]
    return "\n".join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----", ""])


def shaped_lines(rules: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Names of kingfisher's rules → a line with a value of the shape that each of them looks for."""
    return {name_of(rule["id"]): BY_HAND.get(name_of(rule["id"])) or _line(rule) for rule in rules}


def _line(rule: Mapping[str, Any]) -> str:
    pattern = rule["pattern"]
    for found, meant in RUST_ONLY:
        pattern = found.sub(meant, pattern)
    tree = sre_parser.parse(pattern)
    chosen = random.Random(rule["id"])
    value = _text(_first_group(tree) or tree, chosen)
    word = re.search(r"[A-Za-z]\w+", pattern.replace("?i:", "")) if NEAR_A_WORD in pattern else None
    return f'{word[0] if word else "value"}_key = "{value}"'


def _first_group(tree: Any) -> Any:
    for kind, given in tree:
        if kind is sre.SUBPATTERN:
            inner = given[3] if given[0] == 1 else _first_group(given[3])
        else:
            inner = next(filter(None, map(_first_group, given[1])), None) if kind is sre.BRANCH else None
        if inner is not None:
            return inner
    return None


def _text(tree: Any, chosen: random.Random) -> str:
    return "".join(_part(kind, given, chosen) for kind, given in tree)


def _part(kind: Any, given: Any, chosen: random.Random) -> str:
    if kind is sre.LITERAL:
        return chr(given)
    if kind is sre.IN:
        return chosen.choice(_members(given))
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, most, inner = given
        times = least if least == 0 or most > 1000 else min(most, least + 2)
        return "".join(_text(inner, chosen) for _ in range(times))
    if kind is sre.SUBPATTERN:
        return _text(given[3], chosen)
    return _text(given[1][-1], chosen) if kind is sre.BRANCH else ""


def _members(given: Any) -> str:
    allowed: set[str] = set()
    for kind, what in given:
        if kind is sre.LITERAL:
            allowed.add(chr(what))
        elif kind is sre.RANGE:
            allowed |= set(map(chr, range(what[0], what[1] + 1)))
        elif kind is sre.CATEGORY:
            allowed |= set(string.digits if what is sre.CATEGORY_DIGIT else LETTERS)
    return "".join(each for each in LETTERS if each in allowed) or "".join(sorted(allowed))


PASSWORD = drawn("", 14)
JSON_KEY = key_block("PRIVATE KEY").replace("\n", "\\n")
# What is no plain value: addresses, several lines, or a secret that kingfisher believes only beside its account.
BY_HAND = {
    "aikido-client-secret": f"id={drawn('AIK_' + 'CLIENT_', 24)}\nsecret={drawn('AIK_' + 'SECRET_', 64)}",
    "artifactory-api-key": f"url: https://acme.jfrog.io\nkey: {drawn('AK' + 'Cp', 69)}",
    "artifactory-reference-token": f"url: https://acme.jfrog.io\nkey: {drawn('cmV' + 'md', 59)}",
    "aws-access-token": (
        f"aws_access_key_id = {drawn('AK' + 'IA', 16, 5, string.ascii_uppercase + '234567')}\n"
        f"aws_secret_access_key = {drawn('', 40, 6)}"
    ),
    "aws-secret-key": f'"aws_secret_access_key": "{drawn("", 40, 6)}"',
    "azure-ad-client-secret": (
        f"tenant_id: {uuid('t')}\nclient_id: {uuid('c')}\nclient_secret: {drawn('', 3)}8Q~{drawn('', 34, 2)}"
    ),
    "azure-app-configuration-connection-string": (
        f"Endpoint=https://acme.azconfig.io;Id=a1b2-l0-s0:x;Secret={drawn('', 43)}="
    ),
    "azure-storage-account-key": f"AccountName=acme;AccountKey={drawn('', 86)}==;EndpointSuffix=core.windows.net",
    "bitbucketcredentials": f"https://deploy:{PASSWORD}@bitbucket.org/acme/shop.git",
    "canadian-digital-service-notify-api-key": (
        f'Authorization: "ApiKey-v1 gcntfy-shop-{uuid("a")}-{uuid("b")}"'
    ),
    "canva-client-secret": f"CANVA_CLIENT_ID={drawn('OC-', 12)}\nCANVA_SECRET={drawn('cn' + 'vca', 51)}",
    "codecatalystcredentials": f"https://deploy:{PASSWORD}@git.us-west-2.codecatalyst.aws/v1/acme/shop",
    "codecommitcredentials": f"https://deploy:{PASSWORD}@git-codecommit.us-east-1.amazonaws.com/v1/repos/shop",
    "credential-uri": f'URL = "postgresql+psycopg2://billing:{PASSWORD}@db.acme.io:5432/billing"',
    "discord-webhook": f"https://discord.com/api/webhooks/{drawn('9', 17, 1, '0123456789')}/{drawn('', 68)}",
    "deepseek-api-key": f'key = "{drawn("sk" + "-", 32, 1, HEX)}"',
    "ebay-client-secret": (
        f"ebay_client_id = acme-shop-PRD-{drawn('', 9, 1, HEX)}-{drawn('', 8, 2, HEX)}\n"
        f"ebay_client_secret = PRD-{drawn('', 8, 3, HEX)}-{drawn('', 4, 4, HEX)}-{drawn('', 4, 5, HEX)}"
        f"-{drawn('', 4, 6, HEX)}-{drawn('', 4, 7, HEX)}"
    ),
    "exoscale-api-key": f"exoscale_key = {drawn('E' + 'XO', 26)}\nexoscale_secret = {drawn('', 43, 2)}",
    "flyio-access-token": f'token = "Fly{"V1"} {drawn("", 120)}"',
    "gcp-application-default-credentials": (
        '{\n  "client_id": "7640-a.apps.googleusercontent.com",\n'
        f'  "client_secret": "{drawn("d-", 22)}",\n  "refresh_token": "{drawn("1//0", 60)}",\n'
        '  "type": "authorized_user"\n}'
    ),
    "gcp-service-account": (
        f'{{\n  "type": "service_account",\n  "private_key": "{JSON_KEY}",\n'
        '  "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs"\n}'
    ),
    "generic-credential-uri": f'DATABASE_URL = "postgres://billing:{PASSWORD}@db.acme.io:5432/billing"',
    "gitlab-incoming-mail-address-token": f"incoming+acme-shop-4711-{drawn('', 25)}-issue@incoming.gitlab.com",
    "google-key-in-address": f"https://maps.googleapis.com/maps/api/js?key={drawn('AI' + 'za', 35)}&v=3",
    "connection-password": f"Server=db.acme.io;Database=shop;User Id=billing;Password={PASSWORD};",
    "jdbc-password": f"jdbc:postgresql://db.acme.io/shop?user=billing&password={PASSWORD}",
    "langfuse-secret-key.1": f"public={'pk-' + 'lf-'}{uuid('p')}\nsecret={'sk-' + 'lf-'}{uuid('s')}",
    "lob-api-key": f'lob_key = "{drawn("live_", 35, 1, HEX)}"',
    "mongodb-atlas-service-account-secret": (
        f"id={drawn('mdb_sa_' + 'id_', 24, 1, HEX)}\nsecret={drawn('mdb_sa_' + 'sk_', 40)}"
    ),
    "mongodb-connection-string": f"mongodb+srv://svc:{PASSWORD}@cluster0.ab1cd.mongodb.net/prod?retryWrites=true",
    "new-relic-insert-key": f"new_relic_key = {drawn('NR' + 'II-', 32, 1, HEX)}",
    "new-relic-user-api-key": f"new_relic_key = {drawn('NR' + 'AK-', 27, 1, HEX)}",
    "okta-access-token": f'okta_token = "{drawn("0" + "0", 40)}"',
    "planetscale-api-token": f"pscale_user_id = {drawn('', 12, 1, HEX)}\ntoken = {drawn('pscale_' + 'tkn_', 43)}",
    "commented-private-key": key_block("RSA " + "PRIVATE KEY").replace(
        "KEY-----\n", "KEY-----\n# -----END x\n", 1
    ),
    "private-key": key_block("RSA " + "PRIVATE KEY"),
    "ramp-client-secret": f"id={drawn('ramp_' + 'id_', 40)}\nsecret={drawn('ramp_' + 'sec_', 48, 2)}",
    "salesforce-access-token.1": f"https://acme.my.salesforce.com\ntoken={drawn('0' + '0D', 12)}!{drawn('', 96, 2)}",
    "shippo-api-token": f'key = "{drawn("shippo_" + "live_", 40, 1, HEX)}"',
    "sidekiq-sensitive-url": f"https://{drawn('', 8, 1, HEX)}:{drawn('', 8, 2, HEX)}@gems.contribsys.com/",
    "slack-app-token": f"token: {'xa' + 'pp'}-1-{drawn('A', 10)}-{drawn('', 13, 1, '0123456789')}-{drawn('', 64, 2, HEX)}",
    "slack-legacy-token": f"token: {'xo' + 'xs'}-{'-'.join(drawn('', 11, n, '0123456789') for n in 'abc')}-{drawn('', 10)}",
    "slack-config-access-token": f"{'xoxe' + '.xoxp'}-1-{drawn('', 163)}",
    "slack-webhook-url": f"https://hooks.slack.com/services/{drawn('T', 8)}/{drawn('B', 8)}/{drawn('', 24)}",
    "supabase-project-api-key": f"https://{drawn('', 20, 1, HEX)}.supabase.co\nkey={drawn('sb_' + 'secret_', 31)}",
    "tableau-personal-access-token.1": (
        f"https://prod-a.online.tableau.com\ntableau_token_name = build\ntoken = {drawn('', 22)}==:{drawn('', 32, 2)}"
    ),
}
