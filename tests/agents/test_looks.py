"""How many conversations look at a change, and through which lenses."""

import pytest

from affidavit.agents.chunks import shown_line_count
from affidavit.agents.model_agents import (
    EXPERIMENTER,
    LENSES,
    ONE_LOOK_LINES,
    SHARED_LOOK_LINES,
    looks,
)
from affidavit.records.change import Hunk
from affidavit.records.plan import Chunk, Piece
from claims import change_of, file_change


def added(count: int, context: int = 0) -> Hunk:
    lines = (*(" same" for _ in range(context)), *(f"+line_{number} = 1" for number in range(count)))
    return Hunk(old_start=1, old_count=context, new_start=1, new_count=len(lines), lines=lines)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (ONE_LOOK_LINES, [LENSES]),
        (ONE_LOOK_LINES + 1, [("logic", "codebase-fit"), ("quality", "security")]),
        (SHARED_LOOK_LINES, [("logic", "codebase-fit"), ("quality", "security")]),
        (SHARED_LOOK_LINES + 1, [("logic", "codebase-fit"), ("quality", "security")]),
    ],
)
def test_in_a_larger_change_fewer_lenses_share_a_conversation(
    lines: int, expected: list[tuple[str, ...]]
) -> None:
    assert looks(LENSES, lines) == expected


@pytest.mark.parametrize("lines", [1, ONE_LOOK_LINES + 1, SHARED_LOOK_LINES + 1])
@pytest.mark.parametrize("asked", [("logic",), ("security",), ("logic", "quality"), LENSES, ()])
def test_every_lens_that_is_asked_for_looks_exactly_once(lines: int, asked: tuple[str, ...]) -> None:
    assert sorted(lens for together in looks(asked, lines) for lens in together) == sorted(asked)


@pytest.mark.parametrize("lines", [1, ONE_LOOK_LINES + 1, SHARED_LOOK_LINES + 1])
def test_who_experiments_looks_alone_at_any_size(lines: int) -> None:
    assert (EXPERIMENTER,) in looks((*LENSES, EXPERIMENTER), lines)
    assert looks((EXPERIMENTER,), lines) == [(EXPERIMENTER,)]


def test_only_lines_that_are_shown_count_for_how_many_look() -> None:
    change = change_of(files=(file_change("long.py", hunks=(added(400, context=5),)), file_change("b.py")))
    piece = Piece(path="long.py", hunk=0, start=0, end=25)
    part = Chunk(number=1, paths=("long.py",), tokens=1, pieces=(piece,))
    assert shown_line_count(change, [part]) == 20
    whole = Chunk(number=1, paths=("long.py", "b.py"), tokens=1)
    assert shown_line_count(change, [whole]) == 400 > SHARED_LOOK_LINES
