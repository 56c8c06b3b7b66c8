"""JSON in and out."""

import json
from typing import Any


def loads(content: bytes) -> Any:
    return json.loads(content)
