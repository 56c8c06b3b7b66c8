"""Only paths that stay below a folder are written there."""

from hypothesis import given
from hypothesis import strategies as st

from affidavit.git.text import is_safe_path


@given(st.text(max_size=30))
def test_a_safe_path_has_no_part_that_goes_up(path: str):
    if is_safe_path(path):
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert ".git" not in path.lower().split("/")
