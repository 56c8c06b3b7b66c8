"""Make a card of each finding: what it says, where, and why it is believed."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from affidavit.proof.running.own_names import both_ends
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Finding
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import why_words
from affidavit.render.html.colour import Painter
from affidavit.render.html.excerpts import Excerpt, cause_excerpt, quote_excerpt
from affidavit.render.html.prose import inline, prose
from affidavit.render.programs import Part, program_parts
from affidavit.render.proof import (
    first_wording,
    patch_text,
    patch_words,
    proof_line,
    proof_steps,
    said_under,
    trial_lines,
    why_withheld,
)
from affidavit.render.safe_text import clip, one_line, visible

_MAX_HITS = 20
_MAX_RAW_LENGTH = 4_000
_MAX_PROGRAM_LENGTH = 20_000
_MAX_PROGRAM_LINES = 400
_MAX_PROGRAM_LINE = 400


@dataclass(frozen=True)
class SearchView:
    """A search that was run again, with what it found."""

    sentence: Markup
    hits: tuple[tuple[str, str], ...]
    left_out: int


@dataclass(frozen=True)
class Card:
    """A finding as the page shows it. `reason` is empty for one that is shown."""

    anchor: str
    severity: str
    title: Markup
    sentence: Markup
    """What goes wrong, for one that is listed by its title only."""
    place: str
    words: tuple[str, ...]
    message: Markup
    claim: tuple[tuple[str, Markup], ...]
    suggestion: Markup
    cause: Excerpt | None
    quote: Excerpt | None
    proof_line: Markup
    proof: tuple[Markup, ...]
    program: tuple[tuple[str, str], ...]
    patch: tuple[str, str]
    """What became of it, and its text; both empty where there is none."""
    searches: tuple[SearchView, ...]
    steps: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, str], ...]
    raw: str
    is_folded: bool
    blocks: bool
    reason: str
    detail: Markup


class CardMaker:
    """Makes the cards of one report; no two of them have the same anchor, which begins with `scope`."""

    def __init__(self, report: Report, painter: Painter, scope: str = "finding") -> None:
        self._report = report
        self._scope = scope
        self._painter = painter
        self._taken: set[str] = set()

    def card(self, candidate: Candidate) -> Card:
        """The card of one candidate, shown or withheld."""
        finding = candidate.finding
        withheld = None if candidate.is_shown else candidate.withheld
        return Card(
            anchor=self._anchor(candidate),
            severity=str(finding.severity) if finding else "none",
            title=inline(wording.title_of(candidate), 300),
            sentence=inline(wording.in_a_sentence(candidate)) if candidate.folded else Markup(""),
            place=clip(visible(wording.place_of(candidate)), 400),
            words=tuple(wording.standing_words(candidate, self._report)),
            message=prose(wording.message_of(finding)) if finding else Markup(""),
            claim=self._claim(candidate, finding),
            suggestion=prose(finding.suggestion or "") if finding else Markup(""),
            cause=self._cause(finding),
            quote=quote_excerpt(candidate, finding, self._report.change, self._painter) if finding else None,
            proof_line=inline(" · ".join(proof_line(candidate, self._report)) if finding else ""),
            proof=_proof(candidate),
            program=shown_parts(program_parts(candidate, self._report.id)),
            patch=_patch(candidate),
            searches=tuple(_search(run) for run in candidate.searches),
            steps=tuple((one_line(step.stage, 80), one_line(step.what, 300)) for step in candidate.steps),
            marks=_marks(candidate, finding),
            raw=_raw(candidate),
            is_folded=candidate.folded,
            blocks=candidate.id in self._report.verdict.blocking,
            reason="" if candidate.is_shown else why_words(candidate),
            detail=inline(why_withheld(candidate, {one.id: one for one in self._report.candidates}))
            if withheld
            else Markup(""),
        )

    def _claim(self, candidate: Candidate, finding: Finding | None) -> tuple[tuple[str, Markup], ...]:
        said = [*(wording.claim(finding) if finding else []), *said_under(candidate, self._report)]
        return tuple((label, inline(text)) for label, text in said)

    def _cause(self, finding: Finding | None) -> Excerpt | None:
        cause = finding.verification.caused_by if finding and finding.verification else None
        return cause_excerpt(cause, self._report.change, self._painter) if cause else None

    def _anchor(self, candidate: Candidate) -> str:
        """The fingerprint as the address of a card: letters, digits and dashes, used once."""
        stem = re.sub(r"[^A-Za-z0-9]+", "-", candidate.fingerprint).strip("-")[:64] or "without-fingerprint"
        anchor, number = f"{self._scope}-{stem}", 1
        while anchor in self._taken:
            number += 1
            anchor = f"{self._scope}-{stem}-{number}"
        self._taken.add(anchor)
        return anchor


def _proof(candidate: Candidate) -> tuple[Markup, ...]:
    """The sentences of the proof without its searches, which are shown with what they found."""
    said = candidate.model_copy(update={"searches": ()})
    first = first_wording(candidate)
    sentences = [*proof_steps(said), *([f"first wording: {first}"] if first else [])]
    return tuple(inline(sentence) for sentence in sentences)


def shown_parts(parts: Sequence[Part]) -> tuple[tuple[str, str], ...]:
    """A program and its outputs, each with its heading; a long program keeps both ends."""
    shown = []
    for part in parts:
        lines = [clip(visible(line, keep="\t"), _MAX_PROGRAM_LINE) for line in part.text.splitlines()]
        text = "\n".join(lines if part.is_output else both_ends(lines, _MAX_PROGRAM_LINES))
        shown.append((one_line(part.heading, 600), text))
    return tuple(shown)


def _patch(candidate: Candidate) -> tuple[str, str]:
    text = patch_text(candidate)
    if not text:
        return "", ""
    shown = "\n".join([*trial_lines(candidate), "", text] if candidate.patch_trial else [text])
    return patch_words(candidate), clip(visible(shown, keep="\n\t"), _MAX_PROGRAM_LENGTH)


def _search(run: SearchRun) -> SearchView:
    where = f" in {wording.listed(run.search.paths)}" if run.search.paths else ""
    outcome = {"nothing_found": "nothing found", "failed": f"failed {run.detail}".strip()}.get(
        run.state, wording.counted(len(run.hits), "hit")
    )
    hits = tuple(
        (clip(visible(f"{hit.path}:{hit.line}"), 300), one_line(hit.text, 300))
        for hit in run.hits[:_MAX_HITS]
    )
    pattern = clip(visible(run.search.pattern), 300)
    result = one_line(f"{where} at {run.search.side}: {outcome}", 600)
    sentence = Markup("searched for <code>{}</code> {}").format(pattern, result)
    return SearchView(sentence=sentence, hits=hits, left_out=len(run.hits) - len(hits))


def _marks(candidate: Candidate, finding: Finding | None) -> tuple[tuple[str, str], ...]:
    """What identifies the finding, and how it stands."""
    elsewhere = finding.verification.where_checked if finding and finding.verification else None
    pairs: Sequence[tuple[str, str | None]] = (
        ("Fingerprint", candidate.fingerprint),
        ("Rule", finding.rule_id if finding else None),
        ("Found by", f"{wording.finder_name(candidate.specialist)} ({candidate.kind})"),
        ("Status", str(candidate.status).replace("_", " ")),
        ("Worth", str(candidate.worth)),
        ("Confidence", candidate.confidence),
        ("Checked elsewhere", elsewhere),
    )
    return tuple((label, one_line(text, 400)) for label, text in pairs if text and text.strip())


def _raw(candidate: Candidate) -> str:
    """What was handed in, where the contract dropped it."""
    if candidate.finding is not None or candidate.raw is None:
        return ""
    return clip(visible(json.dumps(candidate.raw, indent=1, default=str), keep="\n"), _MAX_RAW_LENGTH)
