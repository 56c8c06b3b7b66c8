"""The sample change in the package is the one of `sample/`, and it is made once, whole."""

from pathlib import Path

import sample_stream
from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from affidavit.service.routes.about import NAME, make_sample


def test_what_is_packed_is_what_lies_in_the_sample_folder() -> None:
    name = "sample.stream"
    packed = (sample_stream.PACKED / name).read_text()
    assert packed == sample_stream.streams()[name], "python tools/sample_stream.py writes it anew"


def test_the_repository_is_made_once_and_known_to_each_tenant(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        access = Access(store.database)
        assert [make_sample(tmp_path, access, tenant) for tenant in ("one", "two", "one")] == [NAME] * 3
        (known,) = access.repositories("two")
        place = Path(known.location)
    assert [one.name for one in place.parent.iterdir() if one.is_dir()] == [place.name]
