"""The figures of a sweep: what was reviewed and what people say of it in, lines to print out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from affidavit.lab.statistics import rate_of
from affidavit.render.report.rates import interval_words, percent
from bench.sweep.log import Reviewed
from bench.sweep.table import Shown


def summary(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[str]:
    """How much was shown in how many commits, how much of it is wrong, and how long it took."""
    if not reviewed:
        return ["no commit was reviewed"]
    now = [row for row in rows if row.state == "shown"]
    blocking = [row for row in now if row.blocking == "yes"]
    return [
        f"{len(reviewed)} commits of {len({row.repository for row in reviewed})} repositories:"
        f" {_counted(row.state for row in reviewed)}",
        f"files: {sum(row.files for row in reviewed)}, read by a specialist, whole or in part:"
        f" {sum(row.examined for row in reviewed)}",
        f"shown: {len(now)} findings in {_commits(now)} commits,"
        f" {len(blocking)} blocking in {_commits(blocking)}",
        f"by severity: {_counted(row.severity for row in now)}",
        f"by rule: {_counted(row.rule for row in now)}",
        f"labels: {_counted(row.label or 'none' for row in now)}",
        *_shares(now, blocking, len(reviewed)),
        _time([row.seconds for row in reviewed]),
    ]


def _shares(now: Sequence[Shown], blocking: Sequence[Shown], commits: int) -> list[str]:
    if not all(row.label for row in now):
        return []
    stopped = _commits([row for row in blocking if row.label == "wrong"])
    return [
        f"wrong, of all shown: {_share(_labelled(now, 'wrong'), len(now))}",
        f"nits, of all shown: {_share(_labelled(now, 'nit'), len(now))}",
        f"wrong, of the blocking: {_share(_labelled(blocking, 'wrong'), len(blocking))}",
        f"commits that were stopped wrongly: {_share(stopped, commits)}",
    ]


def objections(rows: Sequence[Shown]) -> list[str]:
    """What is left to do: findings without a label, and blocking ones that are wrong."""
    now = [row for row in rows if row.state == "shown"]
    wrong = [row for row in now if row.label == "wrong" and row.blocking == "yes"]
    return [
        *(f"no label: {_named(row)}" for row in now if not row.label),
        *(f"blocking and wrong: {_named(row)}" for row in wrong),
    ]


def _named(row: Shown) -> str:
    return f"{row.repository} {row.commit} {row.rule} {row.place}: {row.title}"


def _labelled(rows: Sequence[Shown], label: str) -> int:
    return sum(row.label == label for row in rows)


def _commits(rows: Sequence[Shown]) -> int:
    return len({(row.repository, row.commit) for row in rows})


def _share(count: int, n: int) -> str:
    rate = rate_of(count, n)
    return f"{count} of {n}, {percent(rate.share)} {interval_words(rate.low, rate.high)}" if rate else "none"


def _time(seconds: Sequence[float]) -> str:
    return f"time: {sum(seconds):.0f} s, median {median(seconds):.1f} s, longest {max(seconds):.0f} s"


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"
