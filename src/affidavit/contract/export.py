"""Write a `ReviewResult` as JSON of a chosen schema version."""

from typing import Any

from affidavit.contract.schema import SCHEMAS, schema_of
from affidavit.errors import InputError
from affidavit.records.finding import Finding, ReviewResult, Verification


def to_json(result: ReviewResult, version: str) -> dict[str, Any]:
    """The result as a JSON object that is valid in the schema of `version`; absent fields are left out."""
    with_evidence = _has_evidence(version)
    document: dict[str, Any] = {"schema_version": version, "prompt_version": result.prompt_version}
    if result.summary is not None:
        document["summary"] = result.summary
    document["findings"] = [_finding_to_json(finding, version, with_evidence) for finding in result.findings]
    if result.meta is not None:
        document["meta"] = result.meta
    return document


def _has_evidence(version: str) -> bool:
    return "verification" in schema_of(version)["properties"]["findings"]["items"]["properties"]


def _finding_to_json(finding: Finding, version: str, with_evidence: bool) -> dict[str, Any]:
    if with_evidence and finding.verification is None:
        without = next(known for known in SCHEMAS if not _has_evidence(known))
        raise InputError(
            f"finding {finding.id[:80]!r} has no evidence, which schema {version} requires; "
            f"write it as {without}"
        )
    hidden: dict[str, Any] = {} if with_evidence else {"verification": True}
    if with_evidence:
        known = schema_of(version)["properties"]["findings"]["items"]["properties"]["verification"]
        hidden["verification"] = {
            name for name in Verification.model_fields if name not in known["properties"]
        }
    return finding.model_dump(mode="json", exclude=hidden, exclude_none=True)
