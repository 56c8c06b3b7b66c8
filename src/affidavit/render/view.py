"""What the reader of a report asked to see: the same for every format."""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """What is shown besides what stands, and the format's version where it has several."""

    version: str = ""
    show_withheld: bool = False
    show_nits: bool = False
    is_verbose: bool = False
    """With the whole proof, and what is folded in full."""
