"""Routes: labels on findings."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path

from affidavit.quality.labels import add_label, labels_of
from affidavit.records.candidate import Candidate
from affidavit.records.measure import Label, LabelEntry
from affidavit.records.report import Report
from affidavit.service.api.door import (
    OwnReport,
    RightsFirst,
    Submitter,
    ThisServer,
    documented,
)
from affidavit.service.api.shapes import (
    FindingLabel,
    FindingLabels,
    LabelRequest,
)
from affidavit.service.problems import Refusal

ROUTES = APIRouter(prefix="/api/review/{review_id}", tags=["findings"], route_class=RightsFirst)
FindingId = Annotated[str, Path(max_length=200, description="The id of a finding of the report.")]
SOURCE = "service"


@ROUTES.get("/labels", responses=documented(404, 409))
async def get_labels(report: OwnReport, parts: ThisServer) -> FindingLabels:
    """The labels of a review's findings."""
    own = await asyncio.to_thread(labels_of, parts.store, report.id)
    return FindingLabels(labels=[_label(one, own[one.id]) for one in report.candidates if one.id in own])


def _label(candidate: Candidate, entry: LabelEntry) -> FindingLabel:
    return FindingLabel(
        finding_id=candidate.id,
        fingerprint=candidate.fingerprint,
        label=entry.label.value if entry.label else None,
        why=entry.why,
        by=entry.by,
        at=entry.at,
    )


@ROUTES.put("/findings/{finding_id}/label", responses=documented(404, 409))
async def put_label(
    finding_id: FindingId, body: LabelRequest, report: OwnReport, parts: ThisServer, caller: Submitter
) -> FindingLabel:
    """Label a finding as valid, wrong or a nit."""
    candidate = _candidate(report, finding_id)
    entry = await asyncio.to_thread(
        lambda: add_label(
            parts.store,
            report,
            candidate,
            Label(body.label),
            why=body.why,
            by=caller.name,
            source=SOURCE,
        )
    )
    return _label(candidate, entry)


@ROUTES.delete("/findings/{finding_id}/label", status_code=204, responses=documented(404, 409))
async def remove_label(
    finding_id: FindingId, report: OwnReport, parts: ThisServer, caller: Submitter
) -> None:
    """Remove a label; its history is kept."""
    candidate = _candidate(report, finding_id)

    def remove() -> None:
        if candidate.id in labels_of(parts.store, report.id):
            add_label(parts.store, report, candidate, None, by=caller.name, source=SOURCE)

    await asyncio.to_thread(remove)


def _candidate(report: Report, finding_id: str) -> Candidate:
    for one in report.candidates:
        if one.id == finding_id and one.finding:
            return one
    raise Refusal(404, f"the review has no finding {finding_id!r}", "Its report lists them with their ids.")
