"""Write the types that the page reads: of the OpenAPI document, and of the records that it hands out."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

import page
from affidavit.records.context import ContextMap
from affidavit.records.lab.measure import Quality
from affidavit.records.report import Report

TYPES = page.WEB / "src" / "api" / "schema.d.ts"


def document() -> dict[str, Any]:
    """One OpenAPI document with every shape that the page reads."""
    _, records = models_json_schema(
        [(record, "serialization") for record in (Report, ContextMap, Quality)],
        ref_template="#/components/schemas/{model}",
    )
    for record in records["$defs"].values():
        # A record writes all its fields, also those whose default is made by a function.
        if "properties" in record:
            record["required"] = list(record["properties"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Affidavit", "version": "1"},
        "paths": {},
        "components": {"schemas": records["$defs"]},
    }


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
