"""A change finds its files by their paths on either side."""

from affidavit.records.change import FileStatus
from reports import a_change, a_file


def test_a_renamed_file_is_found_by_its_path_of_each_side() -> None:
    moved = a_file("new.py", old_path="old.py", status=FileStatus.RENAMED)
    change = a_change([moved, a_file("other.py")])
    assert change.file_at("new.py") == moved == change.file_at("old.py", "base")
    assert change.file_at("old.py") is change.file_at("new.py", "base") is None


def test_an_added_file_is_not_at_base_and_a_deleted_one_not_at_head() -> None:
    change = a_change(
        [a_file("a.py", status=FileStatus.ADDED), a_file("b.py", status=FileStatus.DELETED)],
    )
    assert change.file_at("a.py", "base") is change.file_at("b.py") is None


def test_a_copy_with_other_files_finds_those() -> None:
    change = a_change([a_file("a.py")])
    assert change.file_at("a.py")
    copy = change.model_copy(update={"files": (a_file("b.py"),)})
    assert (copy.file_at("a.py"), copy.file_at("b.py")) == (None, copy.files[0])
