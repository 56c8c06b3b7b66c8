"""A change is divided so that each part fits, every line is shown once, and what is not shown is said."""

from hypothesis import given
from hypothesis import strategies as st

from affidavit.agents.chunks import Division, definition_starts, divide, shown_hunks
from affidavit.records.change import FileChange, Hunk
from affidavit.records.context import Symbol, SymbolChange
from claims import file_change


def added(lines: list[str], start: int = 1) -> Hunk:
    marked = tuple(f"+{line}" for line in lines)
    return Hunk(old_start=start - 1, old_count=0, new_start=start, new_count=len(lines), lines=marked)


def shown_lines(file: FileChange, division: Division) -> list[tuple[int | None, str]]:
    return [
        (new, text)
        for chunk in division.chunks
        for hunk in shown_hunks(file, chunk)
        for _, _, new, text in hunk.numbered()
    ]


def module(functions: int, body: int = 8) -> list[str]:
    lines: list[str] = []
    for number in range(functions):
        lines += [f"def f{number}():", *[f"    x{line} = {line}" for line in range(body)], ""]
    return lines


def test_files_stay_together_as_long_as_they_fit() -> None:
    files = [file_change(f"{name}.py", hunks=(added(module(2)),)) for name in "abcd"]
    division = divide(files, chunk_tokens=250)
    assert [chunk.paths for chunk in division.chunks] == [("a.py", "b.py"), ("c.py", "d.py")]
    assert not any(chunk.pieces for chunk in division.chunks)


def test_a_file_that_does_not_fit_is_shown_whole_in_parts_that_do() -> None:
    lines = module(200)
    file = file_change("big.py", hunks=(added(lines),))
    division = divide([file], chunk_tokens=2_000)
    assert len(division.chunks) > 3
    assert all(chunk.tokens <= 2_000 for chunk in division.chunks)
    assert shown_lines(file, division) == list(enumerate(lines, start=1))
    assert division.not_shown == ()


def test_a_long_hunk_is_divided_before_a_definition() -> None:
    file = file_change("big.py", hunks=(added(module(200)),))
    for chunk in divide([file], chunk_tokens=2_000).chunks:
        (hunk,) = shown_hunks(file, chunk)
        assert hunk.lines[0].startswith("+def ")


def test_where_the_map_names_definitions_it_is_divided_there() -> None:
    lines = [f"    nested{number}" for number in range(400)]
    symbol = Symbol(path="big.py", name="x", qualified="A.x", kind="method", line=151, end_line=200)
    starts = definition_starts([SymbolChange(fate="added", head=symbol)])
    division = divide([file_change("big.py", hunks=(added(lines),))], starts, chunk_tokens=1_300)
    assert [piece.start for chunk in division.chunks for piece in chunk.pieces][:2] == [0, 150]


def test_a_file_of_many_hunks_is_divided_between_them() -> None:
    hunks = tuple(added(module(4), start=1 + 100 * number) for number in range(6))
    file = file_change("big.py", hunks=hunks)
    division = divide([file], chunk_tokens=500)
    cut = [piece for chunk in division.chunks for piece in chunk.pieces]
    assert len(division.chunks) == 3
    assert [(piece.hunk, piece.start, piece.end) for piece in cut] == [(at, 0, 40) for at in range(6)]


def test_a_line_that_no_conversation_holds_is_named_and_the_rest_is_shown() -> None:
    file = file_change("data.py", hunks=(added(["a = 1", "b = '" + "x" * 50_000 + "'", "c = 3"]),))
    division = divide([file], chunk_tokens=1_000)
    assert [text for _, text in shown_lines(file, division)] == ["a = 1", "c = 3"]
    (said,) = division.not_shown
    assert said == "data.py from line 2 to 2 at head is too long for one conversation"


def test_what_is_beyond_the_last_chunk_is_named() -> None:
    files = [file_change(f"{name}.py", hunks=(added(module(4)),)) for name in "abcd"]
    division = divide(files, chunk_tokens=250, max_chunks=2)
    assert [chunk.paths for chunk in division.chunks] == [("a.py",), ("b.py",)]
    assert division.not_shown == (
        "c.py is left out: the change is too large",
        "d.py is left out: the change is too large",
    )


@given(st.lists(st.sampled_from([" same", "+new", "-old", "+" + "long " * 30]), min_size=1, max_size=60))
def test_the_parts_of_a_hunk_keep_every_line_and_its_numbers(lines: list[str]) -> None:
    old, new = (sum(line[0] != mark for line in lines) for mark in "+-")
    hunk = Hunk(
        old_start=7 - (old == 0), old_count=old, new_start=9 - (new == 0), new_count=new, lines=tuple(lines)
    )
    file = file_change("a.py", hunks=(hunk,))
    division = divide([file], chunk_tokens=60)
    shown = [
        line for chunk in division.chunks for part in shown_hunks(file, chunk) for line in part.numbered()
    ]
    assert shown == list(hunk.numbered())
