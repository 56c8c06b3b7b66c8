"""The prompts of one review, and what the review means for a rollout."""

import os
from collections.abc import Mapping
from pathlib import Path

from affidavit.config.places import state_folder
from affidavit.errors import SettingsError, StoreError
from affidavit.lab.rollout.book import RolloutBook
from affidavit.lab.rollout.choice import ChosenPrompts, choose_prompts
from affidavit.lab.rollout.decisions import record_review
from affidavit.ports import Repository
from affidavit.prompts import SUFFIX, PromptSet, current_prompts, load_prompts
from affidavit.records.lab.rollout import Decision
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.stages.looking.intake import OpenedChange
from affidavit.store.open import open_store


def rollout_book(data: Path | None, environment: Mapping[str, str] = os.environ) -> RolloutBook:
    """The rollouts of the store in this folder, or of the default one."""
    return RolloutBook(open_store(data or state_folder(environment)))


def prompts_for(opened: OpenedChange, options: ReviewOptions, say: Say | None = None) -> ChosenPrompts:
    """The prompts of this review; what was decided without a person is said first, to whoever listens."""
    book, version, folder = rollout_book(options.data), options.prompt_version, options.prompts
    try:
        if say:
            _say_decisions(book, say, is_kept=not options.no_store)
        chosen = choose_prompts(book, opened.change, version=version, folder=folder)
    except StoreError as error:
        prompts = load_prompts(version, folder) if version else current_prompts()
        chosen = ChosenPrompts(prompts, notice=f"no rollout counts, since {error}")
    _refuse_prompts_of_the_change(chosen.prompts, opened.repository)
    if chosen.notice and say:
        say(chosen.notice)
    return chosen


def _refuse_prompts_of_the_change(prompts: PromptSet, repository: Repository) -> None:
    """Prompts are instructions: those of the reviewed repository count as they are at base, or not at all."""
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
    chosen: ChosenPrompts | None,
    report: Report,
    options: ReviewOptions,
    say: Say | None = None,
    warn: Say | None = None,
) -> None:
    """Count the review; where a rule of the rollout holds now, it is applied and said."""
    # A replayed review is the same review again, and says nothing new.
    if chosen is None or chosen.rollout is None or options.replay:
        return
    try:
        decision = record_review(
            rollout_book(options.data), chosen.rollout, chosen.arm, chosen.change_key, report
        )
    except StoreError as error:
        if warn:
            warn(f"the review was not counted for the rollout: {error}")
        return
    if decision and say:
        say(_words(decision))


def _say_decisions(book: RolloutBook, say: Say, *, is_kept: bool) -> None:
    untold = book.unannounced()
    for _, decision in untold:
        say(_words(decision))
    if untold and is_kept:
        book.announce([number for number, _ in untold])


def _words(decision: Decision) -> str:
    done = {"roll_back": "rolled back", "promote": "promoted"}.get(decision.action, decision.action)
    return f"prompts {decision.versions} were {done} {decision.by} on {decision.at[:10]}: {decision.why}"
