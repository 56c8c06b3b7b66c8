import pytest

from imports.run import import_folder


def test_a_bad_line_stops_the_import(tmp_path):
    (tmp_path / "a.txt").write_text("1\nx\n")
    with pytest.raises(ValueError):
        import_folder(tmp_path)
