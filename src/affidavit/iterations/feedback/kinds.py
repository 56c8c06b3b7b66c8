"""What kind of thing a file is, by its path; and what kind of thing a whole change is mostly about."""

import re
from collections import Counter
from typing import Literal

from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.records.change import Change, FileChange

FileKind = Literal["code", "document", "artifact", "configuration", "test", "schema"]
CONFIGURATION = frozenset(
    {"yaml", "json", "toml", "ini", "terraform", "nix", "dockerfile", "gitattributes", "gitignore"}
    | {"go-mod", "requirements", "makefile", "cmake", "starlark", "just"}
)
SCHEMAS = frozenset({"protobuf", "graphql", "thrift", "sql"})
_SCHEMA_NAME = re.compile(
    r"(?:^|[._/-])schemas?(?:[._/-]|$)|\.(?:xsd|avsc|rng|wsdl)$|openapi|swagger", re.IGNORECASE
)
_LICENCE = re.compile(r"(?:^|/)(?:LICENSE|LICENCE|NOTICE|AUTHORS|README|CHANGELOG|CONTRIBUTING)[^/]*$")


def kind_of(path: str) -> FileKind:
    """Schema and test by name first, then by language; what nobody reads as text is an artifact."""
    language = language_of(path)
    if language in SCHEMAS or (_SCHEMA_NAME.search(path) and not LANGUAGES.of(path).is_code):
        return "schema"
    if is_test(path):
        return "test"
    if is_document(path) or _LICENCE.search(path):
        return "document"
    if language in CONFIGURATION:
        return "configuration"
    if LANGUAGES.of(path).is_code or language in ("html", "xml", "css"):
        return "code"
    return "artifact"


def target_kind(change: Change) -> FileKind:
    """The kind of file that most changed lines belong to; of two with as many, the first in the change."""
    lines: Counter[FileKind] = Counter()
    for file in change.files:
        lines[kind_of(file.path)] += max(_changed_lines(file), 1)
    return max(lines, key=lambda kind: lines[kind], default="code")


def _changed_lines(file: FileChange) -> int:
    return sum(line[:1] != " " for hunk in file.hunks for line in hunk.lines)
