"""The audit trail: one line of JSON for each thing that happened."""

import json
from pathlib import Path

TRAIL = Path("audit.jsonl")


def record(actor: str, action: str, subject: str) -> None:
    line = json.dumps({"actor": actor, "action": action, "subject": subject})
    with TRAIL.open("a") as file:
        file.write(line + "\n")
