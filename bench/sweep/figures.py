"""The figures of a sweep: what was reviewed and what people say of it in, lines to print out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from affidavit.quality.statistics import rate_of
from affidavit.render.account import interval_words, percent
from bench.sweep.log import Reviewed
from bench.sweep.table import Shown


def summary(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[str]:
    """How much was shown in how many commits, how much of it is wrong, and how long it took."""
    if not reviewed:
        return ["no commit was reviewed"]
    now = [row for row in rows if row.state == "shown"]
    return [
        *(f"{name}: {words}" for name, words in figures(reviewed, rows)),
        f"by severity: {_counted(row.severity for row in now)}",
        f"by rule: {_counted(row.rule for row in now)}",
        f"labels: {_counted(row.label or 'none' for row in now)}",
    ]


def figures(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> list[tuple[str, str]]:
    """The figures with their names, as documents have them; shares only where everything has a label."""
    now = [row for row in rows if row.state == "shown"]
    blocking = [row for row in now if row.blocking == "yes"]
    seconds = [row.seconds for row in reviewed]
    return [
        ("repositories", f"{len({row.repository for row in reviewed})}"),
        ("commits", f"{len(reviewed)} ({_counted(map(_state, reviewed))})"),
        ("reviewed by the revision", _counted(row.revision or "unknown" for row in reviewed)),
        ("files", _files(reviewed)),
        ("shown", f"{len(now)} findings in {_commits(now)} commits"),
        ("blocking", f"{len(blocking)} findings in {_commits(blocking)} commits"),
        *(_shares(now, blocking, len(reviewed)) if all(row.label for row in now) else ()),
        ("labelled before, silent now", _silent([row for row in rows if row.state == "silent"])),
        ("seconds a commit", f"median {median(seconds):.1f}, longest {max(seconds):.0f}"),
    ]


def _files(reviewed: Sequence[Reviewed]) -> str:
    counted = [row for row in reviewed if row.examined is not None]
    examined, of = sum(row.examined or 0 for row in counted), sum(row.files for row in counted)
    return f"{sum(row.files for row in reviewed)}; read by a specialist, whole or in part: {examined} of {of}"


def _state(row: Reviewed) -> str:
    return row.state.partition(":")[0]


def _shares(now: Sequence[Shown], blocking: Sequence[Shown], commits: int) -> Iterator[tuple[str, str]]:
    stopped = _commits([row for row in blocking if row.label == "wrong"])
    yield "wrong, of the shown", _share(_labelled(now, "wrong"), len(now))
    yield "trifles, of the shown", _share(_labelled(now, "nit"), len(now))
    yield "wrong, of the blocking", _share(_labelled(blocking, "wrong"), len(blocking))
    yield "commits that something wrong would have stopped", _share(stopped, commits)


def _silent(rows: Sequence[Shown]) -> str:
    return f"{len(rows)}, {_labelled(rows, 'wrong')} of them wrong" if rows else "none"


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


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common()) or "none"


def as_markdown(reviewed: Sequence[Reviewed], rows: Sequence[Shown]) -> str:
    """The figures as a table for documents."""
    return "\n".join(f"| {name} | {words} |" for name, words in figures(reviewed, rows))
