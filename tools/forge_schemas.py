"""Reduce what GitHub publishes about its interfaces to the part that Affidavit uses, for the tests.

    npm pack @octokit/openapi @octokit/graphql-schema @octokit/webhooks-examples
    (unpack each into a folder of its own)
    .venv/bin/python tools/forge_schemas.py FOLDER...

writes `tests/forges/published/`. Each file names the package and the version that it comes from.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLSchema,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_ast_schema,
    get_named_type,
    parse,
    print_ast,
    visit,
)

from affidavit.forges.github.client import EDITORS, ISSUES, RESOLVE, THREADS, UNRESOLVE, VIEWER

OUT = Path(__file__).parents[1] / "tests" / "forges" / "published"
REPO = "/repos/{owner}/{repo}"
OPERATIONS = {
    f"{REPO}/pulls/{{pull_number}}": ("get",),
    f"{REPO}/pulls/{{pull_number}}/reviews": ("get", "post"),
    f"{REPO}/pulls/{{pull_number}}/reviews/{{review_id}}/dismissals": ("put",),
    f"{REPO}/pulls/{{pull_number}}/comments": ("get", "post"),
    f"{REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies": ("post",),
    f"{REPO}/pulls/comments/{{comment_id}}": ("patch", "delete"),
    f"{REPO}/pulls/comments/{{comment_id}}/reactions": ("get",),
    f"{REPO}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPO}/issues/comments/{{comment_id}}": ("patch", "delete"),
    f"{REPO}/commits/{{ref}}/check-runs": ("get",),
    f"{REPO}/commits/{{ref}}/status": ("get",),
    f"{REPO}/check-runs": ("post",),
    f"{REPO}/check-runs/{{check_run_id}}": ("patch",),
    f"{REPO}/statuses/{{sha}}": ("post",),
    f"{REPO}/actions/artifacts": ("get",),
    f"{REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ("get",),
    f"{REPO}/actions/runs/{{run_id}}": ("get",),
    f"{REPO}/collaborators/{{username}}/permission": ("get",),
    f"{REPO}/installation": ("get",),
    "/app/installations/{installation_id}/access_tokens": ("post",),
}
EVENTS = ("pull_request", "issue_comment", "pull_request_review_comment", "ping")
PROSE = ("description", "summary", "externalDocs", "tags", "x-github", "x-multi-segment")


def without_prose(node: Any, *, is_properties: bool = False) -> Any:
    """The same with nothing in it that only people read; a field may be called `description`."""
    if isinstance(node, list):
        return [without_prose(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: without_prose(value, is_properties=key == "properties" and not is_properties)
        if key not in ("example", "examples", "enum", "value")
        else value
        for key, value in node.items()
        if is_properties or key not in PROSE or not isinstance(value, str | dict | list)
    }


def referenced(node: Any) -> set[str]:
    """Every `$ref` below a node."""
    if isinstance(node, list):
        return set().union(*map(referenced, node)) if node else set()
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*(referenced(value) for key, value in node.items() if key != "value")) if node else own


def reduced_openapi(whole: dict[str, Any], version: str) -> dict[str, Any]:
    """The operations that are used, with all components that they need."""
    paths = {
        path: {method: without_prose(whole["paths"][path][method]) for method in methods}
        for path, methods in OPERATIONS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    wanted = referenced(paths)
    while wanted:
        kind, name = wanted.pop().removeprefix("#/components/").split("/", 1)
        if name in components.setdefault(kind, {}):
            continue
        found = without_prose(whole["components"][kind][name])
        components[kind][name] = found
        wanted |= referenced(found)
    kept = {kind: dict(sorted(named.items())) for kind, named in sorted(components.items())}
    return {"from": f"npm @octokit/openapi {version}", "paths": paths, "components": kept}


SCALARS = frozenset({"ID", "String", "Int", "Boolean", "Float"})


def used_fields(schema: GraphQLSchema, documents: list[DocumentNode]) -> dict[str, set[str]]:
    """The fields that the documents use, by type; a type that is only named has none."""
    used: dict[str, set[str]] = {}
    info = TypeInfo(schema)

    class Seen(Visitor):
        def enter_field(self, node: Any, *_: Any) -> None:
            parent, field = info.get_parent_type(), info.get_field_def()
            if parent is None or field is None:
                raise SystemExit(f"the published schema has no field {node.name.value}")
            used.setdefault(parent.name, set()).add(node.name.value)
            given = {one.name.value for one in node.arguments or ()}
            kinds = [field.type, *(its.type for name, its in field.args.items() if name in given)]
            for kind in kinds:
                used.setdefault(get_named_type(kind).name, set())

    for document in documents:
        visit(document, TypeInfoVisitor(info, Seen()))
    return used


def reduced_graphql(text: str, version: str) -> str:
    """The types that our queries use, with the fields and arguments whose types are there."""
    document = parse(text, no_location=True)
    # Some versions define a field twice; that is GitHub's own affair.
    schema = build_ast_schema(document, assume_valid_sdl=True)
    used = used_fields(
        schema, [parse(text) for text in (THREADS, EDITORS, ISSUES, VIEWER, UNRESOLVE, RESOLVE)]
    )
    kept = [f"# from npm @octokit/graphql-schema {version}, reduced to what is used"]
    for node in document.definitions:
        name = getattr(getattr(node, "name", None), "value", "")
        if name in used and name not in SCALARS and node.kind.endswith("definition"):
            interfaces = getattr(node, "interfaces", None) or ()
            shared = {field for one in interfaces for field in used.get(one.name.value, ())}
            kept.append(print_ast(_trimmed(node, used[name] | shared, used)))
    return "\n\n".join(kept) + "\n"


def _trimmed(node: Any, fields: set[str], used: dict[str, set[str]]) -> Any:
    changes: dict[str, Any] = {"description": None, "directives": ()}
    if hasattr(node, "interfaces"):
        changes["interfaces"] = tuple(one for one in node.interfaces or () if one.name.value in used)
    is_input = node.kind == "input_object_type_definition"
    if hasattr(node, "fields"):
        changes["fields"] = tuple(
            _bare(field, used) for field in node.fields or () if is_input or field.name.value in fields
        )
    return replace(node, **changes)


def _bare(field: Any, used: dict[str, set[str]]) -> Any:
    changes: dict[str, Any] = {"description": None, "directives": ()}
    if hasattr(field, "arguments"):
        known = [one for one in field.arguments or () if _named(one.type) in SCALARS | used.keys()]
        changes["arguments"] = tuple(_bare(one, used) for one in known)
    return replace(field, **changes)


def _named(kind: Any) -> str:
    while hasattr(kind, "type"):
        kind = kind.type
    return str(kind.name.value)


def reduced_webhooks(events: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """One example of each action of the events that matter."""
    kept = {
        entry["name"]: list({one.get("action", ""): one for one in reversed(entry["examples"])}.values())
        for entry in events
        if entry["name"] in EVENTS
    }
    return {"from": f"npm @octokit/webhooks-examples {version}", "events": kept}


def main() -> None:
    """Read the packages, write the reduced files."""
    packages = {}
    for name in sys.argv[1:]:
        about = json.loads((Path(name) / "package.json").read_text())
        packages[about["name"]] = (Path(name), about["version"])
    OUT.mkdir(parents=True, exist_ok=True)
    place, version = packages["@octokit/openapi"]
    whole = json.loads((place / "generated" / "api.github.com.json").read_text())
    _write("github-openapi.json", json.dumps(reduced_openapi(whole, version), separators=(",", ":")) + "\n")
    place, version = packages["@octokit/graphql-schema"]
    _write("github-schema.graphql", reduced_graphql((place / "schema.graphql").read_text(), version))
    place, version = packages["@octokit/webhooks-examples"]
    events = json.loads((place / "api.github.com" / "index.json").read_text())
    _write(
        "github-webhooks.json", json.dumps(reduced_webhooks(events, version), separators=(",", ":")) + "\n"
    )


def _write(name: str, text: str) -> None:
    (OUT / name).write_text(text)
    print(f"{name}: {len(text):,} characters")


if __name__ == "__main__":
    main()
