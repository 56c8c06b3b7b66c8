"""A report as one page: what is in it, and that nothing of a change is markup in it."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings

from affidavit.records.change import FileChange, FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.report import FileCoverage, Gap, HunkCoverage, Report
from affidavit.render.html.page import render_html
from hostile_everywhere import ALL_OF_THEM, PIECES, any_text, report_of
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_hunk,
    a_quote,
    a_report,
    a_verification,
    a_withheld,
    an_impact_candidate,
)

VOID = {"meta"}


class Reader(HTMLParser):
    """Reads a page: its elements with their attributes, its texts, and whether elements nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.odd: list[str] = []
        self.stack: list[str] = []
        self.raw: dict[str, str] = {}
        self.feed(page)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack and self.stack[-1] in ("script", "style"):
            self.raw[self.stack[-1]] = self.raw.get(self.stack[-1], "") + data
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    def unknown_decl(self, data: str) -> None:
        self.odd.append(data)

    def handle_pi(self, data: str) -> None:
        self.odd.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def shape(page: Reader) -> set[tuple[str, str]]:
    """Every element and attribute name that the page uses."""
    return {(tag, name) for tag, attributes in page.elements for name in ("", *attributes)}


def read(report: Report) -> Reader:
    return Reader(render_html(report))


PLAIN = read(report_of("word"))
# Of the texts, only these have a part that the page may add: code in prose.
KNOWN_SHAPE = shape(PLAIN) | {("code", ""), ("pre", ""), ("i", ""), ("i", "class")}


@settings(deadline=None, max_examples=40)  # the first example pays for imports
@given(any_text)
@example(ALL_OF_THEM)
def test_no_text_becomes_markup(text: str) -> None:
    page = read(report_of(text))
    assert page.odd == []
    assert shape(page) <= KNOWN_SHAPE
    assert page.raw == PLAIN.raw
    for _, attributes in page.elements:
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
        assert re.fullmatch(r"[\w -]*", attributes.get("class") or "")
        assert re.fullmatch(r"[\w-]*", attributes.get("id") or "")


@pytest.mark.parametrize("text", PIECES)
def test_every_text_is_there_to_be_read(text: str) -> None:
    shown = text.replace("`", "").replace("\n", " ").split()
    if text.isprintable():
        page = read(a_report(a_candidate(finding=a_finding(message=text))))
        assert all(word in page.text for word in shown)


