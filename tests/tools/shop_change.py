"""A small shop under change, for whoever reads it through the tools."""

from pathlib import Path

from python_changes import Case, make_case
from repositories import Repo

PRICES = "TAX = 2\n\n\ndef total(items):\n    return sum(items) * TAX\n"
CHECKOUT = (
    "from shop.prices import total\n\n\nclass Cart:\n    def pay(self, items):\n        return total(items)\n"
)
SECRET = "outside-of-every-tree"


def a_case(tmp_path: Path) -> Case:
    (tmp_path / "secret.txt").write_text(SECRET)
    repo = Repo(tmp_path / "repo")
    before = {
        "shop/prices.py": PRICES,
        "shop/checkout.py": CHECKOUT,
        "shop/old.py": "OLD = 1\n",
        "shop/moved.py": "".join(f"LINE_{number} = {number}\n" for number in range(30)),
        "docs/prices.md": "Call `total` to add up.\n",
        "wide.js": "x" * 5000 + "\n",
        "long.txt": "".join(f"row {number}\n" for number in range(1, 2001)),
        "empty.txt": "",
        "app/[id]/page.ts": "export const page = 7;\n",
        "logo.png": b"\x89PNG\0\0",
    }
    (repo.path / "link").symlink_to(tmp_path / "secret.txt")
    after = {
        "shop/prices.py": PRICES.replace("(items)", "(items, tax=TAX)", 1),
        "shop/old.py": None,
        "shop/moved.py": None,
        "shop/here.py": before["shop/moved.py"],
    }
    return make_case(repo, before, after)
