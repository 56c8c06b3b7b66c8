"""The sample change in the package is the one of `sample/`, and it is made once, whole."""

from pathlib import Path

import pytest

import sample_stream
from affidavit.service.kept.access import Access
from affidavit.service.routes.about import BASE, HEAD, NAME, make_sample, sample_diff
from affidavit.store.open import open_store
from repositories import run_git


@pytest.mark.parametrize("name", ["sample.stream", "sample.diff"])
def test_what_is_packed_is_what_lies_in_the_sample_folder(name: str) -> None:
    packed = (sample_stream.PACKED / name).read_text()
    assert packed == sample_stream.streams()[name], "python tools/sample_stream.py writes it anew"


def test_the_repository_is_made_once_and_known_to_each_tenant(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        access = Access(store.database)
        assert [make_sample(tmp_path, access, tenant) for tenant in ("one", "two", "one")] == [NAME] * 3
        (known,) = access.repositories("two")
        place = Path(known.location)
    assert run_git(place, "diff", f"-U{sample_stream.CONTEXT_LINES}", BASE, HEAD).decode() == sample_diff()
    assert [one.name for one in place.parent.iterdir() if one.is_dir()] == [place.name]
