"""Where a finding stands, as people and agents look for it: by lines, or by the name of what is around it."""

from typing import Literal

from affidavit.records.record import Record

PlaceKind = Literal["line", "range", "function", "section", "element", "path"]
"""function: a definition; section: of a document; element: of markup; path: keys of configuration."""


class Place(Record):
    """The place of a finding on its side, and the lines around it without secrets."""

    kind: PlaceKind
    start: int
    end: int
    name: str = ""
    """What the lines stand in: a definition, a heading, an element, a path of keys."""
    name_start: int | None = None
    """The lines of what is named; None where nothing is."""
    name_end: int | None = None
    before: str = ""
    after: str = ""
