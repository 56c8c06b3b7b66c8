"""Keep reports, and what people decided about their findings, in the store."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.config.places import retention_days, state_folder
from affidavit.errors import SettingsError, StoreError
from affidavit.proof.sameness import names_of
from affidavit.records.measure import FORGE, UNHEARD, Label
from affidavit.records.report import Report
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.reviewing.series import Followed, keep_iteration
from affidavit.store.open import Store, open_store

if TYPE_CHECKING:
    from affidavit.forges.answers import Decision
    from affidavit.quality.prompts import ChosenPrompts


def keep_review(
    report: Report,
    followed: Followed,
    prompts: "ChosenPrompts | None",
    options: ReviewOptions,
    warn: Say = lambda _text: None,
) -> Report:
    """Keep a report as part of its series and count it for a rollout; an empty change only gets the rate."""
    if options.no_store or not report.change.files:
        return measured_report(report, options.data)
    kept = keep_report(report, options.data, warn)
    keep_iteration(kept, followed, options.data, warn)
    if prompts:
        from affidavit.reviewing.prompts import count_for_rollout  # noqa: PLC0415 - only models need it

        count_for_rollout(prompts, kept, options, warn)
    return kept


def keep_report(report: Report, folder: Path | None, warn: Say) -> Report:
    """Keep the report and delete old ones without labels; if that fails, warn and go on."""
    from affidavit.render.formats import render  # noqa: PLC0415 - only what is kept needs it

    try:
        store = open_store(folder or state_folder())
        report = _measured(report, store)
        # The same bytes as in a file of the native report, so that both have one digest.
        store.kept.save(report, render(report, "report").encode())
        if days := retention_days():
            oldest = datetime.now(UTC) - timedelta(days=days)
            store.kept.delete_before(oldest.isoformat(), spares_labelled=True)
    except StoreError as error:
        warn(f"the report was not kept: {error}")
    except SettingsError as error:
        warn(f"no old report was deleted: {error}")
    return report


def measured_report(report: Report, folder: Path | None) -> Report:
    """Add the error rate to a report that is not kept, if there is a store."""
    store = open_store(folder or state_folder())
    if not store.exists():
        return report
    with suppress(StoreError):
        return _measured(report, store)
    return report


def _measured(report: Report, store: Store) -> Report:
    if not store.kept.has_labels():
        return report.model_copy(update={"measured": None})
    from affidavit.quality.measures import with_measured  # noqa: PLC0415 - only where somebody labelled

    return with_measured(report, store)


def keep_decisions(store: Store, report: Report, decisions: "Sequence[Decision]", forge: str) -> list[str]:
    """Label findings that people on a forge called wrong, each once, and report it.

    The error rate counts only the labels of people who may write there and are not the author.
    """
    from affidavit.quality.labels import add_label  # noqa: PLC0415 - only where people answered

    said = []
    for decision in decisions:
        candidate = next((one for one in report.candidates if decision.fingerprint in names_of(one)), None)
        if decision.kind != "wrong" or candidate is None:
            continue
        by = f"{decision.by.name} on {forge}"
        source = UNHEARD.get(decision.by.lifting, FORGE)
        own = [one for one in store.labels.history(report.id, candidate.id) if one.by == by]
        if not own or own[-1].source != source:
            add_label(store, report, candidate, Label.WRONG, why=decision.why, by=by, source=source)
            why_not = "" if source == FORGE else f"; it counts in no error rate ({source})"
            said.append(f"{candidate.id} is labelled wrong, by {by}{why_not}")
    return said
