"""A reading without a map and without packages, for panels of scripted models."""

from dataclasses import dataclass

from affidavit.diff.redacted import as_it_leaves
from affidavit.ports import Case, Dependencies, Role, ToolSource
from affidavit.records.change import Change
from affidavit.records.context import ContextMap
from affidavit.specialists.agents.briefing import Fence


@dataclass(frozen=True)
class PlainReading:
    """Offer the same tools to every role."""

    offered: ToolSource
    marks: Fence

    def context(self, _case: Case) -> ContextMap:
        return ContextMap()

    def tools(self, _case: Case, _role: Role = "specialist") -> ToolSource:
        return self.offered

    def fence(self, _change: Change) -> Fence:
        return self.marks

    def redact(self, case: Case) -> Case:
        return as_it_leaves(case)

    def packages(self, _case: Case) -> Dependencies | None:
        return None
