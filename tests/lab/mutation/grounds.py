"""Write code as a commit of which every line is new, and list what an operator would make of it."""

from textwrap import dedent

from affidavit.lab.mutation.mutant import Mutant, PlantingGround, mutants, open_ground
from affidavit.lab.mutation.operators import OPERATORS

BY_NAME = {operator.name: operator for operator in OPERATORS}


def ground_of(path: str, code: str, lines: set[int] | None = None) -> PlantingGround:
    """The code as ground; without lines, all of it is new."""
    text = dedent(code).lstrip("\n").encode()
    every = set(range(1, text.count(b"\n") + 2))
    ground = open_ground(path, text, frozenset(every if lines is None else lines))
    assert ground is not None, "the code of a test must parse"
    return ground


def mutants_of(name: str, path: str, code: str, lines: set[int] | None = None) -> list[Mutant]:
    """What the operator of that name offers."""
    return list(mutants(BY_NAME[name], ground_of(path, code, lines)))


def changed_lines(mutant: Mutant, ground: PlantingGround) -> tuple[list[str], list[str]]:
    """The lines that the mutant has not, and those that the file has not, without their white space."""
    before = [line.strip() for line in ground.text.decode().splitlines()]
    after = [line.strip() for line in mutant.text.decode().splitlines()]
    return [line for line in before if line not in after], [line for line in after if line not in before]
