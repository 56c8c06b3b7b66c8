"""Mutants that could not be compiled or read, whatever the operators are."""

import ast
from pathlib import Path

import pytest
from grounds import ground_of
from hypothesis import given
from hypothesis import strategies as st

import affidavit
from affidavit.lab.mutation.checks import DOES_NOT_COMPILE, DOES_NOT_PARSE, fault_of
from affidavit.lab.mutation.mutant import ByteEdit, Mutant, apply_edits, mutants, open_ground
from affidavit.lab.mutation.operators import OPERATORS
from affidavit.records.finding import Category

GO = """
package p

import "fmt"

func f(name string) error {
	size, err := measure(name)
	if err != nil {
		return fmt.Errorf("bad: %w", err)
	}
	return use(size)
}
"""

TWO_BLOCKS = """
package p

func f(name string) error {
	if name != "" {
		size, err := measure(name)
		if err != nil {
			return nil
		}
		use(size)
	}
	err := last()
	return err
}
"""


def _mutant(text: str) -> Mutant:
    return Mutant("x", Category.CORRECTNESS, "a.go", text.encode(), 1, 1, "")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('\tif err != nil {\n\t\treturn fmt.Errorf("bad: %w", err)\n\t}\n', "", DOES_NOT_COMPILE),
        ('fmt.Errorf("bad: %w", err)', "err", DOES_NOT_COMPILE),
        ("use(size)", "use(0)", DOES_NOT_COMPILE),
        ("use(size)", "use(size", DOES_NOT_PARSE),
        ("err != nil", "err == nil", None),
    ],
)
def test_go_refuses_what_leaves_a_variable_or_an_import_unused(old: str, new: str, fault: str | None) -> None:
    ground = ground_of("a.go", GO)
    text = ground.text.decode()
    assert old in text

    assert fault_of(ground, _mutant(text.replace(old, new))) == fault


def test_a_variable_of_another_block_is_another_variable() -> None:
    ground = ground_of("a.go", TWO_BLOCKS)
    guard = "\t\tif err != nil {\n\t\t\treturn nil\n\t\t}\n"
    assert guard in ground.text.decode()

    assert fault_of(ground, _mutant(ground.text.decode().replace(guard, ""))) == DOES_NOT_COMPILE


def test_what_was_unused_before_is_not_held_against_a_mutant() -> None:
    ground = ground_of("a.go", GO.replace("use(size)", "use(0)"))

    assert fault_of(ground, _mutant(ground.text.decode().replace("!= nil", "== nil"))) is None


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "pkg/a_test.go", "src/a.spec.ts", "a.pb.go", "types.d.ts", "docs/a.py", "a.rb"],
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
