"""Keep what people decided about findings on a forge, as labels in the store."""

from collections.abc import Sequence

from affidavit.forges.answers import Decision
from affidavit.proof.sameness import names_of
from affidavit.quality.labels import add_label
from affidavit.records.measure import FORGE, UNHEARD, Label
from affidavit.records.report import Report
from affidavit.store.open import Store


def keep_decisions(store: Store, report: Report, decisions: Sequence[Decision], forge: str) -> list[str]:
    """Label what people called wrong, each once; returns what was labelled, in words.

    Only the word of who may write there and is not the author counts in the error rate: of anybody else it is
    kept, with where it comes from.
    """
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
