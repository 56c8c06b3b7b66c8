"""Find secrets by their name: the values of `password` or `api_key`."""

from collections.abc import Iterator

from affidavit.redaction.linear import Match, linear
from affidavit.redaction.names import (
    NAME,
    has_secret_word,
    is_password_name,
    is_secret_name,
    may_have_name,
    name_places,
)
from affidavit.redaction.spans import Span
from affidavit.redaction.values import (
    is_chosen,
    is_key,
    is_phrase,
    is_random,
    is_words_and_number,
    share_of_words,
)

MAX_ASSIGNMENT = 1500
_TYPED = r"((?:[ \t]{0,4}:|[ \t])[ \t]{0,4}[\w.\[\]<>&|*? ]{1,40}?[ \t]{0,4})?"
_PROPERTY = r"(?:[ \t]{0,4}\{ {0,4}get[;,][^{}\n]{0,40}\})?"
_JOINT = r"(=>|:=|===?|!==?|\?=|\+=|[=:,(]|\|\||\?\?|\?:|\bor\b|<-|->|\bis\b|\beq\b)"
_THROUGH = r"((?:[\w.$]{0,40}\s{0,3}[=:(,]\s{0,12}){0,2})"
_TEXT = (
    r"[rbfulL@$]{0,2}(?:\"\"\"([^\"]{4,1000})\"\"\"|'{3}([^']{4,1000})'{3}"
    r"|\"([^\"\n]{4,1000})\"|'([^'\n]{4,1000})'|\x60([^\x60\n]{4,1000})\x60)"
)
QUOTED = linear(
    rf"(?i){NAME}(?:[ \t]{{0,4}}[\"'\x60)\]]){{0,4}}{_TYPED}{_PROPERTY}"
    rf"[ \t]{{0,12}}{_JOINT}\s{{0,12}}{_THROUGH}{_TEXT}"
)
"""A name, perhaps a type, a call or a default between, and a text in any quotes."""
TEXTS = range(5, 10)
READING = linear(
    r"(?i)(?:get\w*|\w*env\w*|fetch|config\w*|define|setdefault|pop|put|set\w*|option\w*|param\w*|lookup|value\w*"
    r"|default\w*|add|with\w*|variable|arg\w*)[!(]{1,2}\s*[\"'\x60]$"
)
"""The code before the name of a setting that is read or written with a value after it."""
MAX_READING = 40
PASSING = linear(
    r"(?i)(?:\w+\.)*(?:\w*secret\w*|str\w*|bytes\w*|\w*quote|\w*key\w*|\w*pass\w*|\w*token\w*|get\w*|\w*env\w*|fetch"
    r"|default\w*|fallback|value\w*|from\w*|of|new|literal|raw|text|\w*decode\w*|some|ok|just|config\w*|sensitive"
    r"|\w*base64\w*|)\s*[=:(,]\s*"
)
"""Calls that pass a value on."""
EXACT_KEY = linear(r"(?i)[\"']?\bkey[\"']?\s{0,4}[:=]\s{0,4}[\"'\x60]([^\"'\x60\s]{20,500})[\"'\x60]")
_LINE_START = (
    r"(?m)^(?:[+\-\s>|#*/;]|\d{1,9}[:|])*"
    r"((?:(?:export|set|setx|ENV|ARG|var|let|const|-e|--env)\s{1,4})*)[\"']?"
)
BARE = linear(
    rf"{_LINE_START}(?i:{NAME})[\"']?(\s{{0,20}}(?:[:?]?=|:)|\s)[ \t]{{0,20}}"
    r"([^\s\"'\x60(){}<>,;]{6,1000})[ \t]{0,20}(?:$|\r|#|//|;|,$|\\$)"
)
"""A line of its own, without quotes: settings, environments."""
SETS = linear(r"export|set|ENV|ARG|-e")
EDGE = linear(r"[+ -]?(?:[ \t]{0,40}- )?")
"""The start of a line that is not indented: a diff mark, a list dash."""
ATTRIBUTE = linear(r"^\w+(?:\.\w+)*\.[A-Za-z_]\w*$")
"""Without quotes, words behind dots are attributes."""
INI_SECTION = linear(r"(?m)^[+ -]?\[[\w .:/@\"-]{1,100}\]\s*$")
TERRAFORM = linear(
    r"(?m)^[+ -]?"
    r"(?:(?:resource|data|provider|module|variable|output)\s+\"[\w-]+\"(?:\s+\"[\w-]+\")?|locals|terraform)\s*\{"
)
TERRAFORM_PASSWORD = linear(
    r"(?i)password[ \t\w.-]{0,20}[\s'\"]{0,3}[=:]{1,2}[\s=]{0,5}\"([a-z0-9=_-]{8,20})\""
)
MIN_STRAY = 12
"""A value that is only near a name must be longer to count as a secret."""


