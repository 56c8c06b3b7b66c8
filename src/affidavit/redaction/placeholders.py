"""Recognise values that are not secrets: placeholders, examples, default passwords, local hosts.

A placeholder is neither redacted nor reported. An example is redacted but not reported. So every reported
secret is redacted, too.
"""

import base64
import hashlib
import re
from itertools import accumulate

from affidavit.system.late import expression

FILLED_IN = expression(
    r"^\\?\$(?:[\w.]+$|[{(])|^\{|^<|^%(?:[sdvrxq]\b|\w+%$|\()|^\(|^\[|^@\{|^@\w+@?$|^#\{|^\?|^\*+$|^x+$|^\.+$|^your"
    r"|^\W*redacted\W*$|\$\{|\{\{|#\{|%\(|<[\w -]+>|REDACTED_[a-z_]+_\d|\.\.\.|…|xxxx"
    r"|^\*\*|\*\*$|\*{3}|\{[a-z_][\w.]*\}"
    r"|^/\^|\$/[a-z]*$|\(\?[:=!<P]|\[\^|\\[wsdb]\b|\.[*+]|\[(?:a-z|A-Z|0-9)",
    re.IGNORECASE,
)
"""Text that a program or a reader replaces, and patterns."""
MADE_UP = expression(
    r"^(?:my|the|some|an?|new|old|bad|good|wrong|invalid|valid|example|changeme|placeholder|dummy|fake|insert|test|foo"
    r"|enter|replace|todo|none|null|undefined|true|false|env|vault|process|secrets?|os|config|settings)[_ .-]"
    r"|^(?:pass(?:word|wd|phrase|code)?|secret|token|pwd|changeme|none|null|undefined|string|str|text|bytes)\d{0,3}$"
    r"|^(?:sha\d*|md5)[:-]|^(?:npm:)?[~^<>=v]*\d+(?:\.\d+)+|[_-]here$|example|placeholder|change[_-]?me|^\W*(?-i:[A-Z]+(?:_[A-Z]+)+)\W*$",
    re.IGNORECASE,
)
"""Words that say the value is not a secret."""
EXAMPLE = expression(
    r"example|sample|dummy|fake|placeholder|change[_-]?me|redacted|replace[_-]?me|insert|your|foobar"
    r"|xxxx|2345678|abcdef|(?:^|[_-])test[_-]|test[_-]?(?:test|token|key|secret)|\.\.\.|\$\{|\{\{|([^a])\1{5}|(?-i:a){6}",
    re.IGNORECASE,
)
"""Signs of a made-up value; real keys may repeat the letter A."""
CODE = expression(r"^[$:]|%[sdv](?![0-9a-f])|^[.x*#_-]+$|^[a-z_][\w.]*\(", re.IGNORECASE)
"""Signs of code in the place of a password; tokens may begin with a dollar."""
_FIRST_TRIED = (
    r"pass(?:word|wd|phrase)?|pwd?|secret|token|user(?:name)?|admin|root|guest|postgres|mysql|maria(?:db)?|mongo(?:db)?"
    r"|redis|rabbit(?:mq)?|elastic|minio|docker|default|test(?:ing)?|demo|local|dev|prod|my|db|foo|bar|baz|qwerty|abc"
    r"|api|key|app|here|[\d_.*-]"
)
DEFAULT = expression(rf"(?:{_FIRST_TRIED})++", re.IGNORECASE)
"""Default passwords: made of words that everybody tries first."""
# Longer words come first, so that nothing is tried twice and long texts stay fast.
WEAK = expression(
    r"(?:p[a@][s$]{2}w[o0]rd|word|develop(?:ment|er)?|production|staging|our|the|some|is|not|hunter|letmein|welcome"
    rf"|service|database|server|host|strong|super|very|secure|[!@#]|{_FIRST_TRIED}|a)++",
    re.IGNORECASE,
)
"""Default passwords, and other words that nobody would take for a secret."""
LOCAL = expression(
    r"localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.local(?:host)?",
    re.IGNORECASE,
)
MADE_UP_HOST = expression(
    r"(?:[\w.-]+\.)?(?:(?:example|foo|bar|baz)(?:\.\w+)?|test|invalid)|(?:your|my|some)[\w.-]*|host(?:name)?|server|domain(?:\.\w+)?"
    r"|[\w.-]*(?:host|server|domain)(?:name)?\.(?:com|tld)|\W.*|",
    re.IGNORECASE,
)
HOST = expression(r"@?([^\s/?#\"'`<>,;)@]*?)(?::\d*)?(?:[\s/?#\"'`<>,;)@]|$)")
KEY_END = expression(r"-----END[ A-Z]*PRIVATE KEY(?: BLOCK)?-----")
NO_KEY_MATERIAL = expression(r"\A[ A-Z]*-----|\\[nrt]|([^A\s])\1{7,}")
"""Between the marks of a key: the rest of the first, escaped line breaks, and rows of one character."""
BASE64_RUN = expression(r"[A-Za-z0-9+/]+")
WORD = expression(r"[A-Z]?[a-z]*|[A-Z]+")
SMALLEST_DER_BYTES, LONGEST_LENGTH = 46, 0x82
"""Bytes of the smallest key in DER, and the mark of a length that takes two bytes."""
FEWEST_OF_A_KEY, ENOUGH_OF_A_KEY = 100, 300
"""Characters of base64: only a DER structure has fewer than the first; the second suffice for any key."""
EMULATORS = frozenset(
    (
        "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059",
        "aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615",
    )
)
"""Digests of the keys that every emulator of Azure's storage and of its database has."""
FEWEST_CHARACTERS = 16
"""A real key has more different characters."""


