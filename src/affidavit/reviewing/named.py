"""Find the report or finding that a user names, and the name of the user."""

import getpass
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from affidavit.config.places import state_folder
from affidavit.contract.reply_text import writable
from affidavit.errors import InputError, NotARepositoryError
from affidavit.git.command import Git, Location
from affidavit.git.location import (
    NOTHING_MORE,
    Allowed,
    find_repository,
    is_same_address,
    is_shared_address,
    repository_name,
)
from affidavit.records.candidate import Candidate
from affidavit.records.record import first_mistake
from affidavit.records.report import REDACTED, Report, name_some, why_not_derived
from affidavit.store.open import Store, open_store
from affidavit.system.temporary import temporary_folder

MAX_NAMED = 10
NEWEST = "last"
VERSIONS = ("affidavit_version", "report_version")
IdsOf = Callable[[str], Iterable[str]]


def user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def read_report(path: Path) -> Report:
    try:
        content = path.read_bytes()
        _refuse_repeated_names(path, content)
        # Strictly: other readers take a quoted number as a text.
        report = Report.model_validate_json(content, strict=True)
        if report.notice == REDACTED:
            raise InputError(
                f"{path} is a redacted copy, which proves nothing: name the file that "
                "`review --format report=FILE` wrote, or the id of a kept report"
            )
        return report
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        why = _other_version(content) or first_mistake(error)
        raise InputError(
            f"{path} is not a native report of this version: {why}; `review --format report=FILE` makes one"
        ) from error


def _other_version(content: bytes) -> str:
    with suppress(ValueError, RecursionError):
        written = json.loads(content)
        if isinstance(written, dict):
            return why_not_derived(*(str(written.get(name)) for name in VERSIONS))
    return ""


def _refuse_repeated_names(path: Path, content: bytes) -> None:
    """Refuse repeated names: one reader takes the first value and another the last."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{path} is not a native report: it has the name {twice[:80]!r} twice")
        return found

    # Invalid JSON is refused when the report is read.
    with suppress(ValueError, RecursionError):
        json.loads(content, object_pairs_hook=unique)


def own_ids(store: Store, location: Location, start: str, *, trusts_address: bool) -> Iterator[str]:
    """List the kept reports of a repository whose ids have this prefix, the newest first.

    They have its name, and their commits are here. `trusts_address`: the same address of origin is enough,
    since a pull request is reviewed from a copy of ours; and one of the two commits is enough.
    """
    git = Git(location.common_dir).having({"GIT_DIR": str(location.common_dir)})
    name = writable(repository_name(git, location))
    is_enough = trusts_address and is_shared_address(name)
    for one in store.reports.ids(start, lambda other: is_same_address(other, name)):
        report = None if is_enough else store.reports.load(one)
        sides = (report.change.base, report.change.head) if report else ()
        commits = [side.commit for side in sides if side.commit]
        known = [git.attempt("cat-file", "-e", f"{it}^{{commit}}").returncode == 0 for it in commits]
        if is_enough or (any(known) and (trusts_address or all(known))):
            yield one


def ids_here(store: Store, repo: Path | None = None, allowed: Allowed = NOTHING_MORE) -> IdsOf:
    """Return a function that lists the ids a user may mean: a whole id, else this repository's by prefix.

    Outside any repository the beginning of any id will do, but `last` names nothing.
    """

    def ids_of(start: str) -> Iterable[str]:
        if start and store.reports.has(start):
            return [start]
        every = store.reports.ids(start)
        try:
            found = own_ids(store, find_repository(repo, allowed), start, trusts_address=True)
        except NotARepositoryError as error:
            if start or not every:
                return every
            raise InputError(
                f"{repo or Path.cwd()} is not in a git repository, so `{NEWEST}` names no report; "
                "pass a file or a whole id"
            ) from error
        own = list(found) if start else found
        if not own and every:
            raise InputError(
                f"no report of this repository has an id that begins with {start!r}, but those of others do: "
                f"{name_some(every, MAX_NAMED)}; pass a whole id"
            )
        return own

    return ids_of


def find_report(name: str, store: Store, ids_of: IdsOf) -> Report:
    """Find a report in a file or in the store; `last` is the newest of those that `ids_of` lists.

    If the store has the report of a file, the store's copy is used: labels belong to that one. `ids_of`
    lists the ids with a prefix that may be named.
    """
    if is_file(name):
        report = read_report(Path(name))
        return store.reports.load(report.id) or report
    listed = ids_of("" if name == NEWEST else name) if name else ()
    ids = list(islice(listed, 1 if name == NEWEST else None))
    if name in ids:
        ids = [name]
    report_or_none = store.reports.load(ids[0]) if len(ids) == 1 else None
    if report_or_none is not None:
        return report_or_none
    if ids:
        raise InputError(f"several reports match {name!r}: {name_some(ids, MAX_NAMED)}; write more of the id")
    if name == NEWEST:
        raise InputError(
            "no report of this repository is stored; run `affidavit review` first, or pass a file or whole id"
        )
    raise InputError(
        f"no report found for {name!r}: it is not a file, and no stored report of this repository has an id "
        f"that begins with it; pass a file from `review --format report=FILE`, an id, or `{NEWEST}`"
    )


@contextmanager
def report_file(
    name: str, data: Path | None = None, repo: Path | None = None, allowed: Allowed = NOTHING_MORE
) -> Iterator[Path]:
    """Give the file that is named; of a kept report, a copy of its bytes for as long as it is used."""
    if is_file(name):
        yield Path(name)
        return
    store = open_store(data or state_folder())
    report_id = find_report(name, store, ids_here(store, repo, allowed)).id
    with temporary_folder("report-") as folder:
        file = folder / f"{report_id}.json"
        file.write_bytes(store.reports.load_bytes(report_id) or b"")
        yield file


def find_candidate(report: Report, name: str) -> Candidate:
    known = [candidate for candidate in report.candidates if candidate.finding]
    exact = [one for one in known if name in (one.id, one.fingerprint)]
    # Two specialists may give the same name; ours are unique.
    exact = exact or [one for one in known if one.finding and one.finding.id == name]
    begun = [one for one in known if one.id.startswith(name) or one.fingerprint.startswith(name)]
    # The same problem may have been reported twice; then the shown one is returned.
    meant = exact or (begun if len({one.fingerprint for one in begun}) == 1 else [])
    matching = [one for one in meant if one.is_shown] or exact or begun
    if len(matching) == 1 and name:
        return matching[0]
    named = name_some([one.id for one in (name and matching) or known], MAX_NAMED)
    if matching and name:
        raise InputError(f"several findings match {name!r}: {named}")
    raise InputError(f"the report has no finding {name!r}; it has: {named or 'none'}")


def is_file(name: str) -> bool:
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):
        # Too long for a path, or with a zero byte in it.
        return False
