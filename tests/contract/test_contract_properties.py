"""Whatever comes in: an answer, never an exception, and no finding lost."""

import json
import string
from typing import Any

import jsonschema_rs
from contract_replies import finding, finding_1_0, impact, reply, text, verification
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.contract.field_reader import MAX_LINE
from affidavit.contract.parser import ParsedReply, parse_reply
from affidavit.contract.schema import SCHEMAS, to_json
from affidavit.records.diagnostics import Reason
from long_tests import examples

VALIDATORS = {version: jsonschema_rs.validator_for(schema) for version, schema in SCHEMAS.items()}
CHANGED = ["src/a.py", "b.py"]

words = st.sampled_from(
    [
        "",
        " ",
        "high",
        "critical",
        "style",
        "src/a.py",
        "./b.py",
        "../x",
        "12",
        "-1",
        "head",
        "1.1",
        "1.0",
        "1.2.0",
    ]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
    | st.text(max_size=8)
)
names = st.sampled_from(
    [*finding(), *verification(), "side", "searches", "pattern", "paths", "findings", "schema_version", "odd"]
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=6),
    max_leaves=12,
)
changes = st.dictionaries(names, values, max_size=3)
findings = st.one_of(
    values,
    st.builds(lambda change: finding(**change), changes),
    st.builds(lambda change: finding_1_0(**change), changes),
    st.builds(lambda change: finding(verification=verification(**change)), changes),
    st.builds(lambda change: finding(file="far.py", verification=impact(**change)), st.just({})),
)
versions = st.sampled_from(["1.0", "1.1", "1.2", "2.0"])


def check(parsed: ParsedReply) -> None:
    """What holds for every reply."""
    ParsedReply.model_validate_json(parsed.model_dump_json())
    found = {one.code for one in parsed.diagnostics}
    assert (parsed.state == "rejected") == (parsed.result is None) == (Reason.RESPONSE_REJECTED in found)
    assert (parsed.state == "all_dropped") == (Reason.ALL_FINDINGS_DROPPED in found)
    drops = [one.index for one in parsed.diagnostics if one.code is Reason.FINDING_DROPPED]
    assert drops == [dropped.index for dropped in parsed.dropped]
    if parsed.result is None:
        return
    assert len(parsed.indexes) == len(parsed.result.findings)
    assert (parsed.state == "accepted") == bool(parsed.indexes)
    if parsed.state == "clean":
        assert not parsed.dropped
        assert not parsed.is_truncated
    written = json.loads(json.dumps(to_json(parsed.result, parsed.result.schema_version), allow_nan=False))
    VALIDATORS[parsed.result.schema_version].validate(written)
    assert all(made.line <= MAX_LINE for made in parsed.result.findings)


def check_count(parsed: ParsedReply, count: int) -> None:
    """Findings in = kept + dropped."""
    if parsed.state != "rejected":
        seen = [*parsed.indexes, *(dropped.index for dropped in parsed.dropped)]
        assert sorted(seen) == list(range(count))


@given(st.text() | st.text(alphabet='{}[]",:\\ \n`01e.-tfn') | st.characters().map(lambda sign: sign * 5))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_gets_an_answer(reply_text: str) -> None:
    check(parse_reply(reply_text, changed_files=CHANGED))


@given(values)
@settings(max_examples=examples(200), deadline=None)
def test_any_json_value_gets_an_answer(value: Any) -> None:
    check(parse_reply(text(value), changed_files=CHANGED))


@given(
    st.lists(findings, max_size=5),
    versions,
    st.sampled_from(["1.0", "1.1"]),
    st.sampled_from([None, CHANGED]),
)
@settings(max_examples=examples(400), deadline=None)
def test_no_finding_is_lost(made: list[Any], version: str, expected: str, changed: list[str] | None) -> None:
    document = text(reply(*made, schema_version=version))
    parsed = parse_reply(document, schema_version=expected, changed_files=changed)
    check(parsed)
    check_count(parsed, len(made))
    assert (parsed.state == "rejected") == (version == "2.0")
    for dropped in parsed.dropped:
        assert json.dumps(dropped.raw) == json.dumps(made[dropped.index])


@given(st.dictionaries(st.sampled_from([*reply(), "summary", "meta", "odd"]), values, max_size=4))
@settings(max_examples=examples(200), deadline=None)
def test_any_top_level_gets_an_answer(change: dict[str, Any]) -> None:
    check(parse_reply(text(reply(finding(), **change))))


@given(st.lists(findings, min_size=1, max_size=3), st.data())
@settings(max_examples=examples(300), deadline=None)
def test_a_reply_cut_anywhere_loses_at_most_what_was_not_whole(made: list[Any], data: st.DataObject) -> None:
    whole = text(reply(*made))
    parsed = parse_reply(whole[: data.draw(st.integers(0, len(whole) - 1))])
    check(parsed)
    assert parsed.state != "clean"
    for index, kept in zip(parsed.indexes, parsed.result.findings if parsed.result else (), strict=True):
        assert kept.id == str(made[index]["id"]).strip()
    unfinished = [dropped for dropped in parsed.dropped if dropped.code is Reason.TRUNCATED_JSON]
    check_count(parsed, len(parsed.indexes) + len(parsed.dropped))
    assert len(unfinished) <= 1


@given(
    st.sampled_from([reply(finding()), reply(finding(), finding(id="F2")), reply()]),
    st.data(),
    st.sampled_from(string.printable + "\u2028\ud800"),
)
@settings(max_examples=examples(300), deadline=None)
def test_a_reply_with_one_wrong_character_gets_an_answer(
    document: Any, data: st.DataObject, sign: str
) -> None:
    whole = text(document)
    place = data.draw(st.integers(0, len(whole)))
    check(parse_reply(whole[:place] + sign + whole[place + data.draw(st.integers(0, 1)) :]))


@given(
    st.text(alphabet=string.ascii_letters + " {}[]'`\n.,:", max_size=40),
    st.text(alphabet="` \n.}]abc", max_size=20),
)
@settings(max_examples=examples(200), deadline=None)
def test_prose_without_quotes_never_hides_the_result(before: str, after: str) -> None:
    parsed = parse_reply(f"{before}\n{text(reply(finding()))}\n{after}")
    check(parsed)
    assert parsed.state in ("accepted", "rejected")
    if not before.rstrip().endswith(("[", "{")):
        assert parsed.state == "accepted"
