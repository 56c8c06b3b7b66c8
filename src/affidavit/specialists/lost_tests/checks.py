"""What is known of one test: each of its assertions, and how many rounds and cases it is run for."""

from dataclasses import dataclass, field

from affidavit.specialists.lost_tests.strength import Strength

MANY = 1_000


@dataclass(frozen=True)
class Size:
    """How many elements something has."""

    count: int = 1
    source: str = ""
    """What it is made of where nobody knows how many that has; only sizes of one source can be compared."""

    def times(self, other: "Size") -> "Size":
        """The size of each with each."""
        return Size(min(self.count * other.count, MANY * MANY), f"{self.source}|{other.source}".strip("|"))

    def is_less_than(self, other: "Size") -> bool:
        """Whether there are surely fewer."""
        return self.count < other.count and (self.source == other.source or self.count == 0)


@dataclass(frozen=True)
class Check:
    """One assertion that is reached and can fail."""

    text: str
    parts: int = 1
    """So many things it checks."""
    most: int = 1
    """So many it may check, if what it compares as a whole counts by its elements."""
    rounds: Size = field(default_factory=Size)
    is_sure: bool = True
    """Nothing may end the test before, and no condition stands around it."""


@dataclass(frozen=True)
class TestCase:
    """One test of a file: its name, its lines, and what it checks."""

    __test__ = False
    name: str
    path: str
    start: int
    end: int
    checks: tuple[Check, ...] = ()
    """Assertions that are reached and can fail."""
    does: bool = True
    """It calls anything at all."""
    cases: Size = field(default_factory=Size)
    """So many tests it stands for: the cases of a parametrized one."""
    goes_through: int = 0
    """The most elements of anything that it goes through itself."""
    lines: tuple[str, ...] = ()
    """Its code, white space folded."""
    strength: Strength = field(default_factory=Strength)
    """What its assertions ask for."""

    @property
    def room(self) -> int:
        """So many tests it may stand for."""
        return max(self.cases.count, 1)

    @property
    def count(self) -> int:
        """How many things its assertions check, each round for one."""
        return sum(one.parts for one in self.checks)
