"""`affidavit context --language-servers`: a server says which references are certain."""

import json

from commands import affidavit
from repositories import Repo

PRICES = "def discounted(price, percent):\n    return price - price * percent / 100\n"
SHOP = "from prices import discounted\n\n\ndef due(price):\n    return discounted(price, 5)\n"


def test_a_reference_that_the_server_confirms_says_so(repo: Repo) -> None:
    repo.commit("base", {"prices.py": PRICES, "shop.py": SHOP})
    repo.commit("head", {"prices.py": PRICES.replace("percent):", "percent, coupon=0):")})
    plain = affidavit("context", "HEAD", "--format", "json", cwd=repo.path)
    asked = affidavit("context", "HEAD", "--format", "json", "--language-servers", cwd=repo.path)
    assert (plain.code, asked.code) == (0, 0), asked.err
    assert "ty" not in methods(plain.out)
    assert "ty" in methods(asked.out)


def methods(printed: str) -> str:
    references = find(json.loads(printed), "references")
    return " ".join(word for one in references for word in one["verification_method"].split())


def find(value: object, key: str) -> list[dict[str, str]]:
    if isinstance(value, dict):
        if key in value:
            return list(value[key])
        value = list(value.values())
    if isinstance(value, list):
        return next((found for one in value if (found := find(one, key))), [])
    return []
