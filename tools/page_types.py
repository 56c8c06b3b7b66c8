"""Write the types of the API for the page, from the OpenAPI document of the service."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import page
from affidavit.service.app import api_document

TYPES = page.WEB / "src" / "api" / "schema.d.ts"
BODIES = ("ReviewRequest", "RequestedOptions", "LabelRequest")
"""What is sent may leave out fields; what is answered has them all."""


def document() -> dict[str, Any]:
    """The OpenAPI document of the service, with every field of an answer as one that is there."""
    described = api_document()
    for name, schema in described["components"]["schemas"].items():
        if "properties" in schema and name not in BODIES:
            schema["required"] = list(schema["properties"])
    for path in described["paths"].values():
        for operation in path.values():
            # Every refusal has the one shape that the client reads by itself.
            answers = operation["responses"].items()
            operation["responses"] = {code: answer for code, answer in answers if code.startswith("2")}
    return described


def written() -> str:
    """The types as they should stand in `web/src/api/schema.d.ts`."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "openapi.json", Path(folder) / "schema.d.ts"
        source.write_text(json.dumps(document()))
        page.write_types(source, target)
        return target.read_text()


def main() -> None:
    """Write them, or with --check say whether they are stale."""
    types = written()
    if "--check" not in sys.argv:
        TYPES.write_text(types)
    elif TYPES.read_text() != types:
        raise page.PageError(f"{TYPES.relative_to(page.ROOT)} is stale: run `make page-types` and commit it")


if __name__ == "__main__":
    main()
