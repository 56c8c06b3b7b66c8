"""Write rates with their intervals as people read them."""

from affidavit.records.lab.measure import Rate

EN_DASH = "\u2013"
NOT_MEASURED = "not measured yet"
MIN_LABELS = 20
"""Fewer labels say nothing about the next report."""


def percent(share: float) -> str:
    """`2.1%`; what is not nothing never reads as 0%, and what is not all never as 100%."""
    value = f"{100 * share:.1f}"
    if value == "0.0" and share > 0:
        return "<0.1%"
    if value == "100.0" and share < 1:
        return ">99.9%"
    return value.removesuffix(".0") + "%" if value in ("0.0", "100.0") else value + "%"


def interval_words(low: float, high: float, dash: str = EN_DASH) -> str:
    """`[0.9-4.8]`, in percent."""
    return f"[{100 * low:.1f}{dash}{100 * high:.1f}]"


def rate_words(rate: Rate, dash: str = EN_DASH) -> str:
    """`2.1% [0.9-4.8], n=190`."""
    return f"{percent(rate.share)} {interval_words(rate.low, rate.high, dash)}, n={rate.n}"


def measured_words(rate: Rate | None, dash: str = EN_DASH) -> str:
    """The headline of an installation: `wrong: 2.1% [0.9-4.8], n=190`, or that it is not measured yet."""
    return f"wrong: {rate_words(rate, dash)}" if rate else NOT_MEASURED


def headline_words(rate: Rate | None, dash: str = EN_DASH) -> str:
    """The headline as a report has it; empty while there are too few labels."""
    return measured_words(rate, dash) if rate and rate.n >= MIN_LABELS else ""
