"""Lines for the page."""


def indented(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)
