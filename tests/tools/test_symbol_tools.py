"""The tools that find definitions and uses by a name."""

from pathlib import Path

from affidavit.tools.toolbox import Toolbox
from python_changes import make_case
from repositories import Repo
from written_readers import written_readers


def test_find_definition_knows_functions_and_methods(toolbox: Toolbox) -> None:
    assert toolbox.call("find_definition", {"symbol": "total"})["definitions"] == [
        {
            "file_path": "shop/prices.py",
            "name": "total",
            "kind": "function",
            "start_line": 4,
            "end_line": 5,
            "signature": "def total(items, tax=TAX):",
            "content": "4: def total(items, tax=TAX):\n5:     return sum(items) * TAX",
        }
    ]
    (method,) = toolbox.call("find_definition", {"symbol": "Cart.pay()"})["definitions"]
    assert (method["name"], method["kind"]) == ("Cart.pay", "method")


def test_a_definition_that_fits_is_whole_and_of_many_only_short_ones_are_shown(tmp_path: Path) -> None:
    long = "def long():\n" + "    x = 1\n" * 200 + "def longer():\n" + "    x = 1\n" * 400
    short = {f"part{number}.py": "def often():\n    pass\n" for number in range(4)}
    many = {**short, "part5.py": "def often():\n" + "    x = 1\n" * 30}
    case = make_case(Repo(tmp_path / "repo"), {"a.py": long, **many}, {"b.py": "X = 1\n"})
    with case.repository:
        tools = Toolbox(case.repository, case.change, written_readers({}))
        (shown,) = tools.call("find_definition", {"symbol": "long"})["definitions"]
        (cut,) = tools.call("find_definition", {"symbol": "longer"})["definitions"]
        often = tools.call("find_definition", {"symbol": "often"})["definitions"]
    assert shown["content"].endswith("201:     x = 1")
    assert cut["content"].endswith("501:     x = 1\n(read on from line 502)")
    assert ["content" in one for one in often] == [True] * 4 + [False]


def test_compare_definition_shows_what_differs_between_the_sides(toolbox: Toolbox) -> None:
    answer = toolbox.call("compare_definition", {"symbol": "total"})
    assert (answer["base"]["signature"], answer["head"]["signature"]) == (
        "def total(items):",
        "def total(items, tax=TAX):",
    )
    assert answer["diff"].split("\n") == [
        "-4: def total(items):",
        "+4: def total(items, tax=TAX):",
        " 5:     return sum(items) * TAX",
    ]


def test_compare_definition_says_where_nothing_differs_and_where_one_side_lacks_it(tmp_path: Path) -> None:
    before = {"a.py": "def same():\n    pass\n\n\ndef gone():\n    pass\n"}
    case = make_case(Repo(tmp_path / "repo"), before, {"a.py": "def same():\n    pass\n"})
    with case.repository:
        tools = Toolbox(case.repository, case.change, written_readers({}))
        same, gone, none = (
            tools.call("compare_definition", {"symbol": name}) for name in ("same", "gone", "never")
        )
    assert (same["diff"], same["note"]) == ("", "the definition is the same on both sides")
    assert (gone["head"], gone["note"]) == (None, "only base has this definition")
    assert gone["diff"] == "-5: def gone():\n-6:     pass"
    assert "was found on either side" in none["error"]


def test_compare_definition_takes_the_file_where_several_have_the_name(tmp_path: Path) -> None:
    before = {f"{name}.py": "def run():\n    return 1\n" for name in "ab"}
    after = {"a.py": "def run():\n    return 2\n", "c.py": "def run():\n    return 3\n", "b.py": None}
    case = make_case(Repo(tmp_path / "repo"), before, after)
    with case.repository:
        tools = Toolbox(case.repository, case.change, written_readers({}))
        chosen = tools.call("compare_definition", {"symbol": "run", "file_path": "a.py"})
        deleted = tools.call("compare_definition", {"symbol": "run", "file_path": "b.py"})
    assert "+2:     return 2" in chosen["diff"]
    assert "give file_path" not in chosen.get("note", "")
    assert (deleted["base"]["file_path"], deleted["head"]) == ("b.py", None)


def test_find_definition_says_where_only_others_have_the_name(toolbox: Toolbox) -> None:
    answer = toolbox.call("find_definition", {"symbol": "Basket.pay"})
    assert [one["name"] for one in answer["definitions"]] == ["Cart.pay"]
    assert "no Basket.pay was found" in answer["note"]


def test_find_definition_puts_first_what_a_use_means(toolbox: Toolbox) -> None:
    answer = toolbox.call("find_definition", {"symbol": "total", "file_path": "shop/checkout.py"})
    assert answer["definitions"][0]["file_path"] == "shop/prices.py"
    assert answer["meant"] == "likely the first: shop/checkout.py defines or imports it"
    wrong = toolbox.call("find_definition", {"symbol": "total", "file_path": "shop/check.py"})
    assert "did you mean 'shop/checkout.py'" in wrong["error"]


def test_find_references_says_how_sure_each_is(toolbox: Toolbox) -> None:
    answer = toolbox.call("find_references", {"symbol": "total", "file_path": "shop/prices.py"})
    sure = {
        (one["file_path"], one["line_number"], one["kind"], one["certainty"]) for one in answer["references"]
    }
    assert sure == {
        ("shop/checkout.py", 1, "import", "likely"),
        ("shop/checkout.py", 6, "call", "likely"),
        ("docs/prices.md", 1, "text", "possible"),
    }


def test_a_method_with_a_common_name_is_found_by_its_class_and_the_surest_uses_come_first(
    tmp_path: Path,
) -> None:
    others = {f"a{number:03}.py": "import re\n\nre.match('a', 'b')\n" for number in range(310)}
    files = {
        **others,
        "locale/de.po": 'msgid "match"\n',
        "locale/de.mo": b"\0match\0",
        "shop/routes.py": "class Route:\n    def match(self, path):\n        return path\n",
        "shop/views.py": "from shop.routes import Route\n\nRoute().match('x')\n",
    }
    case = make_case(Repo(tmp_path / "repo"), files, {"b.py": "X = 1\n"})
    with case.repository:
        tools = Toolbox(case.repository, case.change, written_readers({"shop/views.py": ["shop/routes.py"]}))
        (found,) = tools.call("find_definition", {"symbol": "Route.match"})["definitions"]
        uses = tools.call("find_references", {"symbol": "Route.match"})["references"]
    assert (found["file_path"], found["name"]) == ("shop/routes.py", "Route.match")
    assert uses[0]["file_path"] == "shop/views.py"
    assert not any(one["file_path"].startswith("locale/") for one in uses)


def test_find_references_from_a_file_that_is_not_there_answers_for_any_file(toolbox: Toolbox) -> None:
    answer = toolbox.call("find_references", {"symbol": "total", "file_path": "shop/price.py"})
    assert {one["file_path"] for one in answer["references"]} == {"shop/checkout.py", "docs/prices.md"}
    assert "did you mean 'shop/prices.py'" in answer["note"]


def test_find_references_of_an_unknown_name_gives_the_lines_that_name_it(toolbox: Toolbox) -> None:
    answer = toolbox.call("find_references", {"symbol": "row"})
    assert len(answer["references"]) == 40
    assert "no definition of row" in answer["note"]


def test_a_symbol_that_is_no_name_is_refused(toolbox: Toolbox) -> None:
    for name in ("total(items)", "", "a b", "x" * 400):
        assert "is not a name" in toolbox.call("find_definition", {"symbol": name})["error"]
