"""The last line of each page."""


def footer() -> str:
    return "Made in our workshop"
