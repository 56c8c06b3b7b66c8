"""Whether what looks like a secret is none: an example, a placeholder, the default of a local service."""

import hashlib
import re

from affidavit.analysers.kingfisher.rules import CONNECTIONS, KEYS, name_of
from affidavit.analysers.kingfisher.values import Login, Place

EXAMPLE = re.compile(
    r"example|sample|dummy|fake|placeholder|change[_-]?me|redacted|replace[_-]?me|insert|your|foobar"
    r"|xxxx|2345678|abcdef|(?:^|[_-])test[_-]|test[_-]?(?:test|token|key|secret)|\.\.\.|\$\{|\{\{|([^a])\1{5}|(?-i:a){6}",
    re.IGNORECASE,
)
"""What only a made-up value has; the keys of machines may have a row of the letter A."""
EXAMPLE_KEY = re.compile(r"example|placeholder|change[_-]?me|redacted|x{8}|\.\.\.|your[_ -]", re.IGNORECASE)
FILLED_IN = re.compile(r"^[$<{\[(:]|\$\{|\{\{|#\{|%\(|%[sdv](?![0-9a-f])|^%\w+%$|^[.x*#_-]+$", re.IGNORECASE)
"""What a program or a reader puts something else in place of."""
COMPUTED = re.compile(r"[A-Za-z_][\w.]*\(")
"""Code, not a value."""
DEFAULT = re.compile(
    r"(?:pass(?:word|wd|phrase)?|p[a@][s$]{2}w[o0]rd|word|pwd?|secret|token|user(?:name)?|admin|root|guest|postgres|mysql|maria(?:db)?"
    r"|mongo(?:db)?|redis|rabbit(?:mq)?|elastic|minio|docker|default|test(?:ing)?|demo|local|dev(?:elop(?:ment|er)?)?"
    r"|prod(?:uction)?|staging|my|our|the|some|a|is|not|db|foo|bar|baz|qwerty|abc|hunter|letmein|welcome|app|api|key"
    r"|service|database|server|host|strong|super|very|secure|here|[\d_.!@#*-]+)+",
    re.IGNORECASE,
)
"""Passwords that are words which everybody tries first."""
LOCAL = re.compile(
    r"localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.local(?:host)?",
    re.IGNORECASE,
)
MADE_UP = re.compile(
    r"(?:[\w.-]+\.)?(?:(?:example|foo|bar|baz)(?:\.\w+)?|test|invalid)|(?:your|my|some)[\w.-]*|host(?:name)?|server|domain(?:\.\w+)?"
    r"|[\w.-]*(?:host|server|domain)(?:name)?\.(?:com|tld)|\W.*|",
    re.IGNORECASE,
)
PORT = re.compile(r":\d*$")
EMULATORS = frozenset(
    (
        "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059",
        "aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615",
    )
)
"""Digests of the keys that every emulator of Azure's storage and of its database has."""
FOR_BROWSERS = re.compile(r"authDomain|messagingSenderId|measurementId|firebase|appspot\.com", re.IGNORECASE)
BROWSER_KEYS = ("gcp-api-key", "google-key-in-address")
MADE_OF_LETTERS = ("huggingface-access-token", "huggingface-organization-api-token")
FEWEST_CHARACTERS = 16
"""A key that is one has more different characters, and a value this long has a digit in it."""
_IN_ADDRESSES = frozenset(map(name_of, CONNECTIONS.split()))
_KEYS = frozenset(map(name_of, KEYS.split()))


def why_no_secret(name: str, place: Place) -> str | None:
    """The reason why what a rule found opens nothing; None where it may."""
    login = place.login if name in _IN_ADDRESSES else None
    if login is not None:
        return _why_no_login(login)
    if name in _KEYS:
        return _why_no_key(place.block)
    if name in BROWSER_KEYS and any(map(FOR_BROWSERS.search, (place.line, *place.below[:12]))):
        return "the key is meant for browsers, where everybody sees it"
    return _why_no_token(place.token, name)


def _why_no_token(value: str, name: str) -> str | None:
    if EXAMPLE.search(value):
        return "the value says that it is an example"
    if hashlib.sha256(value.encode()).hexdigest() in EMULATORS:
        return "the key is the same in every installation of the emulator"
    is_long = len(value) >= FEWEST_CHARACTERS and name not in MADE_OF_LETTERS
    if is_long and not any(map(str.isdigit, value)):
        return "the value is made of words"
    return None


def _why_no_key(text: str) -> str | None:
    body = text.partition("KEY")[2]
    is_key = len({each for each in body if each.isalnum()}) >= FEWEST_CHARACTERS
    return None if is_key and not EXAMPLE_KEY.search(body) else "the key is a placeholder"


def _why_no_login(login: Login) -> str | None:
    host = PORT.sub("", login.host)
    if LOCAL.fullmatch(host):
        return "the service runs on the reader's own machine"
    if MADE_UP.fullmatch(host):
        return "the address is an example"
    password = login.password
    is_default = password in (login.user, host) or DEFAULT.fullmatch(password)
    is_filled_in = FILLED_IN.search(password) or COMPUTED.match(password)
    if is_default or not password or is_filled_in or EXAMPLE.search(password):
        return "the password is a placeholder"
    return None
