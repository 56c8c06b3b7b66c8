"""Files that only a text ties to the change are found, with the lines that have it."""

from affidavit.context.texts import COMMON_FILES, MAX_TEXTS, SharedText, find_shared_texts
from python_changes import make_case
from repositories import Repo

BEFORE = "query(suffix='alert_event_frequency')\n"
AFTER = "query(suffix='batch_alert_event_frequency')\n"


def shared(
    repo: Repo, others: dict[str, str], before: str = BEFORE, after: str = AFTER
) -> tuple[list[SharedText], list[str]]:
    case = make_case(repo, {"app.py": before, **others}, {"app.py": after})
    with case.repository as repository:
        return find_shared_texts(case.change, repository)


def found(
    repo: Repo, others: dict[str, str], before: str = BEFORE, after: str = AFTER
) -> set[tuple[str, ...]]:
    return {(one.path, one.changed.text) for one in shared(repo, others, before, after)[0]}


def test_a_file_with_the_text_in_a_longer_one_is_found_with_its_lines(repo: Repo) -> None:
    referrer = (
        'class Referrer(Enum):\n    A = "tsdb-modelid:4.alert_event_frequency"\n'
        '    B = "tsdb-modelid:4.alert_event_frequency_percent"\n'
        '    C = "tsdb-modelid:20.alert_event_frequency"\n'
    )
    [one], left_out = shared(repo, {"referrer.py": referrer})
    assert (one.path, one.lines, one.changed.fate) == ("referrer.py", (2, 4), "replaces")
    assert left_out == []


def test_a_part_of_a_longer_name_is_another_name(repo: Repo) -> None:
    others = {"a.py": "'pre_alert_event_frequency'\n", "b.py": "'alert_event_frequency2'\n"}
    assert found(repo, others) == set()


def test_a_text_in_more_than_a_dozen_files_says_nothing(repo: Repo) -> None:
    line = "'alert_event_frequency'\n"
    few = {f"few{number}.py": line for number in range(COMMON_FILES)}
    assert len(found(repo, few)) == COMMON_FILES


def test_a_text_in_too_many_files_is_left_out(repo: Repo) -> None:
    line = "'alert_event_frequency'\n"
    many = {f"many{number}.py": line for number in range(COMMON_FILES + 1)}
    assert found(repo, many) == set()


def test_where_there_are_too_many_lines_that_is_said_and_nothing_is_guessed(repo: Repo) -> None:
    others = {"a.py": "'old_name'\n" * 20}
    case = make_case(repo, {"app.py": "a('old_name')\n", **others}, {"app.py": "a()\n"})
    with case.repository as repository:
        ties, left_out = find_shared_texts(case.change, repository, max_hits=10)
    assert ties == []
    assert left_out == ["other files with the changed texts have more than 10 such lines"]


def test_an_import_of_a_module_is_left_to_the_import_graph(repo: Repo) -> None:
    others = {"a.py": "from shop.old_module import x\n", "b.py": "patch('shop.old_module.x')\n"}
    before = {"pyproject.toml": "checked = ['shop.old_module']\n", **others}
    case = make_case(repo, before, {"pyproject.toml": "checked = []\n"})
    with case.repository as repository:
        ties, _ = find_shared_texts(case.change, repository)
    assert {one.path for one in ties} == {"b.py"}


def test_changed_vendored_and_lock_files_are_not_named(repo: Repo) -> None:
    line = "'alert_event_frequency'\n"
    others = {"vendor/a.py": line, "poetry.lock": line, "a.min.js": line, "logo.svg": line, "own.py": line}
    assert found(repo, others) == {("own.py", "alert_event_frequency")}


def test_of_very_many_texts_some_are_searched_for_and_the_rest_is_said(repo: Repo) -> None:
    before = "".join(f"a('event_name_{number}')\n" for number in range(MAX_TEXTS + 5))
    others = {"all.py": before}
    ties, left_out = shared(repo, others, before, "pass\n")
    assert len(ties) == MAX_TEXTS
    assert left_out == ["5 more changed texts were not searched for in other files"]


def test_signs_of_a_pattern_in_a_text_are_only_signs(repo: Repo) -> None:
    others = {"a.py": "'shopXordersXopened'\n", "b.py": "'shop.orders.opened'\n"}
    assert found(repo, others, "a('shop.orders.opened')\n", "a()\n") == {("b.py", "shop.orders.opened")}


def test_a_change_without_texts_asks_for_no_search(repo: Repo) -> None:
    assert shared(repo, {"a.py": "x = 1\n"}, "x = 1\n", "x = 2\n") == ([], [])
