"""Related files: ordered by how likely the change matters to them, each with its reason."""

from typing import Any

from affidavit.context.history import Companion
from affidavit.context.relevance import Ties, rank_related
from affidavit.context.sources import Called
from affidavit.context.texts import ChangedText, SharedText
from affidavit.records.context import Import, Reference, RelatedFile
from affidavit.records.evidence import SearchHit

CHANGED = frozenset({"shop/prices.py"})


def use(path: str, **fields: Any) -> Reference:
    defaults = {
        "symbol": "total",
        "line": 3,
        "text": "total(items)",
        "kind": "call",
        "verification_method": "test",
        "certainty": "certain",
    }
    return Reference(**{**defaults, "path": path, **fields})


def importing(path: str, target: str = "shop/prices.py") -> Import:
    return Import(path=path, line=1, name=target, target=target)


def sharing(path: str, text: str = "old_rate", *, line: int = 4) -> SharedText:
    return SharedText(path, ChangedText(text, "replaces", "shop/prices.py"), (line,))


def ranked(**ties: Any) -> list[RelatedFile]:
    return rank_related(Ties(**ties), CHANGED)[0]


def paths(files: list[RelatedFile]) -> list[str]:
    return [file.path for file in files]


def test_callers_come_before_importers_before_what_changes_together_before_dependencies() -> None:
    files = ranked(
        references=[use("caller.py")],
        importers=[importing("importer.py")],
        imports=[importing("shop/prices.py", "dependency.py")],
        companions=[Companion("companion.csv", "shop/prices.py", 4, 5)],
        tests={"tests/test_prices.py": ["shop/prices.py"]},
        documents=[("shop/prices.py", SearchHit(path="docs/a.md", line=2, text="see shop/prices.py"))],
        texts=[sharing("events.yaml")],
    )
    assert paths(files) == [
        "caller.py",
        "tests/test_prices.py",
        "events.yaml",
        "importer.py",
        "docs/a.md",
        "companion.csv",
        "dependency.py",
    ]


def test_each_file_says_why_it_is_related() -> None:
    files = ranked(
        references=[use("caller.py", line=9), use("caller.py", line=3)],
        importers=[importing("caller.py")],
        companions=[Companion("companion.csv", "shop/prices.py", 4, 5)],
    )
    caller, companion = files
    assert [(reason.kind, reason.detail, reason.lines) for reason in caller.reasons] == [
        ("calls", "calls total", (3, 9)),
        ("imports", "imports shop/prices.py", (1,)),
    ]
    assert caller.symbols == ("total",)
    assert companion.reasons[0].detail == "changed in 4 of the last 5 commits of shop/prices.py"


def test_the_texts_that_a_file_shares_are_one_reason_with_all_their_lines() -> None:
    [file] = ranked(texts=[sharing("events.yaml"), sharing("events.yaml", "low_rate", line=2)])
    [reason] = file.reasons
    assert (
        reason.detail
        == "also has the texts `old_rate`, `low_rate`, which the change replaces in shop/prices.py"
    )
    assert reason.lines == (2, 4)


def test_a_text_in_a_document_or_a_test_weighs_less_than_in_the_product() -> None:
    files = ranked(
        importers=[importing("importer.py")],
        texts=[sharing(path) for path in ("docs/a.md", "CHANGES", "tests/test_a.py", "events.yaml")],
    )
    assert paths(files) == ["events.yaml", "importer.py", "CHANGES", "docs/a.md", "tests/test_a.py"]


def test_a_caller_in_the_product_comes_before_a_test_that_calls() -> None:
    files = ranked(references=[use("tests/test_a.py"), use("zoo.py", certainty="likely")])
    assert paths(files) == ["zoo.py", "tests/test_a.py"]


def test_callers_of_what_is_gone_come_before_callers_of_what_was_touched() -> None:
    files = ranked(
        references=[use("a.py", symbol="touched"), use("b.py", symbol="gone")],
        fates={"touched": "touched", "gone": "removed"},
    )
    assert paths(files) == ["b.py", "a.py"]


