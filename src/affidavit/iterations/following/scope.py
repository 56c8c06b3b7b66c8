"""What models look at in a review that follows another one: what is new, and what that reaches."""

from collections.abc import Mapping
from typing import Any

from affidavit.iterations.feedback.conditions import settings_digest
from affidavit.iterations.following.hunks import examined_before, known_file
from affidavit.iterations.following.touched import Parts, touched_since
from affidavit.ports import Case
from affidavit.records.change import Change
from affidavit.records.iteration import Earlier, Scope

NEW_ONLY = "what the new commits touch, and what uses it"


def choose_scope(
    case: Case, settings: Mapping[str, Any], models: Mapping[str, str], prompt_version: str
) -> Scope | None:
    """Everything, unless the same minds looked at the rest under the same conditions; None: none looks."""
    earlier = case.earlier
    if earlier is None or not models:
        return None
    reason = _why_everything(earlier, case.change, settings, models, prompt_version)
    if reason:
        return Scope(is_whole=True, reason=reason)
    touched = touched_since(earlier, case)
    shown = [file.path for file in case.change.files if file.path in touched.parts]
    return Scope(
        is_whole=False,
        reason=NEW_ONLY,
        touched=tuple(path for path in shown if touched.parts[path] or path in touched.paths),
        reached=tuple(sorted(touched.reached)),
    )


def parts_to_show(case: Case, shown: Change) -> dict[str, Parts] | None:
    """Path to the parts of its hunks that models are shown, none: the whole file; None: everything is shown.

    `shown` is the same change as it leaves: its files may be called otherwise.
    """
    if case.scope is None or case.scope.is_whole or case.earlier is None:
        return None
    touched = touched_since(case.earlier, case)
    pairs = zip(case.change.files, shown.files, strict=True)
    names = {file.path: other.path for file, other in pairs}
    parts = {names[path]: parts for path, parts in touched.parts.items() if parts and path in names}
    return parts | {names[path]: () for path in touched.reached if path in names}


def seen_before(case: Case) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Path to the models that saw each of its hunks in an earlier review; empty where all is looked at."""
    if case.scope is None or case.scope.is_whole or case.earlier is None:
        return {}
    seen: dict[str, tuple[tuple[str, ...], ...]] = {}
    for file in case.change.files:
        known = known_file(file, case.earlier.files)
        if known is not None and file.path not in case.scope.reached:
            seen[file.path] = tuple(examined_before(hunk, known.hunks) for hunk in file.hunks)
    return seen


def _why_everything(
    earlier: Earlier,
    change: Change,
    settings: Mapping[str, Any],
    models: Mapping[str, str],
    prompt_version: str,
) -> str:
    """Why what was seen before must be looked at again; empty: it need not."""
    if earlier.looks_at_all:
        is_same_head = earlier.head.tree == change.head.tree
        return "this head is looked at anew" if is_same_head else "the user asked for everything"
    reasons = (
        (not earlier.is_trusted, "the report of the review before is a file that nobody has signed"),
        (not earlier.models, "no model looked in the review before"),
        (earlier.models != dict(models), "other models looked in the review before"),
        (
            earlier.prompt_version != prompt_version,
            f"the review before was made with prompts {earlier.prompt_version}",
        ),
        (
            earlier.settings != settings_digest(settings),
            "the review before was made with other settings, or asked models at another address",
        ),
        (
            earlier.base.name != change.base.name,
            f"the review before started from {earlier.base.name or 'elsewhere'}",
        ),
    )
    return next((reason for is_so, reason in reasons if is_so), "")
