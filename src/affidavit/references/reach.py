"""Through which files a symbol can be reached: its own, and those that pass it on by importing it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

from affidavit.records.context import Import, Symbol
from affidavit.references.readers import Imports

Way = Literal["by_name", "by_star", "by_file"]
"""How a file gets at a symbol: it imports the name, everything, or the file."""

MAX_PROVIDERS = 200
MAX_STEPS = 4


@dataclass
class Reach:
    """Which files reach a symbol, and how; files that pass it on are `providers`."""

    name: str
    providers: dict[str, int] = field(default_factory=dict)
    ways: dict[str, Way] = field(default_factory=dict)
    via: dict[str, str] = field(default_factory=dict)
    """The provider from which a file takes the symbol."""

    def is_taken_elsewhere(self, imported: Import) -> bool:
        """The statement takes the same name out of a file, or a package, that does not provide it."""
        return self.name in imported.names and imported.target not in self.providers


def find_reach(
    symbol: Symbol, imports: Imports, defining: Callable[[Collection[str], str], Collection[str]]
) -> Reach:
    """Follow the importers of the symbol's file, and theirs where they take its name along.

    `defining` says which of some files define a name themselves: then others get that one from them.
    """
    reach = Reach(symbol.qualified.partition(".")[0], {symbol.path: 0})
    providers = [symbol.path]
    for steps in range(1, MAX_STEPS + 2):
        taking = list(
            dict.fromkeys(path for provider in providers for path in _takers(reach, provider, imports))
        )
        if not taking or steps > MAX_STEPS:
            break
        own = defining(taking, reach.name)
        providers = [path for path in taking if path not in own][: MAX_PROVIDERS - len(reach.providers)]
        reach.providers.update(dict.fromkeys(providers, steps))
    return reach


def _takers(reach: Reach, provider: str, imports: Imports) -> list[str]:
    """Those who import the name, or everything, from a provider, and are no providers yet."""
    found: dict[str, None] = {}
    for one in imports.importers_of(provider):
        way = _way(one, reach.name)
        _note(reach, one.path, way, provider)
        if way != "by_file" and one.path not in reach.providers:
            found[one.path] = None
    return list(found)


def _way(imported: Import, name: str) -> Way:
    if name in imported.names:
        return "by_name"
    return "by_star" if "*" in imported.names else "by_file"


def _note(reach: Reach, path: str, way: Way, provider: str) -> None:
    known = reach.ways.get(path)
    if known is None or known == "by_file" or way == "by_name":
        reach.ways[path] = way
        reach.via[path] = provider
