"""Choose the prompts of one review, and count the review for its rollout."""

from pathlib import Path

from affidavit.config.places import state_folder
from affidavit.errors import SettingsError, StoreError
from affidavit.ports import Repository
from affidavit.prompts import SUFFIX, PromptSet, current_prompts, load_prompts
from affidavit.quality.prompts import ChosenPrompts, choose_prompts
from affidavit.quality.rollout import record_review
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.stages.intake import OpenedChange
from affidavit.store.open import Store, open_store


def chosen_store(data: Path | None) -> Store:
    return open_store(data or state_folder())


def prompts_for(opened: OpenedChange, options: ReviewOptions, say: Say | None = None) -> ChosenPrompts:
    """Choose the prompts of this review, and tell the user if they are on trial."""
    version, folder = options.prompt_version, options.prompts
    try:
        chosen = choose_prompts(chosen_store(options.data), opened.change, version=version, folder=folder)
    except StoreError as error:
        prompts = load_prompts(version, folder) if version else current_prompts()
        chosen = ChosenPrompts(prompts, notice=f"no rollout counts, since {error}")
    _refuse_prompts_of_the_change(chosen.prompts, opened.repository)
    if chosen.notice and say:
        say(chosen.notice)
    return chosen


def _refuse_prompts_of_the_change(prompts: PromptSet, repository: Repository) -> None:
    """Refuse prompts in the reviewed repository that are not as base has them: they are instructions."""
    folder = repository.folder
    if prompts.place is None or folder is None:
        return
    place, top = prompts.place.resolve(), folder.resolve()
    if not place.is_relative_to(top):
        return
    for name, text in sorted(prompts.templates.items()):
        path = (place / f"{name}{SUFFIX}").relative_to(top).as_posix()
        if any(tree.read(path) != text.encode() for tree in repository.excusing):
            raise SettingsError(
                f"{path} is not as the base commit has it, or not as the target branch has it: a change "
                "cannot bring the prompts that it is reviewed with. Name a folder elsewhere, or let them "
                "become part of base first"
            )


def count_for_rollout(
    chosen: ChosenPrompts | None, report: Report, options: ReviewOptions, warn: Say
) -> None:
    """Count the review for the rollout that its change was drawn for."""
    # A replayed review is the same review again and does not count.
    if chosen is None or chosen.rollout is None or options.replay:
        return
    try:
        record_review(chosen_store(options.data), chosen.rollout, chosen.arm, chosen.change_key, report)
    except StoreError as error:
        warn(f"the review was not counted for the rollout: {error}")
