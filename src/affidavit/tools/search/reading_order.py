"""Put what a search found into the order in which it is worth reading: what people wrote here first."""

from collections import Counter
from collections.abc import Mapping, Sequence

from affidavit.diff.skipping import MINIFIED_ENDINGS, Attributes, is_packed, is_written_elsewhere
from affidavit.git.search.glob import is_glob
from affidavit.git.search.grep import may_be_cut
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.references.find import CATALOGUES

MAX_FILES_READ = 20
MANY_HITS = 20
MAX_LOOKED_AT = 300
MOST_ODD = 10
"""Of so many characters at most one is odd in a line of text."""
MAX_NAMED = 8
MAX_HITS_A_FILE = 20
TRANSLATED_ENDINGS = (*CATALOGUES, ".xlf", ".xliff", ".arb", ".qm", ".gmo")
TRANSLATED_FOLDERS = frozenset(
    ["i18n", "l10n", "lang", "langs", "languages", "lc_messages", "locale", "locales", "translations"]
)
TEXT_ENDINGS = (".json", ".json5", ".yaml", ".yml", ".properties", ".strings", ".ftl", ".toml", ".resx")
"""In a folder of translations these hold messages."""


def in_reading_order(
    hits: Sequence[SearchHit],
    tree: Tree,
    base: Tree,
    *,
    is_everywhere: bool,
    named: Sequence[str] = (),
    translated: Mapping[str, int] | None = None,
) -> tuple[list[SearchHit], str]:
    """The hits in a good order, and a note on those that are only counted.

    Binary files and translations that were not asked for are never listed. A search of everything lists
    what else was written elsewhere only where it found little else.
    """
    binary = Counter(hit.path for hit in hits if is_binary(hit.text) and not _is_named(hit.path, named))
    hits = [hit for hit in hits if hit.path not in binary]
    hidden = _hidden_note({**binary, **(translated or {})})
    ordered, note = _own_first(hits, tree, base, is_everywhere=is_everywhere)
    return ordered, "; ".join(filter(None, (note, hidden)))


def _is_named(path: str, named: Sequence[str]) -> bool:
    """The file itself, or files with its ending."""
    ending = path[path.rfind(".") :]
    return any(place == path or (is_glob(place) and place.endswith(ending)) for place in named)


def is_binary(text: str) -> bool:
    """A line of no text: it has a zero byte, or bytes that stand for no letter."""
    odd = sum(not (one.isprintable() or one == "\t") or one == "\ufffd" for one in text[:MAX_LOOKED_AT])
    return "\0" in text or odd > len(text[:MAX_LOOKED_AT]) // MOST_ODD


def _hidden_note(hidden: Mapping[str, int]) -> str:
    if not hidden:
        return ""
    named = ", ".join(list(hidden)[:3]) + (" and others" if len(hidden) > 3 else "")
    count = sum(hidden.values())
    return f"{count} more in translations or binary files, which are searched where paths name them: {named}"


def is_translation(path: str) -> bool:
    """The file holds messages in some language: its name says so, or its folder and its ending."""
    plain = path.lower()
    if plain.endswith(TRANSLATED_ENDINGS):
        return True
    return plain.endswith(TEXT_ENDINGS) and not TRANSLATED_FOLDERS.isdisjoint(plain.split("/")[:-1])


def capped(hits: Sequence[SearchHit]) -> tuple[list[SearchHit], Counter[str]]:
    """The first hits of each file where several files have some, and how many more each of them has."""
    if len({hit.path for hit in hits}) < 2:
        return list(hits), Counter()
    seen: Counter[str] = Counter()
    kept = []
    for hit in hits:
        seen[hit.path] += 1
        if seen[hit.path] <= MAX_HITS_A_FILE:
            kept.append(hit)
    return kept, Counter({path: n - MAX_HITS_A_FILE for path, n in seen.items() if n > MAX_HITS_A_FILE})


def _own_first(
    hits: Sequence[SearchHit], tree: Tree, base: Tree, *, is_everywhere: bool
) -> tuple[list[SearchHit], str]:
    foreign = _foreign_paths(hits, tree, Attributes(base))
    own = [hit for hit in hits if hit.path not in foreign]
    last = [hit for hit in hits if hit.path in foreign]
    if not last or not is_everywhere or len(own) < MANY_HITS:
        return [*own, *last], ""
    paths = list(dict.fromkeys(hit.path for hit in last))
    named = ", ".join(paths[:3]) + (" and others" if len(paths) > 3 else "")
    kinds = "generated, minified, vendored, lock or SVG files"
    note = f"not listed: {len(last)} more in {kinds}"
    return own, f"{note}; give paths to see them: {named}"


def _foreign_paths(hits: Sequence[SearchHit], tree: Tree, attributes: Attributes) -> set[str]:
    paths = dict.fromkeys(hit.path for hit in hits)
    found = {path for path in paths if is_written_elsewhere(path, attributes)}
    found |= {hit.path for hit in hits if is_translation(hit.path) or "\0" in hit.text}
    # A bundle does not always say so in its name: its long lines do.
    long = dict.fromkeys(
        hit.path
        for hit in hits
        if hit.path not in found and hit.path.endswith(MINIFIED_ENDINGS) and may_be_cut(hit.text)
    )
    return found | {path for path in list(long)[:MAX_FILES_READ] if is_packed(path, tree.lines(path) or [])}


def where_others_are(hits: Sequence[SearchHit]) -> str:
    """A note on the files that have the most of the hits that are not shown."""
    most = Counter(hit.path for hit in hits).most_common(MAX_NAMED)
    return f"most of the others are in {', '.join(f'{path} ({n})' for path, n in most)}" if most else ""
