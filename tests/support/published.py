"""GitHub's published description of its interface: examples to answer with, and a judge of every exchange."""

import json
import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from graphql import GraphQLSchema, build_schema

PUBLISHED = Path(__file__).parents[1] / "forges" / "published"


@cache
def openapi() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((PUBLISHED / "github-openapi.json").read_text())
    return content


@cache
def graphql_schema() -> GraphQLSchema:
    return build_schema((PUBLISHED / "github-schema.graphql").read_text())


@cache
def webhooks() -> dict[str, list[dict[str, Any]]]:
    content: dict[str, list[dict[str, Any]]] = json.loads((PUBLISHED / "github-webhooks.json").read_text())[
        "events"
    ]
    return content


def example(name: str) -> Any:
    """A fresh copy of an example that GitHub publishes."""
    return deepcopy(openapi()["components"]["examples"][name]["value"])


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    named = sorted(openapi()["paths"], key=lambda path: (path.count("{"), -len(path)))
    return [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path) for path in named]


def operation(method: str, path: str) -> dict[str, Any] | None:
    """What is published about a request."""
    for pattern, name in _patterns():
        described = openapi()["paths"][name].get(method.lower())
        if pattern.fullmatch(path) and described:
            found: dict[str, Any] = described
            return found
    return None


@cache
def _validator(schema_text: str) -> Any:
    schema = json.loads(schema_text)
    schema["components"] = {"schemas": _nullable(openapi()["components"]["schemas"])}
    return jsonschema_rs.validator_for(schema, validate_formats=False)


def _nullable(node: Any) -> Any:
    """The `nullable` of OpenAPI 3.0 in the words of JSON Schema."""
    if isinstance(node, list):
        return [_nullable(one) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _nullable(value) if key != "enum" else value for key, value in node.items()}
    if made.pop("nullable", False) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


def problems_of_request(method: str, path: str, body: Any) -> list[str]:
    described = operation(method, path)
    if described is None:
        return [f"{method} {path}: GitHub publishes no such operation"]
    content = (described.get("requestBody") or {}).get("content", {}).get("application/json")
    if content is None:
        return [] if body is None else [f"{method} {path}: takes no body"]
    return _errors(content["schema"], body, f"request {method} {path}")


def problems_of_answer(method: str, path: str, status: int, body: Any) -> list[str]:
    described = operation(method, path)
    if described is None:
        return []
    answer = described["responses"].get(str(status))
    if answer is None:
        return [f"{method} {path}: {status} is not among the published answers"]
    if "$ref" in answer:
        answer = openapi()["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    content = (answer.get("content") or {}).get("application/json")
    return _errors(content["schema"], body, f"answer {status} to {method} {path}") if content else []


def _errors(schema: dict[str, Any], body: Any, where: str) -> list[str]:
    validator = _validator(json.dumps(_nullable(schema)))
    return [
        f"{where}: {'/'.join(map(str, e.instance_path))}: {e.message[:200]}"
        for e in validator.iter_errors(body)
    ]