def find_assigned(data: bytes) -> Iterator[Span]:
    """Find the values that are assigned to secret names; spans may overlap."""
    if not may_have_name(data):
        return
    for start in name_places(data):
        found = QUOTED.match(data, start, min(len(data), start + MAX_ASSIGNMENT))
        if found is not None and (span := _quoted(data, found)):
            yield span
    for found in EXACT_KEY.finditer(data):
        if is_key(_text(found, 1)):
            yield Span(*found.span(1), "secret")
    yield from _bare(data)
    yield from _in_terraform(data)


def _quoted(data: bytes, found: Match) -> Span | None:
    name = _text(found, 1)
    group = next(number for number in TEXTS if found.span(number)[0] >= 0)
    value = _text(found, group)
    if not is_secret_name(name) or not _is_quoted_secret(name, value):
        return None
    is_given = _is_given(data, found, name)
    is_believed = is_given or (len(value) >= MIN_STRAY and is_random(value) and not _is_elsewhere(found))
    return Span(*found.span(group), "secret") if is_believed else None


def _is_given(data: bytes, found: Match, name: str) -> bool:
    """Return whether the name gets the string, and it does not only follow the name."""
    joint, through = _text(found, 3), _text(found, 4)
    if _text(found, 2).strip() and (name.lower() == "pass" or _is_attribute(data, found)):
        return False
    if through and not PASSING.fullmatch(_last_step(through).encode()):
        return False
    if joint == "(":
        return not _text(found, 2) and has_secret_word(name.rsplit(".", 1)[-1])
    if joint == ",":
        start = found.span(1)[0]
        return READING.search(data[max(0, start - MAX_READING) : start]) is not None
    return True


def _is_attribute(data: bytes, found: Match) -> bool:
    """Return whether the string belongs to another attribute: `for="password" class="…"`."""
    end = found.span(1)[1]
    return data[end : end + 1] in (b'"', b"'") and not _text(found, 2).strip().startswith(":")


def _last_step(through: str) -> str:
    steps = [step for step in through.replace("(", "(\0").replace("=", "=\0").split("\0") if step.strip()]
    return steps[-1] if steps else ""


def _is_elsewhere(found: Match) -> bool:
    """Return whether the value has another name, which is not secret: `password, hash = "…"`."""
    through = _text(found, 4)
    return bool(through) and not is_secret_name(through.rstrip(" =:(,\n\t"))


def _is_quoted_secret(name: str, value: str) -> bool:
    if " " in value.strip():
        return _is_phrase(name, value)
    if is_password_name(name) and len(value) >= 4:
        return is_chosen(value) or is_phrase(value)
    return len(value) >= 8 and (is_random(value) or is_words_and_number(value, by_machine=True))


def _is_phrase(name: str, value: str) -> bool:
    """Return whether a value with spaces is a passphrase, or random characters."""
    if is_password_name(name) and is_phrase(value):
        return True
    if "mnemonic" in name.lower() or "phrase" in name.lower():
        return len(value.split()) >= 12
    return len(value) >= 24 and share_of_words(value) < 0.6 and is_random(value)


def _bare(data: bytes) -> Iterator[Span]:
    is_ini = INI_SECTION.search(data) is not None
    for found in BARE.finditer(data):
        name, value = _text(found, 2), _text(found, 4)
        if is_secret_name(name) and not value.endswith(("[", "(", "{", ":")):
            is_setting = is_ini or _is_setting(data, found)
            if _is_bare_secret(name, value, is_setting=is_setting):
                yield Span(*found.span(4), "secret")


def _is_setting(data: bytes, found: Match) -> bool:
    """Return whether a line without quotes is a setting; in a program its value would be a name."""
    before, name, joint = (_text(found, group) for group in (1, 2, 3))
    if joint == ":" or (joint.strip() != ":" and name == name.upper()) or SETS.search(before.encode()):
        return True
    start, end = found.span(2)[0], found.span(4)[1]
    is_at_edge = EDGE.fullmatch(data, data.rfind(b"\n", 0, start) + 1, start) is not None
    return is_at_edge and joint == "=" and data[end : end + 1] != b","


def _is_bare_secret(name: str, value: str, *, is_setting: bool) -> bool:
    if not is_setting or ATTRIBUTE.search(value.encode()):
        return len(value) >= 8 and is_random(value)
    if is_password_name(name):
        return is_chosen(value)
    return len(value) >= 8 and (is_random(value) or is_words_and_number(value, by_machine=True))


def _in_terraform(data: bytes) -> Iterator[Span]:
    """Find passwords of Terraform; elsewhere such a string may be a name."""
    if TERRAFORM.search(data):
        for found in TERRAFORM_PASSWORD.finditer(data):
            yield Span(*found.span(1), "password")


def _text(found: Match, group: int) -> str:
    matched: bytes | None = found.group(group)
    return (matched or b"").decode("utf-8", "replace")
