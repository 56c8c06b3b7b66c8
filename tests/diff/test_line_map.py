"""A line is followed between base and head exactly as the diff says."""

import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.diff.hunks import LineMap
from affidavit.diff.parse import parse_diff
from affidavit.records.change import Hunk
from repositories import clean_environment


def test_without_hunks_every_line_is_the_same():
    lines = LineMap(())
    assert (lines.to_base(7), lines.to_head(7)) == (7, 7)


def test_lines_move_with_what_is_added_and_removed_before_them():
    hunk = Hunk(old_start=2, old_count=3, new_start=2, new_count=4, lines=(" b", "-c", "+C", "+CC", " d"))
    lines = LineMap([hunk])
    assert [lines.to_head(number) for number in range(1, 7)] == [1, 2, None, 5, 6, 7]
    assert [lines.to_base(number) for number in range(1, 8)] == [1, 2, None, None, 4, 5, 6]


def test_a_removed_line_is_placed_where_it_was():
    hunk = Hunk(old_start=2, old_count=3, new_start=2, new_count=4, lines=(" b", "-c", "+C", "+CC", " d"))
    assert [LineMap([hunk]).nearest_head(number) for number in range(1, 6)] == [1, 2, 3, 5, 6]


def test_the_last_lines_that_are_removed_are_placed_at_the_last_that_stays():
    hunk = Hunk(old_start=2, old_count=3, new_start=2, new_count=1, lines=(" b", "-c", "-d"))
    assert [LineMap([hunk]).nearest_head(number) for number in (2, 3, 4)] == [2, 2, 2]


def test_what_is_removed_without_a_line_around_it_is_placed_at_the_line_before():
    hunk = Hunk(old_start=4, old_count=2, new_start=3, new_count=0, lines=("-d", "-e"))
    assert [LineMap([hunk]).nearest_head(number) for number in (3, 4, 5, 6)] == [3, 3, 3, 4]


def test_there_is_no_line_before_the_first():
    lines = LineMap(())
    assert (lines.to_base(0), lines.to_head(-1)) == (None, None)


TEXT = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=25)


@given(old=TEXT, new=TEXT, context=st.integers(0, 3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_map_of_a_real_git_diff_pairs_equal_lines_in_order(
    tmp_path: Path, old: list[str], new: list[str], context: int
):
    (tmp_path / "old").write_text("".join(f"{line}\n" for line in old))
    (tmp_path / "new").write_text("".join(f"{line}\n" for line in new))
    command = ["git", "diff", "--no-index", f"-U{context}", "old", "new"]
    printed = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, check=False)
    hunks = [hunk.to_record() for hunk in parse_diff(printed.stdout)[0].hunks] if printed.stdout else []
    lines = LineMap(hunks)
    pairs = [(number, lines.to_head(number)) for number in range(1, len(old) + 1)]
    kept = [(base, head) for base, head in pairs if head is not None]
    assert all(old[base - 1] == new[head - 1] for base, head in kept)
    assert [lines.to_base(head) for _, head in kept] == [base for base, _ in kept]
    assert [head for _, head in kept] == sorted(head for _, head in kept)
    removed = sum(line.startswith("-") for hunk in hunks for line in hunk.lines)
    added = sum(line.startswith("+") for hunk in hunks for line in hunk.lines)
    assert len(kept) == len(old) - removed
    assert sum(lines.to_base(number) is None for number in range(1, len(new) + 1)) == added
