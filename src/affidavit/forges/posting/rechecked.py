"""What a recheck confirmed: its JSON and the digest of the report to be posted in, what is unproven out."""

import json
from typing import Any

from affidavit.errors import InputError
from affidavit.records.record import Record

MAY_BE_POSTED = (0, 3)
"""Everything holds, or a part could not be proven there; never what failed, or nothing."""


class Recheck(Record):
    """A recheck of the very bytes that are posted."""

    exit_code: int
    unproven: tuple[str, ...] = ()


def read_recheck(content: bytes, digest: str) -> Recheck:
    """Read it; raises InputError where it is of another report, or does not confirm this one."""
    try:
        given = json.loads(content)
        rechecked, code = given["report_sha256"], given["exit_code"]
        proofs: list[dict[str, Any]] = given["proofs"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"--rechecked: this is not what `affidavit recheck --format json` prints ({error})"
        ) from error
    if rechecked != digest:
        raise InputError(
            f"--rechecked: it confirms another report (sha256 {str(rechecked)[:12]}, not {digest[:12]})"
        )
    failed = [_named(proof) for proof in proofs if proof.get("holds") is False]
    if code not in MAY_BE_POSTED or failed:
        raise InputError(
            f"--rechecked: the recheck ended with {code}, so the report is not posted: "
            f"{'; '.join(failed[:3]) or 'it could not be proven again'}"
        )
    unproven = [_named(proof) for proof in proofs if proof.get("holds") is None]
    return Recheck(exit_code=code, unproven=tuple(unproven))


def _named(proof: dict[str, Any]) -> str:
    named = " ".join(str(proof.get(name) or "") for name in ("finding", "kind")).strip()
    return f"{named}: {proof.get('detail') or ''}"[:500]
