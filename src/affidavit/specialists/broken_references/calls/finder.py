"""From the definitions that a change took away or gave other parameters to the calls that it breaks."""

from collections.abc import Callable, Iterator, Mapping

from affidavit.analysers.causes import NamedCause
from affidavit.specialists.broken_references.calls.arity import argument_count
from affidavit.specialists.broken_references.calls.callee import Callee, Site, read_callee
from affidavit.specialists.broken_references.calls.go import go_calls
from affidavit.specialists.broken_references.calls.java import java_calls
from affidavit.specialists.broken_references.calls.javascript import (
    is_ready_for_less,
    javascript_calls,
    shifts_arguments,
)
from affidavit.specialists.broken_references.calls.rust import rust_calls
from affidavit.specialists.broken_references.ground import Break, Ground

GONE = "references/removed-attribute"
MISCOUNTED = "references/wrong-argument-count"
MISPLACED = "references/misplaced-arguments"
FINDERS: Mapping[str, Callable[[Ground, Callee], Iterator[Site]]] = {
    "go": go_calls,
    "java": java_calls,
    "javascript": javascript_calls,
    "typescript": javascript_calls,
    "rust": rust_calls,
}
"""Python has a type checker that knows more."""


def find_broken_calls(ground: Ground) -> Iterator[Break]:
    """Calls of what is gone, and calls that fit before the change and do not fit any more."""
    for one in ground.symbols:
        find = FINDERS.get(one.base.language) if one.base is not None else None
        callee = read_callee(ground, one) if find is not None else None
        if find is not None and callee is not None:
            found = (_broken(ground, callee, site) for site in find(ground, callee))
            yield from (broken for broken in found if broken is not None)


def _broken(ground: Ground, callee: Callee, site: Site) -> Break | None:
    count, after = argument_count(site.call), callee.after
    if after is None:
        owner = callee.owner or callee.old.path
        message = f"`{site.written}` is called, but `{owner}` does not have it any more"
        return Break(GONE, site.parsed.path, site.line, message, _cause(ground, callee))
    if count is None or after.takes(count) or not callee.before.takes(count):
        return None
    rule = MISCOUNTED
    if "javascript" in (site.parsed.language.name, callee.old.language):
        # Nothing refuses the call: what is missing is undefined, what is too much is ignored.
        text = ground.repository.head.read(callee.old.path) or b""
        is_harmless = is_ready_for_less(callee, text, count) if count < after.least else True
        if is_harmless and not shifts_arguments(callee, count):
            return None
        rule = MISPLACED
    passed = f"{count} argument{'' if count == 1 else 's'}"
    message = f"`{site.written}` is called with {passed}, but `{callee.old.qualified}` takes {after.words}"
    return Break(rule, site.parsed.path, site.line, message, _cause(ground, callee))


def _cause(ground: Ground, callee: Callee) -> NamedCause:
    return ground.cause(callee.old.path, callee.old.qualified)
