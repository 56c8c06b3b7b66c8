"""The small change that tests of forges review: an undefined name, an unused import, and clean lines."""

REST = """

def names(items):
    return [item.name for item in items]


def cheapest(items):
    return min(items, key=lambda item: item.price)


def dearest(items):
    return max(items, key=lambda item: item.price)
"""
BASE_FILES = {
    "cart.py": f"def total(items):\n    return sum(item.price for item in items)\n{REST}",
    "README.md": "# Cart\n\nA cart.\n",
}
HEAD_FILES = {
    "cart.py": (
        "import os\n"
        "\n"
        "\n"
        "def total(items, currency):\n"
        "    return sum(price_in(currency, item) for item in items)\n"
        f"{REST}"
    ),
}
