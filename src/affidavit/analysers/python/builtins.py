"""Who puts a name among the builtins of a program, so that all its files have it: a name in, a file out."""

import re

from affidavit.ports import Tree

TRANSLATING = frozenset(["_", "gettext", "lgettext", "lngettext", "ngettext", "npgettext", "pgettext"])
"""What `install` of the module gettext and of its translations can put there."""
# Not in a comment.
INSTALLS = r"^[^#]*\binstall\("
MAX_INSTALLS = 50


def installer_of(name: str, tree: Tree) -> str | None:
    """The file that puts the name among the builtins; None where none is known to."""
    if not name.isidentifier():
        return None
    hits = tree.search(_sets(name), max_hits=1)
    if hits:
        return hits[0].path
    installs = tree.search(INSTALLS, max_hits=MAX_INSTALLS) if name in TRANSLATING else []
    return next((hit.path for hit in installs if b"gettext" in (tree.read(hit.path) or b"")), None)


def _sets(name: str) -> str:
    module, word = "(__builtin__|__builtins__|builtins)", re.escape(name)
    return (
        rf"^[^#]*\b({module}\.{word}\s*=[^=]"
        rf"|{module}(\.__dict__)?\[['\"]{word}['\"]\]\s*="
        rf"|setattr\(\s*{module}\s*,\s*['\"]{word}['\"])"
    )
