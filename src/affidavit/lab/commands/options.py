"""Read the options of `affidavit eval`: limits, models, logs, labels."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from affidavit.config.places import state_folder
from affidavit.config.settings import Settings, load_settings
from affidavit.errors import SettingsError
from affidavit.lab.cases.folders import folder_name
from affidavit.lab.evaluation.run import ProgramGround, ReviewSessions
from affidavit.lab.records import Evaluation
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.ports import Tree
from affidavit.prompts import PromptSet, current_prompts
from affidavit.quality.prompts import choose_outside_rollouts
from affidavit.records.measure import Label
from affidavit.render.wording import counted
from affidavit.reviewing.hold import read_config
from affidavit.reviewing.models import chosen_model, chosen_models, opened_ledger
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import server_pool
from affidavit.reviewing.prompts import chosen_store
from affidavit.reviewing.running import named_environments, opened_runner
from affidavit.store.open import open_store


@dataclass(frozen=True)
class ScoreLimits:
    """Limits of the scores; None: no limit."""

    min_recall: float | None = None
    max_wrong: int | None = None
    max_wrong_rate: float | None = None

    def misses(self, evaluation: Evaluation) -> list[str]:
        """Return a sentence for each missed limit; a score without a value misses a lower limit."""
        sentences = []
        if self.min_recall is not None and (
            evaluation.recall is None or evaluation.recall.share < self.min_recall
        ):
            recall = "not measured" if evaluation.recall is None else f"{evaluation.recall.share:.1%}"
            sentences.append(f"recall is {recall}, less than --min-recall {self.min_recall:.1%}")
        if self.max_wrong is not None and evaluation.wrong > self.max_wrong:
            wrong = counted(evaluation.wrong, "wrong finding")
            sentences.append(f"{wrong}, more than --max-wrong {self.max_wrong}")
        rate = evaluation.wrong_rate
        if self.max_wrong_rate is not None and rate is not None and rate.share > self.max_wrong_rate:
            sentences.append(f"{rate.share:.1%} are wrong, more than --max-wrong {self.max_wrong_rate:.1%}")
        return sentences


def read_limits(options: dict[str, Any]) -> ScoreLimits:
    """Read the limits; raise SettingsError if one is not a number."""
    recall, wrong = options["min_recall"], options["max_wrong"]
    min_recall = read_share(recall, "--min-recall")
    if wrong is None:
        return ScoreLimits(min_recall)
    if re.fullmatch(r"\d{1,9}", wrong.strip()):
        return ScoreLimits(min_recall, max_wrong=int(wrong))
    return ScoreLimits(min_recall, max_wrong_rate=_share(wrong, "--max-wrong", "a whole number, or "))


def read_share(text: str | None, option: str) -> float | None:
    """Read a share such as `0.6` or `60%`; None if none is given."""
    return None if text is None else _share(text, option)


def _share(text: str, option: str, otherwise: str = "") -> float:
    number, percent = (text.strip()[:-1], 100) if text.strip().endswith("%") else (text.strip(), 1)
    try:
        value = float(number) / percent
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise SettingsError(f"{option}: expected {otherwise}a share such as 0.6 or 60%, found {text!r}")
    return value


def opened_sessions(options: dict[str, Any], cache: Path | None) -> ReviewSessions:
    """Return sessions with the models that options and environment name."""
    chosen = ReviewOptions.from_all(options)
    choices = chosen_models(chosen)
    return ReviewSessions(
        settings_for=settings_reader(options),
        cache=cache,
        choices=choices,
        judge_choice=_judge(options, choices.get("verifier")),
        prompts=measured_prompts(options) if choices else current_prompts(),
        servers_for=server_pool,
        programs=program_ground(options),
        ledger=opened_ledger(chosen),
        log_for=_log_opener(options),
    )


def program_ground(options: dict[str, Any]) -> ProgramGround:
    """Return how programs run; each case's settings say whether."""
    chosen = ReviewOptions.from_all(options)
    return ProgramGround(
        open=lambda repository, settings: opened_runner(repository, settings, chosen),
        environments=tuple(named_environments(chosen)),
    )


def measured_prompts(options: dict[str, Any]) -> PromptSet:
    """Return the named prompt version, or the current one; rollouts do not apply."""
    version, folder = options["prompt_version"], options["prompts"]
    return choose_outside_rollouts(chosen_store(options.get("data")), version=version, folder=folder).prompts


def _judge(options: dict[str, Any], verifier: ModelChoice | None) -> ModelChoice | None:
    if options["no_judge"]:
        if options["judge_model"]:
            raise SettingsError("--judge-model and --no-judge exclude each other")
        return None
    if options["judge_model"]:
        return chosen_model(
            "verifier",
            replace(ReviewOptions.from_all(options), model=options["judge_model"], verifier_model=None),
        )
    return verifier


def settings_reader(options: dict[str, Any]) -> Callable[[Tree], Settings]:
    """Return a reader of a case's settings, which come from its base commit, as in a review."""
    explicit = read_config(options["config"])
    flags = ReviewOptions.from_all(options).flags
    return lambda base: load_settings(base, os.environ, flags, explicit)


def kept_folder(options: dict[str, Any]) -> Path | None:
    """Return the folder that keeps reports and exchanges: --out, or --resume for one that exists."""
    out, resume = options["out"], options["resume"]
    if out and resume:
        raise SettingsError("--out and --resume exclude each other: --resume continues in its own folder")
    if resume and not resume.is_dir():
        raise SettingsError(f"--resume: there is no folder {resume}")
    folder: Path | None = out or resume
    return folder


def _log_opener(options: dict[str, Any]) -> Callable[[str], ConversationLog]:
    """Open a log for each review, in a folder of its own; --out keeps and resumes the exchanges."""
    named = [(mode, options[mode]) for mode in (LogMode.RECORD, LogMode.REPLAY) if options[mode]]
    if len(named) > 1:
        raise SettingsError("--record and --replay exclude each other")
    kept = kept_folder(options)
    mode, folder = named[0] if named else (LogMode.RESUME if kept else LogMode.OFF, kept)

    def open_log(case_id: str) -> ConversationLog:
        place = folder / folder_name(case_id) if folder else None
        return ConversationLog(place, mode)

    return open_log


def labels_in_store(data: Path | None) -> dict[str, dict[str, Label]]:
    """Return labels by repository and fingerprint."""
    store = open_store(data or state_folder())
    labels: dict[str, dict[str, Label]] = {}
    if store.exists():
        for one in store.labels.with_findings():
            if one.entry.label is not None and one.fingerprint:
                labels.setdefault(one.repository, {})[one.fingerprint] = one.entry.label
    return labels