def test_a_plain_word_that_only_may_be_meant_relates_files_of_languages_without_imports() -> None:
    places = ["far.py", "far.css", "far.rb"]
    references = [use(path, symbol="Cart.match", certainty="possible") for path in places]
    files, left_out = rank_related(Ties(references=references), CHANGED)
    # Ruby loads by name: there is no import to miss.
    assert paths(files) == ["far.rb"]
    assert left_out == ["2 files that only mention a common name are not taken as related"]


def test_a_name_that_many_files_only_may_mean_relates_none() -> None:
    many = [use(f"f{number}.py", symbol="Query.as_sql", certainty="possible") for number in range(11)]
    assert ranked(references=many) == []
    assert ranked(references=many[:4]) == []
    assert len(ranked(references=many[:3])) == 3
    sure = [use(f"sure{number}.py", symbol="Query.as_sql") for number in range(20)]
    assert len(ranked(references=[*sure, *many[:3]])) == 23


def test_a_mere_word_is_no_further_reason_of_a_related_file() -> None:
    (file,) = ranked(
        references=[use("far.py", symbol="Cart.match", certainty="possible")], texts=[sharing("far.py")]
    )
    assert [reason.kind for reason in file.reasons] == ["shares_text"]
    assert file.symbols == ()


def test_what_changed_lines_call_comes_before_importers_and_documents() -> None:
    files = ranked(
        called=[Called("called.py", "convert", "shop/prices.py")],
        importers=[importing("importer.py")],
        documents=[("shop/prices.py", SearchHit(path="docs/a.md", line=2, text="see shop/prices.py"))],
    )
    assert paths(files) == ["called.py", "importer.py", "docs/a.md"]
    assert files[0].reasons[0].detail == "defines convert, called by the changed lines of shop/prices.py"


def test_a_mere_mention_comes_after_an_importer() -> None:
    mention = use("mention.py", symbol="Cart.total_price", certainty="possible")
    files = ranked(references=[mention], importers=[importing("importer.py")])
    assert paths(files) == ["importer.py", "mention.py"]


def test_an_import_that_the_graph_knows_is_not_told_twice() -> None:
    (file,) = ranked(references=[use("a.py", kind="import")], importers=[importing("a.py")])
    assert [reason.detail for reason in file.reasons] == ["imports shop/prices.py"]


def test_a_common_name_alone_does_not_make_files_related() -> None:
    references = [use(f"f{number}.py", symbol="get", certainty="possible") for number in range(200)]
    files, left_out = rank_related(Ties(references=references), CHANGED)
    assert files == []
    assert left_out == ["200 files that only mention a common name are not taken as related"]


def test_a_subclass_builds_on_what_changed_and_a_document_names_it() -> None:
    files = ranked(
        references=[
            use("sub.py", text="class Sale(Price):", symbol="Price"),
            use("guide.md", text="Use total().", kind="name"),
        ]
    )
    assert [(file.path, file.reasons[0].kind) for file in files] == [
        ("sub.py", "implements"),
        ("guide.md", "documents"),
    ]


def test_changed_files_and_lock_files_are_not_related() -> None:
    assert ranked(references=[use("shop/prices.py"), use("yarn.lock")]) == []


def test_vendored_code_comes_last() -> None:
    files = ranked(references=[use("vendor/a.py")], importers=[importing("b.py")])
    assert paths(files) == ["b.py", "vendor/a.py"]


def test_what_does_not_fit_is_said() -> None:
    references = [use(f"f{number:02}.py") for number in range(60)]
    files, left_out = rank_related(Ties(references=references), CHANGED)
    assert len(files) == 50
    assert left_out == [
        "10 more related files do not fit into 50 files: f50.py, f51.py, f52.py, f53.py, f54.py and 5 more"
    ]
    few, left_out = rank_related(Ties(references=references), CHANGED, token_budget=30)
    assert sum(file.tokens for file in few) <= 30
    assert "do not fit into 30 tokens" in left_out[0]


def test_beside_a_sure_line_those_that_only_may_mean_it_are_not_named() -> None:
    (caller,) = ranked(references=[use("caller.py", line=9), use("caller.py", line=3, certainty="possible")])
    assert [(reason.detail, reason.lines) for reason in caller.reasons] == [("calls total", (9,))]
