"""Recognise values that are not secrets: placeholders, examples, default passwords, local hosts.

A placeholder is neither redacted nor reported. An example is redacted but not reported. So every reported
secret is redacted, too.
"""

import re

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
TO_FILL_IN = expression(r"^[$<{\[(:]|\$\{|\{\{|#\{|%\(|%[sdv](?![0-9a-f])|^%\w+%$|^[.x*#_-]+$", re.IGNORECASE)
"""Syntax of placeholders."""
COMPUTED = expression(r"[A-Za-z_][\w.]*\(")
"""Code, not a value."""
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
OWN_HOST = expression(
    r"@?(?:[{$%<]|localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*(?:example|test|invalid|local)\b|default\b)"
)
LOCAL = expression(
    r"localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.local(?:host)?",
    re.IGNORECASE,
)
MADE_UP_HOST = expression(
    r"(?:[\w.-]+\.)?(?:(?:example|foo|bar|baz)(?:\.\w+)?|test|invalid)|(?:your|my|some)[\w.-]*|host(?:name)?|server|domain(?:\.\w+)?"
    r"|[\w.-]*(?:host|server|domain)(?:name)?\.(?:com|tld)|\W.*|",
    re.IGNORECASE,
)
PORT = expression(r":\d*$")


def is_placeholder(value: str) -> bool:
    return FILLED_IN.search(value) is not None or MADE_UP.search(value) is not None


def is_login(value: str, host: str) -> bool:
    """Return whether the password of an address is a secret; default ones of a local host are not."""
    if len(value) < 3 or FILLED_IN.search(value):
        return False
    is_default = is_placeholder(value) or DEFAULT.fullmatch(value) is not None
    return not (is_default and OWN_HOST.match(host))


def is_example(value: str) -> bool:
    """Return whether a value says that it is an example, or is a placeholder."""
    return EXAMPLE.search(value) is not None or is_placeholder(value)


def why_no_login(user: str, password: str, host: str) -> str | None:
    """Return why the login of an address opens nothing; None if it may."""
    host = PORT.sub("", host)
    if LOCAL.fullmatch(host):
        return "the service runs on the reader's own machine"
    if MADE_UP_HOST.fullmatch(host):
        return "the address is an example"
    is_default = not password or password in (user, host) or WEAK.fullmatch(password)
    is_filled_in = TO_FILL_IN.search(password) or COMPUTED.match(password)
    return "the password is a placeholder" if is_default or is_filled_in or is_example(password) else None
