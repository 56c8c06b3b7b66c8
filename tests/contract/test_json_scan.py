"""Where a JSON value ends, breaks or is cut off."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.contract.json_scan import scan_json

documents = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=10,
    ),
)


@pytest.mark.parametrize(
    "bad", ['{"a": [}', '{"a": {]', '{"a" 1', '{"a": 1 2', "[1,]", "[,", '{"a": 1,}', "{1", "[truth"]
)
def test_what_no_ending_can_mend_is_malformed(bad: str) -> None:
    assert scan_json(bad, 0).outcome == "malformed"


def test_nesting_is_followed_down_to_a_limit_and_no_further() -> None:
    assert scan_json("[" * 200, 0).outcome == "cut_off"
    assert scan_json("[" * 100_000, 0).outcome == "malformed"


@given(documents, st.sampled_from([None, 1]), st.booleans(), st.data())
@settings(deadline=None)
def test_every_object_is_whole_and_every_part_of_it_is_cut_off(
    document: dict[str, object], indent: int | None, escape: bool, data: st.DataObject
) -> None:
    written = json.dumps(document, indent=indent, ensure_ascii=escape)
    around = f"prose {written} prose"
    scan = scan_json(around, 6)
    assert (scan.outcome, around[6 : scan.end]) == ("whole", written)
    cut = scan_json(written[: data.draw(st.integers(1, len(written) - 1))], 0)
    assert cut.outcome == "cut_off"
    if cut.salvage is not None:
        assert set(json.loads(cut.salvage)) <= set(document)
