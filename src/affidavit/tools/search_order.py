"""Put what a search found into the order in which it is worth reading: what people wrote here first."""

from collections import Counter
from collections.abc import Sequence

from affidavit.diff.skipping import MINIFIED_ENDINGS, Attributes, is_packed, is_written_elsewhere
from affidavit.git.grep import may_be_cut
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.references.find import CATALOGUES

MAX_FILES_READ = 20
MANY_HITS = 20
MAX_NAMED = 8


def in_reading_order(
    hits: Sequence[SearchHit], tree: Tree, base: Tree, *, is_everywhere: bool
) -> tuple[list[SearchHit], str]:
    """The hits in a good order, and a note on those that are only counted.

    A search of everything lists what was written elsewhere only where it found little else.
    """
    foreign = _foreign_paths(hits, tree, Attributes(base))
    own = [hit for hit in hits if hit.path not in foreign]
    last = [hit for hit in hits if hit.path in foreign]
    if not last or not is_everywhere or len(own) < MANY_HITS:
        return [*own, *last], ""
    paths = list(dict.fromkeys(hit.path for hit in last))
    named = ", ".join(paths[:3]) + (" and others" if len(paths) > 3 else "")
    kinds = "generated, minified, vendored, translated, lock, SVG or binary files"
    note = f"not listed: {len(last)} more in {kinds}"
    return own, f"{note}; give paths to see them: {named}"


def _foreign_paths(hits: Sequence[SearchHit], tree: Tree, attributes: Attributes) -> set[str]:
    paths = dict.fromkeys(hit.path for hit in hits)
    found = {path for path in paths if is_written_elsewhere(path, attributes)}
    found |= {hit.path for hit in hits if hit.path.endswith(CATALOGUES) or "\0" in hit.text}
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
