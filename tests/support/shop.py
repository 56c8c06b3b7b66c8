"""The small change that tests of forges review: an undefined name, an unused import, and clean lines."""

BASE_FILES = {
    "cart.py": "def total(items):\n    return sum(item.price for item in items)\n",
    "README.md": "# Cart\n\nA cart.\n",
}
HEAD_FILES = {
    "cart.py": (
        "import os\n"
        "\n"
        "\n"
        "def total(items, currency):\n"
        "    return sum(price_in(currency, item) for item in items)\n"
    ),
}
