"""Look for the words by which a change announces or promises what it does."""

from collections.abc import Iterator

from affidavit.records.change import Change

MIN_WORDS = 2
"""Words without meaning for an announcement: any change has one of them."""
MARKS = frozenset({"#", "//", "*", "--", ";", '"""'})


def announcements(change: Change) -> str:
    """Return all text in which a change can announce what it does: its description, and every added line."""
    return _folded("\n".join(_announcements(change)))


def promises(change: Change) -> str:
    """Return the text in which a change says what it fixes."""
    return _folded(f"{change.title}\n{change.description}")


def is_said(words: str, text: str) -> bool:
    """Check whether a text of a change has these words; a single word is not enough."""
    quoted = _folded(words).strip("\"'`“”… .")
    return len(quoted.split()) >= MIN_WORDS and quoted in text


def _announcements(change: Change) -> Iterator[str]:
    yield change.title
    yield change.description
    for commit in change.commits:
        yield commit.subject
        yield commit.body
    for file in change.files:
        for hunk in file.hunks:
            yield "\n".join(line[1:] for line in hunk.lines if line.startswith("+"))


def _folded(text: str) -> str:
    """Fold the words of a text, without the marks of comments."""
    return " ".join(word for word in text.casefold().split() if word not in MARKS)
