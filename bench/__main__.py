"""`make bench`: measure, and print each ratio beside the bound that it should keep."""

import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from bench import (
    analysers,
    context,
    django,
    imports,
    iterations,
    minds,
    page,
    programs,
    recorded,
    redaction,
    tokens,
)
from bench import map as map_of_fixes
from bench.row import BIN, Row, best, call
from bench.service import rows as service
from bench.sweep import command as sweep


def version_row() -> Row:
    """How fast the command starts."""
    return Row(
        "affidavit --version",
        best(lambda: call([BIN / "affidavit", "--version"]), 10),
        "a bare interpreter",
        best(lambda: call([sys.executable, "-c", "pass"]), 10),
        6,
    )


def review_rows(repository: Path) -> list[Row]:
    """A review of a small change, cold and warm, against its slowest analyser alone on both sides."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "AFFIDAVIT_CACHE": folder, "AFFIDAVIT_DATA": folder}
        command = [BIN / "affidavit", "review", "HEAD~1..HEAD", "--format", "verdict"]

        def review(*options: str) -> None:
            call([*command, *options], repository.absolute(), env)

        alone = best(lambda: slowest_alone(repository))
        cold = best(lambda: review("--no-cache"))
        review()
        warm = best(review)
    return [
        Row("review of a small change, cold", cold, "ty alone on base and head", alone, 1.3),
        Row("the same review, warm", warm, "cold", cold, 1 / 3),
    ]


def slowest_alone(repository: Path) -> None:
    """The type checker on a checkout of each side, one after the other."""
    for revision in ("HEAD~1", "HEAD"):
        checkout = django.FOLDER.absolute() / f"checkout-{revision}"
        if not checkout.is_dir():
            django.run("git", "worktree", "add", "--detach", checkout, revision, cwd=repository)
        call([BIN / "ty", "check", "--exit-zero", "--output-format", "concise"], checkout)


def sections() -> dict[str, Callable[[], Iterable[Row]]]:
    """What can be measured; `python -m bench NAME …` measures only these, or parts of the service."""
    return {
        "start": lambda: [version_row()],
        "review": lambda: review_rows(django.repository()),
        "analysers": analysers.rows,
        "imports": imports.rows,
        "programs": programs.rows,
        "context": lambda: [Row(*row) for row in context.rows()],
        "minds": minds.rows,
        "iterations": iterations.rows,
        "page": page.rows,
        "service": service.rows,
    }


def main() -> None:
    """Print the table and the peak memory of the largest child process."""
    if sys.argv[1:2] == ["sweep"]:
        sweep.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["tokens"]:
        print("\n".join(tokens.lines()))
        return
    if sys.argv[1:2] == ["recorded"]:
        recorded.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["map"]:
        map_of_fixes.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["redaction"]:
        redaction.main(sys.argv[2:])
        return
    chosen, named = sys.argv[1:] or list(sections()), {**sections(), **service.parts()}
    for name in chosen:
        for row in named[name]():
            print(row.line(), flush=True)
    if not sys.argv[1:]:
        print("\n".join(tokens.lines()), flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of the largest process: {peak:.0f} MB (Django {django.VERSION}, two commits)")


if __name__ == "__main__":
    main()
