"""From the files of one language to what they say about imports, reading only blobs that are new."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import jiter

from affidavit.git.blob_cache import BlobCache
from affidavit.languages.engine.grammars import Grammar
from affidavit.languages.engine.language import Extract, ImportRules, Statement
from affidavit.languages.engine.tree_files import TreeFiles

NOTHING = Extract()
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass
class Extraction:
    """What was extracted, by path, and the files that were too much to parse."""

    extracts: dict[str, Extract] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def extract_files(
    files: TreeFiles,
    family: str,
    rules: ImportRules,
    grammars: Mapping[str, Grammar],
    cache: BlobCache,
    *,
    deadline: float,
) -> Extraction:
    """The extracts of all files of a family, given with their grammars.

    What the deadline cuts off is skipped and not kept.
    """
    found = Extraction()
    for grammar, group in _by_grammar(grammars).items():
        kind = f"imports/{family}/{grammar.name}"
        known = _known(cache.load(kind, rules.version, (files.blobs[path] for path in group)))
        unread: dict[str, str] = {}
        for path in group:
            if files.blobs[path] not in known:
                unread.setdefault(files.blobs[path], path)
        read = _read(files, rules, grammar, unread, deadline)
        new = {blob: extract for blob, extract in read.items() if extract is not None}
        cache.save(kind, rules.version, {blob: pack(extract) for blob, extract in new.items()})
        known.update(new)
        for path in group:
            extract = known.get(files.blobs[path])
            if extract is None:
                found.skipped.append(path)
            else:
                found.extracts[path] = extract
    return found


def _by_grammar(grammars: Mapping[str, Grammar]) -> dict[Grammar, list[str]]:
    groups: dict[Grammar, list[str]] = {}
    for path, grammar in grammars.items():
        groups.setdefault(grammar, []).append(path)
    return groups


def _known(kept: Mapping[str, bytes]) -> dict[str, Extract]:
    unpacked = ((blob, unpack(data)) for blob, data in kept.items())
    return {blob: extract for blob, extract in unpacked if extract is not None}


def _read(
    files: TreeFiles, rules: ImportRules, grammar: Grammar, unread: Mapping[str, str], deadline: float
) -> dict[str, Extract | None]:
    blob_of = {path: blob for blob, path in unread.items()}
    found: dict[str, Extract | None] = {}
    for path, content in files.read(blob_of):
        if time.monotonic() > deadline:
            break
        text = content.removeprefix(BYTE_ORDER_MARK)
        found[blob_of[path]] = rules.extract(grammar, text)
    return found


def pack(extract: Extract) -> bytes:
    """An extract as the cache keeps it."""
    return json.dumps(extract, separators=(",", ":")).encode()


def unpack(data: bytes) -> Extract | None:
    """The extract that was kept; None where it is not one."""
    try:
        rows, declares = jiter.from_json(data)
        statements = tuple(
            Statement(line, name, tuple(names), is_conditional, form)
            for line, name, names, is_conditional, form in rows
        )
        return Extract(statements, tuple(declares))
    except (ValueError, TypeError):
        return None
