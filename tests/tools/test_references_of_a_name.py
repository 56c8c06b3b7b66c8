"""Who uses a name that several classes have: each line once, in the surest way that it was found."""

from affidavit.agents.panel import assemble_readers
from affidavit.tools.toolbox import Toolbox
from python_changes import make_case
from repositories import Repo

CLASSES = "".join(
    f"class {name}:\n    def pay(self): ...\n\n\n" for name in ("Cart", "Order", "Basket", "Bill")
)


def test_a_line_is_answered_once_however_many_classes_define_the_name(repo: Repo) -> None:
    files = {
        "shop.py": CLASSES,
        "test_shop.py": "from shop import Cart\n\n\ndef test_pay():\n    assert Cart.pay(1)\n",
    }
    case = make_case(repo, files, {"other.py": "X = 1\n"})
    with case.repository:
        answer = Toolbox(case.repository, case.change, assemble_readers()).call(
            "find_references", {"symbol": "pay"}
        )
    rows = [(one["file_path"], one["line_number"], one["certainty"]) for one in answer["references"]]
    assert rows == [("test_shop.py", 5, "certain")]
    assert "taken from Cart itself" in answer["references"][0]["verification_method"]