def test_no_control_or_bidi_character_is_in_the_page() -> None:
    page = render_html(report_of("a\u202eb\x1b\x00\u2028\ufeffc\x7f\ud800"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", page)
    assert "a&lt;U+202E&gt;b" in page
    page.encode("utf-8")


def test_only_its_own_style_and_script_are_allowed() -> None:
    page = read(a_full_report())
    policies = [
        one["content"] for _, one in page.elements if one.get("http-equiv") == "Content-Security-Policy"
    ]
    expected = "; ".join(
        f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()}'"
        for kind in ("style", "script")
    )
    assert policies == [f"default-src 'none'; {expected}; base-uri 'none'; form-action 'none'"]
    assert not any("style" in one for _, one in page.elements)
    assert not any(name.startswith("on") for _, one in page.elements for name in one)


def test_every_link_leads_to_something_and_no_address_is_used_twice() -> None:
    page = read(a_full_report())
    addresses = [one["id"] for _, one in page.elements if "id" in one]
    assert len(set(addresses)) == len(addresses)
    links = {str(one["href"])[1:] for tag, one in page.elements if tag == "a"}
    assert links <= set(addresses)
    assert "finding-3f9a1c0be2d4" in addresses


def test_the_page_has_everything_of_the_report() -> None:
    text = read(a_full_report()).text
    for said in (
        "Changes requested: 2 findings block; the review is incomplete.",
        "gate (high or worse): failed → exit 1",
        "total is not defined",
        "Smaller points",
        "items shadows a module",
        "Set total = 0 before the loop.",
        "NameError: name 'total' is not defined",
        "ruff 0.17.4 reports F821 at head and not at base",
        "quote found in the commit, at shop/cart.py:10-13",
        "some-model gave no answer (cut off)",
        "refuted `total` is a global, set in line 3".replace("`", ""),
        "Wrong file",
        "ty at base: ran out of time after 60 s. Raise it.",
        "no model is configured",
        "2 of 2 files, 2 of 2 hunks examined by ruff and ty",
        "poetry.lock",
        "3f9a1c0be2d4",
    ):
        assert said in text, said


def test_a_card_stands_below_the_last_of_its_lines() -> None:
    page = render_html(a_report(a_candidate(finding=a_finding(line=11, end_line=12))))
    diff = page[page.index('id="diff"') :]
    assert diff.index("item.price") < diff.index('class="card') < diff.index('data-n="13"')
    assert diff.count('class="a g"') == 2 + 2, "in the diff, and in the quote"


def test_a_card_about_removed_code_stands_at_the_removed_line() -> None:
    change = a_change([a_file("a.py", a_hunk(" one", "-two", "+new", " three", start=1))])
    gone = a_finding(file="a.py", line=2, verification=a_verification(side="base"))
    page = render_html(a_report(a_candidate(finding=gone, quote=a_quote(side="base")), change=change))
    diff = page[page.index('id="diff"') :]
    assert diff.index("two</td>") < diff.index('class="card') < diff.index("new</td>")
    assert '<tr class="r g">' in diff


def test_a_finding_outside_the_hunks_shows_its_quote() -> None:
    far = a_finding(line=500)
    quote = a_quote(start=500, end=500, code="far_away()")
    page = read(a_report(a_candidate(finding=far, quote=quote)))
    assert "The code in shop/cart.py" in page.text
    assert "far_away" in page.text


def test_an_impact_finding_is_outside_the_change_with_quote_and_cause() -> None:
    text = read(a_report(an_impact_candidate())).text
    section = text[text.index("Outside the change") : text.index("Diff shop")]
    assert "billing/invoice.py" in section
    assert "return price_of(item)" in section
    assert "Caused by price_of in shop/prices.py" in section
    assert "+ def price_of(item, currency):".replace("+ ", "+") in section


def test_files_that_moved_are_binary_or_changed_their_mode_say_so() -> None:
    moved = a_file("b.py", old_path="a.py", status=FileStatus.RENAMED, old_mode="100644", new_mode="100755")
    image = a_file("x.png", is_binary=True, status=FileStatus.ADDED).model_copy(update={"hunks": ()})
    text = read(a_report(change=a_change([moved, image]), coverage=())).text
    assert "renamed from a.py mode 100644 to 100755" in text
    assert "x.png added binary" in text
    assert "No lines to show." in text


def test_a_hunk_that_nobody_looked_at_is_marked() -> None:
    file = a_file("a.py", a_hunk("+a", start=1), a_hunk("+b", start=9))
    hunks = tuple(
        HunkCoverage(new_start=start, new_count=1, old_start=start, old_count=0, examined_by=by)
        for start, by in ((1, ("ruff",)), (9, ()))
    )
    coverage = (FileCoverage(path="a.py", state="partly", hunks=hunks),)
    text = read(a_report(change=a_change([file]), coverage=coverage)).text
    assert text.count("nobody looked at this") == 1
    assert text.index("nobody looked at this") > text.index("+9,1")


def test_carriage_returns_are_shown_where_lines_differ_in_them() -> None:
    mixed = a_change([a_file("a.py", a_hunk("-a", "+a\r"))])
    alike = a_change([a_file("a.py", a_hunk(" a\r", "+b\r"))])
    assert read(a_report(change=mixed)).text.count("␍") == 1
    assert read(a_report(change=alike)).text.count("␍") == 0


def test_a_missing_newline_at_the_end_is_said() -> None:
    hunk = a_hunk("-a", "+b").model_copy(update={"old_lacks_newline": True})
    text = read(a_report(change=a_change([a_file("a.py", hunk)]))).text
    assert "No newline at the end of the file before the change." in text


def test_what_the_reader_asked_to_see_is_unfolded() -> None:
    report = a_report(a_withheld(0), a_withheld(1, Reason.NIT))
    assert render_html(report).count('class="fold" open') == 0
    assert render_html(report, show_nits=True).count('class="fold" open') == 1
    assert render_html(report, show_nits=True, show_withheld=True).count('class="fold" open') == 2


def test_a_review_with_nothing_to_say_says_so() -> None:
    text = read(a_report(not_run=(Gap(name="model", reason="none"),))).text
    assert "No findings are shown." in text
    assert "Nothing was withheld." in text


def python_file(number: int, lines: int) -> FileChange:
    code = [
        f"+def function_{line}(value: int) -> str: return f'{{value}}' + \"{line}\"" for line in range(lines)
    ]
    return a_file(f"m{number}.py", a_hunk(*code))


def test_ten_thousand_lines_make_a_page_of_a_few_megabytes_with_files_closed() -> None:
    change = a_change([python_file(number, 500) for number in range(20)])
    page = render_html(a_report(a_candidate(finding=a_finding(file="m7.py", line=3)), change=change))
    assert len(page.encode()) < 4_000_000
    assert page.count('<details class="file"') == 20
    assert page.count('<details class="file" id="file-8" open>') == 1
    assert len(re.findall(r'<details class="file"[^>]* open', page)) == 1


def test_lines_beyond_the_room_of_a_page_are_counted_and_findings_in_them_are_drawn() -> None:
    lines = ["+word"] * 9_000
    change = a_change([a_file(f"m{number}.txt", a_hunk(*lines), language="") for number in range(4)])
    page = render_html(a_report(a_candidate(finding=a_finding(file="m3.txt", line=8_000)), change=change))
    assert page.count("9000 lines are not drawn") == 2
    assert 'data-n="8000"' in page


def test_of_a_hunk_longer_than_a_page_the_part_with_the_finding_is_drawn() -> None:
    change = a_change([a_file("new.txt", a_hunk(*["+word"] * 60_000), language="")])
    page = render_html(a_report(a_candidate(finding=a_finding(file="new.txt", line=50_000)), change=change))
    assert 'data-n="50000"' in page
    assert page.count("<tr") < 21_000
    left_out = [int(number) for number in re.findall(r"(\d+) lines are not drawn", page)]
    assert len(left_out) == 2
    assert sum(left_out) == 40_000


def test_a_part_of_a_long_hunk_that_was_looked_at_is_not_called_unseen() -> None:
    hunk = a_hunk(*["+word"] * 12_000)
    looked = HunkCoverage(new_start=1, new_count=12_000, old_start=1, old_count=0, examined_by=("ruff",))
    for covered, is_said in ((looked, False), (looked.model_copy(update={"examined_by": ()}), True)):
        coverage = (FileCoverage(path="new.txt", state="partly", hunks=(covered,)),)
        change = a_change([a_file("new.txt", hunk, language="")])
        page = render_html(a_report(change=change, coverage=coverage))
        assert ("nobody looked" in page) == is_said


def test_a_line_of_a_megabyte_is_cut_and_the_cut_is_said() -> None:
    page = render_html(a_report(change=a_change([a_file("min.js", a_hunk("+" + "x" * 1_000_000))])))
    assert len(page) < 60_000
    assert "(998000 more characters)" in page


def test_many_withheld_findings_are_all_listed() -> None:
    many = [a_withheld(number, finding=a_finding(title=f"Claim {number}.")) for number in range(700)]
    text = read(a_report(*many)).text
    assert all(f"Claim {number}." in text for number in range(700))
    assert "More of them (200)" in text
