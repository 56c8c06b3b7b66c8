"""Say of a changed link where it leads and what it stands in the place of; nothing is ever followed."""

from posixpath import dirname, isabs, join, normpath

from affidavit.records.change import FileChange
from affidavit.redaction.text import redact_text

LINK = "120000"
MAX_TARGET = 80


def link_words(file: FileChange) -> str:
    """What a link is, in a few words: where it leads, whether out of the repository, what it replaces."""
    target = link_target(file)
    if target is None:
        return "a link"
    is_in_place = file.base_path is not None and file.old_mode not in (None, LINK)
    marks = ["out of the repository"] * leads_out(file.path, target)
    marks += ["in the place of a file"] * is_in_place
    return ", ".join([f"a link to {_short(target)}", *marks])


def link_target(file: FileChange) -> str | None:
    """Where a link leads by its diff; None where the change only moves it."""
    added = [text for hunk in file.hunks for mark, _, _, text in hunk.numbered() if mark == "+"]
    return "\n".join(added) or None


def leads_out(path: str, target: str) -> bool:
    """Whether a link leads to somewhere that is no part of the repository, by its words alone."""
    if isabs(target):
        return True
    place = normpath(join(dirname(path), target)).split("/")
    return place[0] in ("..", ".git")


def _short(target: str) -> str:
    said = redact_text(target)
    return said if len(said) <= MAX_TARGET else said[: MAX_TARGET - 1] + "…"
