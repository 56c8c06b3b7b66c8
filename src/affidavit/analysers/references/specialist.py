"""Find uses of what a change removed; the search is loaded only if the change has code."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from affidavit.analysers.registry import WhyOff, nothing_is_off
from affidavit.errors import GitError
from affidavit.events import EventName, event
from affidavit.git.blob_cache import BlobCache
from affidavit.languages.registry import parsed_family
from affidavit.ports import Case
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Gap, Reply

if TYPE_CHECKING:
    from affidavit.analysers.references.search import ReferenceSearch

NAME = "references"
FAMILIES = frozenset(("go", "java", "javascript", "php", "python", "ruby"))


class BrokenReferences:
    """Compares the names that base and head provide with the names that head still uses."""

    name = NAME
    kind: SpecialistKind = "mechanical"

    def __init__(self, *, cache_dir: Path | None = None, why_off: WhyOff = nothing_is_off) -> None:
        self._cache = BlobCache(cache_dir)
        self._why_off = why_off

    def examines(self, file: FileChange) -> bool:
        """Check whether the file is code of a language whose references are searched."""
        is_unknown = file.is_partial or file.is_binary or file.is_submodule or file.is_link
        return not (is_unknown or file.skipped) and parsed_family(file.path) in FAMILIES

    async def examine(self, case: Case) -> Reply:
        """Search both trees and report what is proven."""
        started = time.monotonic()
        is_whole = not any(file.is_partial for file in case.change.files)
        if not is_whole or not any(self.examines(file) for file in case.change.files):
            # A bare diff shows only fragments, which prove nothing about missing names.
            return self._reply(started)
        case.emit(event(EventName.TOOL_CALLED, agent="reviewer", specialist=NAME, tool=NAME, args={}))
        try:
            found = await asyncio.to_thread(self.look, case, self._cache)
        except GitError as error:
            part = Gap(
                name=NAME, reason=f"the references could not be searched: {error}", advice="Try again."
            )
            return self._reply(started, incomplete=(part,))
        from affidavit.analysers.references.search import explain  # noqa: PLC0415 - only code needs it

        parts = tuple(
            Gap(name=NAME, reason=said, advice="Look for its uses by hand.") for said in found.unread
        )
        return self._reply(
            started,
            incomplete=parts,
            suppressed=tuple(one.suppressed_by for one in found.breaks),
            **explain(found, case),
        )

    def look(self, case: Case, cache: BlobCache | None = None) -> "ReferenceSearch":
        """Return every broken reference that is proven, worst first."""
        from affidavit.analysers.references.search import search  # noqa: PLC0415 - only code needs it

        return search(case, self._why_off, cache)

    def _reply(self, started: float, text: str | None = None, **parts: Any) -> Reply:
        duration_ms = round((time.monotonic() - started) * 1000)
        return Reply(specialist=NAME, kind=self.kind, text=text, duration_ms=duration_ms, **parts)
