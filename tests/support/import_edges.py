"""What a graph says about one file, short enough to compare at a glance."""

from collections.abc import Callable, Mapping

from affidavit.symbols.import_graph import ImportGraph

Files = Mapping[str, str | bytes | None]
Graph = Callable[[Files], ImportGraph]


def targets(graph: ImportGraph, path: str) -> list[str | None]:
    """The files that a file imports, in its order."""
    return [record.target for record in graph.imports_of(path)]


def taken(graph: ImportGraph, path: str) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """Name as written, file meant and names taken of each import."""
    return [(record.name, record.target, record.names) for record in graph.imports_of(path)]


def pairs(graph: ImportGraph) -> set[tuple[str, str]]:
    """Each pair of an importing and an imported file."""
    return {(path, one.target) for path in graph.paths for one in graph.imports_of(path) if one.target}


def unresolved(graph: ImportGraph) -> list[str]:
    """The names of imports that mean no file of the tree."""
    return [one.name for path in graph.paths for one in graph.imports_of(path) if one.target is None]
