"""Choose the prompts of one review: the forced version, that of the change's slice, or the current one."""

from dataclasses import dataclass, replace
from pathlib import Path

from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.errors import SettingsError
from affidavit.lab.rollout.book import BUILT_IN, RolloutBook
from affidavit.lab.rollout.slice import arm_of, change_key
from affidavit.prompts import PromptSet, load_prompts
from affidavit.records.change import Change
from affidavit.records.lab.rollout import Arm, Rollout, Versions


@dataclass(frozen=True)
class ChosenPrompts:
    """The prompts of a review, and the rollout for which it counts."""

    prompts: PromptSet
    rollout: Rollout | None = None
    """None: the review counts for no rollout."""
    arm: Arm = "old"
    change_key: str = ""
    notice: str = ""
    """What the user should know about the choice; empty where there is nothing to say."""


def choose_prompts(
    book: RolloutBook, change: Change, *, version: str | None = None, folder: Path | None = None
) -> ChosenPrompts:
    """A version that was asked for counts for no rollout, since nobody drew it."""
    rollout = book.running() if version is None else None
    if rollout is None:
        return choose_outside_rollouts(book, version=version, folder=folder)
    key = change_key(change)
    arm = arm_of(rollout, key)
    if arm == "old":
        old = _current(rollout.old, folder)
        return replace(old, rollout=rollout, arm=arm, change_key=key)
    try:
        prompts = _unchanged(rollout.new, folder)
    except SettingsError as error:
        # The trial of a version must not stand in the way of reviews.
        fallback = _current(rollout.old, folder).prompts
        notice = f"this change was drawn for prompts {rollout.new.name}, but they cannot be used: {error}"
        return ChosenPrompts(fallback, notice=f"{notice}; it is reviewed with {fallback.version}")
    notice = f"prompts {rollout.new.name}, on trial for {100 * rollout.share:g}% of the changes"
    return ChosenPrompts(prompts, rollout, arm, key, notice)


def choose_outside_rollouts(
    book: RolloutBook, *, version: str | None = None, folder: Path | None = None
) -> ChosenPrompts:
    """The version that was asked for, or the current one, for work that must not depend on a draw."""
    if version is not None:
        return ChosenPrompts(_forced(book, version, folder))
    return _current(book.current(), folder)


def _forced(book: RolloutBook, version: str, folder: Path | None) -> PromptSet:
    if version in book.retired("prompt"):
        raise SettingsError(f"prompt version {version} is retired: the parser rejects its replies")
    running = book.running()
    known = [book.current(), *([running.new, running.old] if running else [])]
    versions = next(
        (one for one in known if one.prompt == version),
        Versions(prompt=version, schema_version=ASKED_SCHEMA_VERSION),
    )
    return _load(versions, folder)


def _current(versions: Versions, folder: Path | None) -> ChosenPrompts:
    if versions == BUILT_IN:
        return ChosenPrompts(_load(versions, None))
    try:
        prompts = _load(versions, folder)
    except SettingsError as error:
        raise SettingsError(
            f"the promoted prompts {versions.name} cannot be used: {error}."
            " Fix them, choose others with --prompt-version, or undo the promotion with `rollout rollback`"
        ) from error
    changed = f"the text of prompts {versions.prompt} has changed since they were promoted"
    return ChosenPrompts(prompts, notice="" if prompts.digest == versions.digest else changed)


def _unchanged(versions: Versions, folder: Path | None) -> PromptSet:
    prompts = _load(versions, folder)
    if prompts.digest != versions.digest:
        raise SettingsError("their text has changed since the rollout began; give it a new version")
    return prompts


def _load(versions: Versions, folder: Path | None) -> PromptSet:
    kept = Path(versions.folder) if versions.folder else None
    # The user's present folder may hold other versions than the one that was kept.
    place = folder if folder and (folder / versions.prompt).is_dir() else kept or folder
    return load_prompts(versions.prompt, place, versions.schema_version)
