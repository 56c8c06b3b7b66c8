"""Choose the prompts of a review: the version asked for, that of the rollout, or the current one."""

from dataclasses import dataclass, replace
from pathlib import Path

from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.errors import SettingsError
from affidavit.prompts import PromptSet, load_prompts
from affidavit.quality.rollout import BUILT_IN, arm_of, change_key, current_versions, running_rollout
from affidavit.records.change import Change
from affidavit.records.measure import Arm, Versions
from affidavit.store.open import Store


@dataclass(frozen=True)
class ChosenPrompts:
    """The prompts of a review, and the rollout that it counts for."""

    prompts: PromptSet
    rollout: int | None = None
    """Number of the rollout; None if the review counts for none."""
    arm: Arm = "old"
    change_key: str = ""
    notice: str = ""
    """A message to the user about the choice."""


def choose_prompts(
    store: Store, change: Change, *, version: str | None = None, folder: Path | None = None
) -> ChosenPrompts:
    """Choose the version of a change; a review with a version that was asked for counts for no rollout."""
    rollout = running_rollout(store) if version is None else None
    if rollout is None:
        return choose_outside_rollouts(store, version=version, folder=folder)
    key = change_key(change)
    arm = arm_of(rollout, key)
    if arm == "old":
        return replace(_current(rollout.old, folder), rollout=rollout.number, arm=arm, change_key=key)
    try:
        prompts = _load(rollout.new, folder)
        if prompts.digest != rollout.new.digest:
            raise SettingsError("their text has changed since the rollout began; give it a new version")
    except SettingsError as error:
        # A trial must not stop reviews.
        fallback = _current(rollout.old, folder).prompts
        notice = f"this change was drawn for prompts {rollout.new.name}, but they cannot be used: {error}"
        return ChosenPrompts(fallback, notice=f"{notice}; it is reviewed with {fallback.version}")
    notice = f"prompts {rollout.new.name}, on trial for {100 * rollout.share:g}% of the changes"
    return ChosenPrompts(prompts, rollout.number, arm, key, notice)


def choose_outside_rollouts(
    store: Store, *, version: str | None = None, folder: Path | None = None
) -> ChosenPrompts:
    """Choose the version asked for, or the current one, whatever rollout is running."""
    if version is None:
        return _current(current_versions(store), folder)
    running = running_rollout(store)
    known = [current_versions(store), *([running.new, running.old] if running else [])]
    plain = Versions(prompt=version, schema_version=CURRENT_SCHEMA_VERSION)
    return ChosenPrompts(_load(next((one for one in known if one.prompt == version), plain), folder))


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


def _load(versions: Versions, folder: Path | None) -> PromptSet:
    kept = Path(versions.folder) if versions.folder else None
    # The user's present folder may hold other versions than the one that was kept.
    place = folder if folder and (folder / versions.prompt).is_dir() else kept or folder
    return load_prompts(versions.prompt, place, versions.schema_version)
