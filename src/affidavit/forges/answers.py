"""Read the commands that people write in comments on findings."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from affidavit.forges.standing import MAX_COMMENT_LENGTH, Edited, OwnNote, Person, Said, Standing
from affidavit.records.change import Dismissed
from affidavit.records.record import Record

# Forges show a footnote only where something refers to it; CommonMark knows none.
_FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\]\n]+\]:[^\n]*(?:\n[^\n]*\S[^\n]*)*", re.MULTILINE)
_LINE_ENDS = re.compile(r"\r\n?")


@lru_cache(maxsize=1_000)
def paragraph_text(body: str) -> str:
    """Return the text of the paragraphs; lines in a list, a link or emphasis keep their marks."""
    text = _FOOTNOTE.sub("", _LINE_ENDS.sub("\n", body))
    lines: list[str] = []
    quotes, before, is_entry = 0, "", False
    for token in _parser().parse(text):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "inline" and before == "paragraph_open" and not quotes:
            # The first line of a list item is marked, so that it is not a command.
            lines.append(("- " if is_entry else "") + _shown(token.children or []))
        is_entry = token.type == "list_item_open" or (is_entry and token.type == "paragraph_open")
        before = token.type
    return "\n".join(lines)


@cache
def _parser() -> MarkdownIt:
    # `\/` is not a command.
    return MarkdownIt("commonmark").disable(["escape", "entity"])


def _shown(parts: list[Token]) -> str:
    """Return a paragraph as text; inline code and HTML become one word."""
    said = {"softbreak": "\n", "hardbreak": "\n", "link_open": "[", "link_close": "]"}
    words: list[str] = []
    for part in parts:
        if part.type == "text":
            words.append(part.content)
        elif part.type in said:
            words.append(said[part.type])
        elif part.type in ("code_inline", "html_inline", "image"):
            sign = {"code_inline": "`", "image": "!"}.get(part.type, "")
            words.append(f"{sign}{' '.join(part.content.split())}{sign}")
        else:
            words.append(part.markup)
    return "".join(words)


DecisionKind = Literal["dismissed", "wrong"]
MAX_WHY_LENGTH = 300
MAX_ASKED = 50
MAX_NOTICES = 10
_COMMAND = re.compile(
    r"^[ \t]*/affidavit[ \t]+(dismiss|wrong)\b[ \t]*(?P<name>[0-9a-f]{16}\b)?[ \t:,-]*(?P<why>.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_WRONG = re.compile(
    r"^[ \t]*(?:this[ \t]+is[ \t]+|that'?s[ \t]+)?wrong\b[ \t.:,!-]*(?P<why>.*)$", re.IGNORECASE
)
_MAY_DECIDE = re.compile(r"/affidavit[ \t]|wrong", re.IGNORECASE)


class Decision(Record):
    """What somebody decided about one finding."""

    kind: DecisionKind
    fingerprint: str
    by: Person
    why: str = ""
    url: str = ""
    comment: str = ""
    """The id of the comment that says so."""
    edited: Edited = ""
    """Not empty if somebody else may have edited it: then it does not count."""

    @property
    def lifts_gate(self) -> bool:
        """Check whether it lifts verdict and gate: a dismissal by somebody with the right to."""
        return self.kind == "dismissed" and self.by.lifting == "lifts"


def read_decisions(standing: Standing) -> list[Decision]:
    """Return all decisions, the oldest first; a finding may have several."""
    return [one for one in _all_decisions(standing) if not one.edited]


def edited_dismissals(standing: Standing) -> list[Decision]:
    """Return the dismissals that do not count because somebody else may have edited them."""
    return [one for one in _all_decisions(standing) if one.edited and one.kind == "dismissed"]


def why_edited(decision: Decision) -> str:
    """Say why an edited dismissal does not count."""
    if decision.edited == "by_another":
        return "somebody other than its author has edited it: it decides nothing"
    return "it was edited, and who did it is not known: it decides nothing"


def edited_notices(standing: Standing) -> list[str]:
    """Return notices about dismissals that do not count."""
    return [
        f"the dismissal of {one.fingerprint} by {one.by.name} ({one.url or 'a comment'}) does not count: "
        f"{why_edited(one)}"
        for one in edited_dismissals(standing)[:MAX_NOTICES]
    ]


def decides(body: str) -> bool:
    """Check whether a comment contains a decision, whoever wrote it."""
    words = _without_quotes(body)
    return bool(_COMMAND.search(words) or _WRONG.match(words.strip()))


def _all_decisions(standing: Standing) -> list[Decision]:
    found = [one for note in standing.findings for one in _about(note)]
    found += [one for said in standing.loose for one in _named(said)]
    return found


def counting_dismissals(standing: Standing) -> tuple[Dismissed, ...]:
    """Return the dismissals that lift verdict and gate, the first for each finding."""
    firsts: dict[str, Dismissed] = {}
    for one in read_decisions(standing):
        if one.lifts_gate:
            why = one.why or "no reason given"
            firsts.setdefault(
                one.fingerprint, Dismissed(fingerprint=one.fingerprint, by=one.by.name, why=why, url=one.url)
            )
    return tuple(firsts.values())


def people_who_dismissed(standing: Standing) -> list[str]:
    """Return the people whose dismissal may lift the gate."""
    return _named_by(standing, "dismissed")


def people_who_decided(standing: Standing) -> list[str]:
    """Return the people whose dismissal or objection may count."""
    # Each takes a request. People beyond the limit stay unknown, and count in no rate.
    called_wrong = _named_by(standing, "wrong")[:MAX_ASKED]
    return list(dict.fromkeys([*people_who_dismissed(standing), *called_wrong]))


def _named_by(standing: Standing, kind: DecisionKind) -> list[str]:
    return list(dict.fromkeys(one.by.name for one in read_decisions(standing) if one.kind == kind))


def _about(note: OwnNote) -> Iterator[Decision]:
    own = note.mark.fingerprint
    for said in note.replies:
        commands = list(_commands(said))
        for kind, name, why in commands:
            if not name or name in note.mark.names:
                yield _decision(kind, own, said, why, note.edited)
        is_wrong = _WRONG.match(_without_quotes(said.body).strip()) if not commands else None
        if is_wrong and not said.by.is_bot:
            yield _decision("wrong", own, said, is_wrong["why"], note.edited)


def _named(said: Said) -> Iterator[Decision]:
    """Yield the decisions in a comment outside our threads; these must name the finding."""
    for kind, name, why in _commands(said):
        if name:
            yield _decision(kind, name, said, why)


def _commands(said: Said) -> Iterator[tuple[DecisionKind, str, str]]:
    if said.by.is_bot:
        return
    kinds: dict[str, DecisionKind] = {"dismiss": "dismissed", "wrong": "wrong"}
    for found in _COMMAND.finditer(_without_quotes(said.body)):
        yield kinds[found[1].lower()], found["name"] or "", found["why"]


def _without_quotes(body: str) -> str:
    """Return a comment without quotes, code and hidden text: an example is not a command."""
    body = body[:MAX_COMMENT_LENGTH]
    return paragraph_text(body) if _MAY_DECIDE.search(body) else ""


def _decision(
    kind: DecisionKind, fingerprint: str, said: Said, why: str, root_edited: Edited = ""
) -> Decision:
    return Decision(
        kind=kind,
        fingerprint=fingerprint,
        by=said.by,
        why=" ".join(why.split())[:MAX_WHY_LENGTH],
        url=said.url,
        comment=said.id,
        # An edit of the thread's first comment may change which finding it is about.
        edited=said.edited or root_edited,
    )
