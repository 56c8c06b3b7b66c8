"""Mutants that could not be compiled or read, whatever the operators are."""

import ast
from pathlib import Path

import pytest
from grounds import ground_of
from hypothesis import given
from hypothesis import strategies as st

import affidavit
from affidavit.lab.mutation.checks import DOES_NOT_PARSE, fault_of
from affidavit.lab.mutation.mutant import ByteEdit, Mutant, apply_edits, mutants, open_ground
from affidavit.lab.mutation.operators import OPERATORS
from affidavit.records.finding import Category


def _mutant(text: str) -> Mutant:
    return Mutant("x", Category.CORRECTNESS, "a.py", text.encode(), 1, 1, "")


def test_a_mutant_that_does_not_parse_is_discarded() -> None:
    ground = ground_of("a.py", "use(size)\n")
    assert fault_of(ground, _mutant("use(size\n")) == DOES_NOT_PARSE
    assert fault_of(ground, _mutant("use(0)\n")) is None


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "src/a.spec.ts", "a_pb2.py", "a.go", "types.d.ts", "docs/a.py", "a.rb"],
)
def test_no_bug_is_planted_in_tests_declarations_generated_files_or_unknown_languages(path: str) -> None:
    assert open_ground(path, b"x = 1\n", frozenset({1})) is None


def test_no_bug_is_planted_in_a_file_that_does_not_parse() -> None:
    assert open_ground("a.py", b"def f(:\n", frozenset({1})) is None


def _own_sources() -> list[Path]:
    root = Path(affidavit.__file__).parent
    return sorted(root.rglob("*.py"))[::6]


@pytest.mark.parametrize("source", _own_sources(), ids=lambda path: path.stem)
def test_pythons_own_parser_reads_every_mutant_that_is_called_sound(source: Path) -> None:
    text = source.read_bytes()
    ground = open_ground(f"src/{source.name}", text, frozenset(range(1, text.count(b"\n") + 2)))
    for operator in OPERATORS if ground else ():
        for mutant in mutants(operator, ground):
            if fault_of(ground, mutant) is None:
                ast.parse(mutant.text)
                assert 1 <= mutant.line <= mutant.end_line <= mutant.text.count(b"\n") + 1


@given(st.binary(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.binary(max_size=3)), max_size=4))
def test_edits_replace_what_they_name_and_keep_the_rest(text: bytes, places: list[tuple[int, bytes]]) -> None:
    edits = [ByteEdit(at, at + 1, new) for at, new in dict(places).items() if at < len(text)]
    expected = bytearray()
    by_place = {edit.start: edit.text for edit in edits}
    for at in range(len(text)):
        expected += by_place.get(at, text[at : at + 1])

    assert apply_edits(text, edits) == bytes(expected)


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(b"abc", [ByteEdit(0, 2), ByteEdit(1, 3)])
