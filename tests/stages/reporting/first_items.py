"""A function that takes the first of its items, and the finding that follows it through a series."""

from series import Series, claim, only_decision

BASE = {
    "shop.py": "def first(items):\n    return None\n",
    "util.py": "def helper():\n    return 1\n",
}

FIRST = (
    "def first(items):\n"
    "    price = items[0].price\n"
    "    for item in items:\n"
    "        price = min(price, item.price)\n"
    "    return price\n"
)

FIXED = FIRST.replace(
    "    price = items[0].price\n", "    if not items:\n        return None\n    price = items[0].price\n"
)

QUOTE = "    price = items[0].price"

CLAIM = claim("shop.py", 2, QUOTE)
F821 = claim("shop.py", 2, QUOTE, title="`items` is odd", rule_id="ruff/F821")


def fate(series: Series) -> tuple[str, str]:
    decision = only_decision(series.reports[-1])
    return decision.fate, decision.by
