"""Verifiers behind the scripted server that judge planted claims: they know a claim by its title."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from affidavit.lab.records import ClaimKind, PlantedClaim
from model_server import Act, Exchange, calls
from panelists import told_in

Answer = Callable[[PlantedClaim], Mapping[str, Any]]
PROBED: dict[str, Any] = {"judgment": "REFUTED", "qualified": False, "worth": "nit", "reason": "1 + 1 is 2"}


def as_known(claim: PlantedClaim) -> dict[str, Any]:
    """What the set says of a claim."""
    is_wrong = claim.kind is ClaimKind.WRONG
    return {
        "scenario": "unchanged" if is_wrong else "differs",
        "judgment": claim.judgement,
        "qualified": False,
        "worth": "nit" if is_wrong else str(claim.worth[0]),
        "reason": f"decided: {claim.why[:60]}",
        "severity": str(claim.finding.severity),
    }


def confirming(claim: PlantedClaim) -> dict[str, Any]:
    """Everything is true and worth acting on."""
    known = {"scenario": "differs", "judgment": "CONFIRMED", "worth": "act", "reason": "it reads so"}
    return {**as_known(claim), **known}


def verifier_of(claims: Sequence[PlantedClaim], answer: Answer) -> Act:
    """A server that answers each claim; the question whether it is there at all, too."""

    def act(exchange: Exchange) -> None:
        told = told_in(exchange.body)
        asked = next((one for one in claims if one.finding.title in told), None)
        said = answer(asked) if asked else PROBED
        calls(("verification_judgment", json.dumps(said)))(exchange)

    return act
