"""What became of what an analyser found in each file of a change."""

import asyncio
import json
from collections.abc import Mapping

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from python_changes import Case


def outcomes(analyser: Analyser, one: Case) -> dict[str, str]:
    """Each file with a finding: `found`, or `withheld` on its own word; one that is not here is dropped."""
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(one.case))
    findings = json.loads(reply.text or "{}")["findings"]
    words = ["withheld" if by else "found" for by in reply.suppressed]
    return {finding["file"]: word for finding, word in zip(findings, words, strict=True)}


def each(texts: Mapping[str, str], ending: str = ".py") -> dict[str, str]:
    """Many files of one change: one run shows about all of them what a run for each would."""
    return {f"{name.replace(' ', '_')}{ending}": text for name, text in texts.items()}


def all_are(word: str, files: Mapping[str, str]) -> dict[str, str]:
    return dict.fromkeys(files, word)
