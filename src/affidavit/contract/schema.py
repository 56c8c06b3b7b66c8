"""Build the JSON Schema of `ReviewResult`, by version."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from affidavit.errors import InputError, SettingsError
from affidavit.records.finding import Category, Reproduction, ReviewResult, Severity, Verification

CURRENT_SCHEMA_VERSION = "1.3"
"""What prompts ask for. Requests leave out the fields that nobody could look at."""
PROGRAMS_SCHEMA_VERSION = "1.2"
"""The first with programs, patches and quotes of packages."""

CATEGORIES_WITH_A_FAILURE = (
    Category.CORRECTNESS,
    Category.SECURITY,
    Category.RELIABILITY,
    Category.PERFORMANCE,
)
"""Findings of these categories must say what input fails, and how."""

_TEXT = {"type": "string"}
_FILLED_TEXT = {"type": "string", "minLength": 1}
_LINE = {"type": "integer", "minimum": 1}
_LINE_RANGE = {"type": "array", "items": _LINE, "minItems": 2, "maxItems": 2}
_FLAG = {"type": "boolean"}
_SIDE = {"type": "string", "enum": ["head", "base"]}
MAX_SECONDS = 60
"""The longest time that a finding may ask for one run of its program."""


def strict_object(
    properties: dict[str, Any], required: Sequence[str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return the schema of an object that has these fields only; by default all are required."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties if required is None else required),
        "properties": properties,
        **more,
    }


_FINDING_FIELDS: dict[str, Any] = {
    "id": _FILLED_TEXT,
    "severity": {"type": "string", "enum": [str(severity) for severity in Severity]},
    "category": {"type": "string", "enum": [str(category) for category in Category]},
    "title": _FILLED_TEXT,
    "file": _FILLED_TEXT,
    "line": _LINE,
    "end_line": _LINE,
    "message": _FILLED_TEXT,
    "suggestion": _TEXT,
    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
    "rule_id": _TEXT,
}
_FINDING_REQUIRED = ["id", "severity", "category", "title", "file", "line", "message"]

_SEARCH = strict_object(
    {"pattern": _FILLED_TEXT, "paths": {"type": "array", "items": _FILLED_TEXT}, "side": _SIDE}, ["pattern"]
)
_CAUSE = strict_object({"file": _FILLED_TEXT, "symbol": _TEXT}, ["file"])

_VERIFICATION = strict_object(
    {
        # A short quote is extended from the file later, so it is not refused here.
        "code_examined": _FILLED_TEXT,
        "line_range_examined": _LINE_RANGE,
        "verification_method": _FILLED_TEXT,
        "checked_for_handling_elsewhere": _FLAG,
        "where_checked": _TEXT,
        "is_impact_finding": _FLAG,
        "side": _SIDE,
        "failing_input": _TEXT,
        "wrong_outcome": _TEXT,
        "is_absence_finding": _FLAG,
        "searches": {"type": "array", "items": _SEARCH},
        "caused_by": _CAUSE,
    },
    ["code_examined", "line_range_examined", "verification_method", "checked_for_handling_elsewhere"],
    **{
        "if": {"properties": {"is_impact_finding": {"const": True}}, "required": ["is_impact_finding"]},
        "then": {"required": ["caused_by"]},
    },
)

_EXPECTED = strict_object(
    {"exit_code": {"type": "integer", "minimum": 0, "maximum": 255}, "output": _TEXT}, ["exit_code"]
)
_ADDED_FILE = strict_object({"path": _FILLED_TEXT, "content": _TEXT})
_REPRODUCTION = strict_object(
    {
        "language": _FILLED_TEXT,
        "program": _FILLED_TEXT,
        "files": {"type": "array", "items": _ADDED_FILE},
        "expected_at_head": _EXPECTED,
        # Null, or left out, where base lacks the code.
        "expected_at_base": {**_EXPECTED, "type": ["object", "null"]},
    },
    ["language", "program", "expected_at_head"],
)
_REPRODUCTION_1_3 = {
    **_REPRODUCTION,
    "properties": {
        **_REPRODUCTION["properties"],
        "expected_when_fixed": _EXPECTED,
        "promised": _FILLED_TEXT,
        "seconds": {"type": "integer", "minimum": 1, "maximum": MAX_SECONDS},
    },
}
_DEPENDENCY_QUOTE = strict_object(
    {
        "package": _FILLED_TEXT,
        "version": _FILLED_TEXT,
        "file": _FILLED_TEXT,
        "sha256": _FILLED_TEXT,
        "code_examined": _FILLED_TEXT,
        "line_range_examined": _LINE_RANGE,
    },
    ["package", "version", "file", "sha256", "code_examined"],
)
_FOR_PROGRAMS = {"reproduction": _REPRODUCTION, "patch": _TEXT}
_FOR_DEPENDENCIES = {"dependency_quotes": {"type": "array", "items": _DEPENDENCY_QUOTE}}


def _with_fields(verification: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return {**verification, "properties": {**verification["properties"], **fields}}


_VERIFICATION_1_2 = _with_fields(_VERIFICATION, {**_FOR_PROGRAMS, **_FOR_DEPENDENCIES})
_VERIFICATION_1_3 = _with_fields(
    _VERIFICATION_1_2,
    {"reproduction": _REPRODUCTION_1_3, "appears_after": _FILLED_TEXT, "is_pre_existing": _FLAG},
)

_FAILURE_IS_SHOWN = {
    "if": {
        "properties": {"category": {"enum": [str(category) for category in CATEGORIES_WITH_A_FAILURE]}},
        "required": ["category"],
    },
    "then": {
        "properties": {
            "verification": {
                "required": ["failing_input", "wrong_outcome"],
                "properties": {"failing_input": _FILLED_TEXT, "wrong_outcome": _FILLED_TEXT},
            }
        }
    },
}


def _finding_with(verification: dict[str, Any]) -> dict[str, Any]:
    return strict_object(
        {**_FINDING_FIELDS, "verification": verification},
        [*_FINDING_REQUIRED, "verification"],
        **_FAILURE_IS_SHOWN,
    )


def _review_result(finding: dict[str, Any]) -> dict[str, Any]:
    return strict_object(
        {
            "schema_version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+$"},
            "prompt_version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+(\\.[0-9]+)?$"},
            "summary": _TEXT,
            "findings": {"type": "array", "items": finding},
            "meta": {"type": "object", "additionalProperties": True},
        },
        ["schema_version", "prompt_version", "findings"],
    )


SCHEMAS: dict[str, dict[str, Any]] = {
    "1.0": _review_result(strict_object(_FINDING_FIELDS, _FINDING_REQUIRED)),
    "1.1": _review_result(_finding_with(_VERIFICATION)),
    "1.2": _review_result(_finding_with(_VERIFICATION_1_2)),
    "1.3": _review_result(_finding_with(_VERIFICATION_1_3)),
}


def asked_schema(
    version: str, prompt_version: str, *, has_programs: bool = True, has_dependencies: bool = True
) -> dict[str, Any]:
    """Return the schema that a model must follow, with the versions that it is asked for.

    Every request contains it, so it has no conditions and no least lengths: few providers heed them, the
    instructions have them, and the parser checks every reply against the whole schema. It asks for nothing
    that nobody could look at.
    """
    schema: dict[str, Any] = _plain(schema_of(version))
    evidence = schema["properties"]["findings"]["items"]["properties"].get("verification", {})
    left_out = [*(() if has_programs else _FOR_PROGRAMS), *(() if has_dependencies else _FOR_DEPENDENCIES)]
    for name in left_out:
        evidence.get("properties", {}).pop(name, None)
    for name, value in (("schema_version", version), ("prompt_version", prompt_version)):
        schema["properties"][name] = {"type": "string", "enum": [value]}
    return schema


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    is_properties = "type" not in schema
    return {key: _plain(value) for key, value in schema.items() if is_properties or key not in _NOT_ASKED}


_NOT_ASKED = ("if", "then", "minLength", "minimum")


def schema_of(version: str) -> dict[str, Any]:
    """Return a copy of a version's schema, free to be changed."""
    if version not in SCHEMAS:
        raise SettingsError(
            f"there is no schema version {version[:40]!r}; the known ones are {', '.join(SCHEMAS)}"
        )
    return deepcopy(SCHEMAS[version])


def to_json(result: ReviewResult, version: str) -> dict[str, Any]:
    """Write the result as an object that is valid in a schema version; absent fields are left out."""
    fields = schema_of(version)["properties"]["findings"]["items"]["properties"]
    hidden: Any = {"verification"}
    if "verification" in fields:
        bare = next((one for one in result.findings if one.verification is None), None)
        if bare:
            raise InputError(
                f"finding {bare.id[:80]!r} has no evidence, which schema {version} requires; write it as 1.0"
            )
        known = fields["verification"]["properties"]
        later = Reproduction.model_fields.keys() - known.get("reproduction", {}).get("properties", {})
        hidden = {
            "verification": {
                **dict.fromkeys(Verification.model_fields.keys() - known, True),
                **({"reproduction": later} if "reproduction" in known else {}),
            }
        }
    written = result.model_dump(mode="json", exclude={"findings": {"__all__": hidden}}, exclude_none=True)
    return {**written, "schema_version": version}
