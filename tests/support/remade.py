"""Reports of real reviews that are rechecked many times: the machine looks once, and what it saw is kept."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from affidavit.config.settings import Settings
from affidavit.errors import AffidavitError
from affidavit.ports import Case, Specialist
from affidavit.rechecking.check import Rechecked, recheck
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from affidavit.stages.intake import rebuild_change


@dataclass
class Machine:
    """The mechanical specialists, who look once and say the same again: looking is what takes time."""

    seen: dict[str, Any] = field(default_factory=dict)

    def assemble(self, settings: Settings) -> Sequence[Specialist]:
        key = settings.model_dump_json(exclude={"origins", "sources", "problems"})
        return [Recalling(one, self.seen, key) for one in assemble_crew(settings, cache_dir=None).specialists]


@dataclass
class Recalling:
    """A real specialist that looks at the same change only once."""

    real: Specialist
    seen: dict[str, Any]
    key: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    async def examine(self, case: Case) -> Any:
        key = f"{self.real.name} {case.change.base.tree} {case.change.head.tree} {self.key}"
        key += case.change.model_dump_json(include={"files"})
        if key not in self.seen:
            self.seen[key] = await self.real.examine(case)
        return self.seen[key]


@dataclass
class Made:
    """A real report, as JSON, and its repository."""

    folder: Path
    content: dict[str, Any]
    machine: Machine

    def recheck(self, content: Any) -> Rechecked:
        report = Report.model_validate(content)
        with rebuild_change(report.change, self.folder) as opened:
            return asyncio.run(recheck(report, opened, self.machine.assemble))

    def outcome(self, content: Any) -> bool | None:
        """Whether it holds; None: could not be derived here, or is no report that can be opened."""
        try:
            done = self.recheck(content)
        except (ValidationError, AffidavitError):
            return None
        held = [proof.holds for proof in done.proofs]
        return False if False in held else None if None in held else True
