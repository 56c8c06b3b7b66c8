"""From the files of one language to what they say about imports, reading only blobs that are new."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import jiter

from affidavit.git.blob_cache import BlobCache
from affidavit.git.tree import is_binary
from affidavit.languages.engine.language import Extract, ImportLanguage, Statement
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
    language: ImportLanguage,
    paths: Iterable[str],
    cache: BlobCache,
    *,
    deadline: float,
) -> Extraction:
    """The extracts of all files of a language; what the deadline cuts off is skipped and not kept."""
    found = Extraction()
    for grammar, group in _by_grammar(language, paths).items():
        kind = f"imports/{language.name}/{grammar}"
        known = _known(cache.load(kind, language.version, (files.blobs[path] for path in group)))
        unread: dict[str, str] = {}
        for path in group:
            if files.blobs[path] not in known:
                unread.setdefault(files.blobs[path], path)
        new = _read(files, language, grammar, unread, deadline)
        cache.save(
            kind,
            language.version,
            {blob: pack(extract) for blob, extract in new.items() if extract is not None},
        )
        known.update({blob: extract for blob, extract in new.items() if extract is not None})
        for path in group:
            extract = known.get(files.blobs[path])
            if extract is None:
                found.skipped.append(path)
            else:
                found.extracts[path] = extract
    return found


def _by_grammar(language: ImportLanguage, paths: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(language.grammars[ending_of(path)], []).append(path)
    return groups


def ending_of(path: str) -> str:
    """What follows the last dot of a file's name, in lower case; empty where there is no dot."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def _known(kept: Mapping[str, bytes]) -> dict[str, Extract]:
    unpacked = ((blob, unpack(data)) for blob, data in kept.items())
    return {blob: extract for blob, extract in unpacked if extract is not None}


def _read(
    files: TreeFiles, language: ImportLanguage, grammar: str, unread: Mapping[str, str], deadline: float
) -> dict[str, Extract | None]:
    blob_of = {path: blob for blob, path in unread.items()}
    found: dict[str, Extract | None] = {}
    for path, content in files.read(blob_of):
        if time.monotonic() > deadline:
            break
        text = content.removeprefix(BYTE_ORDER_MARK)
        found[blob_of[path]] = NOTHING if is_binary(text) else language.extract(grammar, text)
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
