"""The tools of an agent: each reads the two trees of a change and answers with data, bad calls as well."""

from collections.abc import Callable
from typing import Any

from affidavit.ports import Repository
from affidavit.records.change import Change
from affidavit.symbols.readers import CodeReaders
from affidavit.tools.arguments import call_tool
from affidavit.tools.descriptions import DESCRIPTIONS
from affidavit.tools.excerpts import Answer, ChangeSides
from affidavit.tools.reading import PastTools, ReadingTools
from affidavit.tools.search import SearchTool
from affidavit.tools.symbols import SymbolTools


class Toolbox:
    """The tools over one change, without its secrets; `call` takes a name and JSON, and never raises."""

    def __init__(self, repository: Repository, change: Change, readers: CodeReaders) -> None:
        sides = ChangeSides(repository.redacted, change, readers)
        reading, past, symbols = ReadingTools(sides), PastTools(sides), SymbolTools(sides)
        self._tools: dict[str, Callable[..., Answer]] = {
            "get_file_context": reading.get_file_context,
            "get_blame": past.get_blame,
            "search": SearchTool(sides).search,
            "list_files": reading.list_files,
            "find_references": symbols.find_references,
            "find_definition": symbols.find_definition,
            "outline": reading.outline,
            "compare_definition": symbols.compare_definition,
            "get_commit_of_line": past.get_commit_of_line,
        }

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """How the tools are described to a model."""
        return [DESCRIPTIONS[name] for name in self._tools]

    def call(self, name: str, arguments: object) -> Answer:
        """Run a tool; a bad call is answered with `error`, a sentence that says what to do instead."""
        return call_tool(name, arguments, self.descriptions, lambda tool, given: self._tools[tool](**given))