def is_placeholder(value: str) -> bool:
    return FILLED_IN.search(value) is not None or MADE_UP.search(value) is not None


def is_login(value: str, host: str) -> bool:
    """Return whether the password of an address is a secret; default ones of a local host are not."""
    if len(value) < 3 or FILLED_IN.search(value):
        return False
    is_default = is_placeholder(value) or DEFAULT.fullmatch(value) is not None
    return not (is_default and _why_no_host(_host_of(host)))


def _host_of(text: str) -> str:
    found = HOST.match(text)
    return found[1] if found else ""


def _why_no_host(host: str) -> str | None:
    """Return why a host is nobody else's; None if it may be."""
    if LOCAL.fullmatch(host):
        return "the service runs on the reader's own machine"
    return "the address is an example" if MADE_UP_HOST.fullmatch(host) else None


def why_no_login(user: str, password: str, host: str) -> str | None:
    """Return why the login of an address opens nothing; None if it may."""
    host = _host_of(host)
    is_default = not password or password in (user, host) or WEAK.fullmatch(password)
    is_made_up = is_default or EXAMPLE.search(password) or CODE.search(password) or is_placeholder(password)
    return _why_no_host(host) or ("the password is a placeholder" if is_made_up else None)


def why_no_token(value: str) -> str | None:
    """Return why a token opens nothing; None if it may."""
    if EXAMPLE.search(value):
        return "the value says that it is an example"
    if hashlib.sha256(value.encode()).hexdigest() in EMULATORS:
        return "the key is the same in every installation of the emulator"
    return None


def why_no_key(text: str) -> str | None:
    """Return why a private key, given from its start, opens nothing; None if it may, or has no end."""
    body, *ends = KEY_END.split(text.partition("PRIVATE KEY")[2])
    return "the key is a placeholder" if ends and not _has_key_material(body) else None


def _has_key_material(body: str) -> bool:
    runs = BASE64_RUN.findall(NO_KEY_MATERIAL.sub(" ", body))
    joined = "".join(runs)
    starts = accumulate(map(len, runs[:-1]), initial=0)
    # A comment may look like the start of a longer key, so every run may be the start.
    sizes = [(start, _der_characters(joined[start : start + 8])) for start in starts]
    is_complete = [start + size <= len(joined) for start, size in sizes if size]
    count = sum(len(run) for run in runs if not WORD.fullmatch(run))
    is_enough = any(is_complete) or count >= (ENOUGH_OF_A_KEY if is_complete else FEWEST_OF_A_KEY)
    return is_enough and len(set(joined)) >= FEWEST_CHARACTERS


def _der_characters(start: str) -> int:
    """Return how many characters of base64 the DER structure has that begins so, or 0 if it is no key's."""
    head = base64.b64decode(start) if len(start) == 8 else b""
    if head[:1] != b"0" or head[1] > LONGEST_LENGTH:
        return 0
    after = max(head[1] - 0x80, 0)
    size = 2 + after + int.from_bytes(head[2 : 2 + after] or head[1:2])
    return -(-size * 4 // 3) if size >= SMALLEST_DER_BYTES else 0
