"""What is new and what only moved."""

from affidavit.analysers.engine.comparison import new_diagnostics
from affidavit.records.evidence import AnalyserDiagnostic

BODY = "first\nsecond\nbroken call\nfourth\nfifth\nsixth\nseventh\neighth\nninth\n"


def at(path, line, message="Broken", rule="x/broken", column=1):
    return AnalyserDiagnostic(rule=rule, message=message, path=path, line=line, column=column)


def new(one, base, head):
    return new_diagnostics(base, head, one.change, one.repository)


def test_a_diagnostic_that_stands_at_head_only_is_new(case):
    one = case({"a.py": BODY}, {"a.py": BODY + "broken too\n"})
    fresh = at("a.py", 10)
    assert new(one, [at("a.py", 3)], [at("a.py", 3), fresh]) == [fresh]


def test_a_line_that_was_pushed_down_is_not_new_whatever_its_message(case):
    one = case({"a.py": BODY}, {"a.py": "zero\n" + BODY})
    assert new(one, [at("a.py", 3, "Expected `int`")], [at("a.py", 4, "Expected `str`")]) == []


def test_the_same_line_with_another_rule_is_new(case):
    one = case({"a.py": BODY}, {"a.py": "zero\n" + BODY})
    other = at("a.py", 4, rule="x/other")
    assert new(one, [at("a.py", 3)], [other]) == [other]


def test_a_renamed_file_brings_nothing_new(case):
    one = case({"a.py": BODY}, {"a.py": None, "b/c.py": BODY + "tenth\n"})
    assert new(one, [at("a.py", 3)], [at("b/c.py", 3)]) == []


def test_a_line_that_moved_within_its_file_is_not_new(case):
    moved = BODY.replace("broken call\n", "") + "    broken   call\n"
    one = case({"a.py": BODY}, {"a.py": moved})
    assert new(one, [at("a.py", 3)], [at("a.py", 9, column=5)]) == []


def test_a_line_rewritten_in_place_is_not_new(case):
    one = case({"a.py": BODY}, {"a.py": BODY.replace("broken call", "broken call, again")})
    assert new(one, [at("a.py", 3)], [at("a.py", 3)]) == []


def test_the_same_words_in_another_hunk_are_new(case):
    text = "\n".join(str(number) for number in range(60)) + "\n"
    one = case({"a.py": text}, {"a.py": text.replace("\n5\n", "\nfive\n").replace("\n50\n", "\nfifty\n")})
    there = at("a.py", 51)
    assert new(one, [at("a.py", 6)], [there]) == [there]


def test_code_that_moved_to_another_file_is_not_new(case):
    one = case({"a.py": BODY}, {"a.py": BODY.replace("broken call\n", ""), "b.py": "x\nbroken call\n"})
    assert new(one, [at("a.py", 3)], [at("b.py", 2)]) == []


def test_code_that_was_copied_to_another_file_is_new(case):
    one = case({"a.py": BODY}, {"a.py": BODY + "tenth\n", "b.py": "x\nbroken call\n"})
    copied = at("b.py", 2)
    assert new(one, [at("a.py", 3)], [at("a.py", 3), copied]) == [copied]


def test_one_diagnostic_of_base_excuses_only_one_of_head(case):
    one = case({"a.py": BODY}, {"a.py": BODY + "broken call\n"})
    found = new(one, [at("a.py", 3)], [at("a.py", 3), at("a.py", 10)])
    assert found == [at("a.py", 10)]


def test_a_line_that_moved_and_was_doubled_is_new_once(case):
    doubled = BODY.replace("broken call\n", "") + "broken call\nbroken call\n"
    one = case({"a.py": BODY}, {"a.py": doubled})
    assert new(one, [at("a.py", 3)], [at("a.py", 9), at("a.py", 10)]) == [at("a.py", 10)]


def test_an_untouched_file_is_compared_line_by_line(case):
    one = case({"a.py": BODY, "b.py": BODY}, {"a.py": BODY + "x\n"})
    fresh = at("b.py", 5)
    assert new(one, [at("b.py", 3)], [at("b.py", 3), fresh]) == [fresh]


def test_a_line_number_in_the_message_does_not_make_it_new(case):
    moved = "zero\n" + BODY.replace("broken call\n", "") + "broken call\n"
    one = case({"a.py": BODY}, {"a.py": moved})
    assert new(one, [at("a.py", 3, "again from line 2")], [at("a.py", 10, "again from line 3")]) == []
