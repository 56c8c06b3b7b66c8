"""Regular expressions that linters match with paths, in linear time: as far as they are plain text and `.*`.

An expression of a repository is not run: it may be one that never ends. One that says more than words in
an order (a group with choices inside, a class of characters) matches nothing here.
"""

import re
from collections.abc import Iterator

COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)
VERBOSE = "(?x)"
FOLDER_START = ("(^|/)", "(?:^|/)", "(^|.*/)", "(.*/)?", "(?:.*/)?")
PLAIN = re.compile(r"[\w ./@+~,=:{}-]*")
MAX_LENGTH = 5_000


def matches_expression(path: str, expression: str) -> bool:
    """Whether one of the choices of an expression is found in the path."""
    return any(_is_found(path, choice) for choice in _choices(expression[:MAX_LENGTH]))


def _choices(expression: str) -> Iterator[str]:
    """What stands between the bars, without white space, comments and the group around all of it."""
    text = COMMENT.sub("", expression).replace(VERBOSE, "")
    for start in FOLDER_START:
        text = text.replace(start, "\0")
    text = "".join(text.split())
    group = re.fullmatch(r"([\^\0/]*)\((?:\?:)?(.*)\)(/?\$?)", text)
    before, inside, after = group.groups() if group else ("", text, "")
    for choice in inside.split("|"):
        yield f"{before}{choice}{after}"


def _is_found(path: str, choice: str) -> bool:
    is_start, is_end = choice.startswith("^"), choice.endswith("$") and not choice.endswith(r"\$")
    text = choice.removeprefix("^").removesuffix("$" if is_end else "")
    # Black's expressions begin at the root with a slash.
    has_slash = text.startswith("/") and is_start
    text = text.removeprefix("/") if has_slash else text
    is_name = text.startswith("\0")
    words = [re.sub(r"\\(\W)", r"\1", word) for word in re.split(r"\.\*\??", text.lstrip("\0"))]
    if not any(words) or not all(PLAIN.fullmatch(word) for word in words):
        return False
    return _stand_in_order(f"/{path}" if is_name or not is_start else path, words, is_name, is_start, is_end)


def _stand_in_order(path: str, words: list[str], is_name: bool, is_start: bool, is_end: bool) -> bool:
    first = f"/{words[0]}" if is_name and not words[0].startswith("/") else words[0]
    place = 0
    for number, word in enumerate([first, *words[1:]]):
        found = path.find(word, place)
        if found < 0 or (number == 0 and is_start and found != 0):
            return False
        place = found + len(word)
    return not is_end or words[-1] == "" or path.endswith(words[-1])
