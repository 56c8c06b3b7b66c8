"""Make a specialist of each analyser; one that has nothing to read is not even loaded."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from affidavit.analysers.engine.execution import Limits, Slots
from affidavit.analysers.registry import LISTED, Listed, WhyOff, nothing_is_off
from affidavit.ports import Case
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Reply


class MechanicalSpecialist:
    """Runs one analyser as a specialist."""

    kind: SpecialistKind = "mechanical"

    def __init__(
        self,
        reader: Listed,
        *,
        cache_dir: Path | None = None,
        limits: Limits | None = None,
        why_off: WhyOff = nothing_is_off,
        slots: Slots | None = None,
        executable: str = "",
        is_whole: bool = False,
    ) -> None:
        self.name = reader.name
        self._reader = reader
        self._means = (cache_dir, limits or Limits(), slots or Slots())
        self._why_off = why_off
        self._executable = executable
        self._is_whole = is_whole

    def examines(self, file: FileChange) -> bool:
        """Return whether the analyser reads the file, and for more than one narrow thing."""
        return self._reader.reads_for_meaning and self._reader.looks_at(file)

    async def examine(self, case: Case) -> Reply:
        """Examine a change with the analyser."""
        if not any(map(self._reader.concerns, case.change.files)):
            return Reply(specialist=self.name, kind=self.kind, text=None)
        from affidavit.analysers.engine.examine import examine  # noqa: PLC0415 - what runs nothing needs none of it

        started = time.monotonic()
        analyser = self._reader.whole()
        if self._executable:
            analyser = replace(analyser, executable=self._executable)
        reply = await examine(analyser, case, self._why_off, *self._means, is_whole=self._is_whole)
        return reply.model_copy(update={"duration_ms": round((time.monotonic() - started) * 1000)})


def mechanical_specialists(
    *,
    cache_dir: Path | None = None,
    timeout_seconds: float = 120.0,
    disabled: frozenset[str] = frozenset(),
    why_off: WhyOff = nothing_is_off,
    linters: Sequence[Listed] = (),
    programs: Mapping[str, str] | None = None,
    is_whole: bool = False,
) -> list[MechanicalSpecialist]:
    """Return one specialist for each enabled analyser and each linter of the user.

    `programs` has the program of an analyser if the user names one. With `is_whole`, those that read a
    project check all of it, not only what the change can affect.
    """
    slots = Slots()
    return [
        MechanicalSpecialist(
            reader,
            cache_dir=cache_dir,
            limits=Limits(timeout_seconds=timeout_seconds),
            why_off=why_off,
            slots=slots,
            executable=(programs or {}).get(reader.name, ""),
            is_whole=is_whole,
        )
        for reader in (*LISTED, *linters)
        if reader.name not in disabled
    ]
