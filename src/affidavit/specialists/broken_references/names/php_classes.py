"""PHP: whether a file surely loads a class by the name that it imports, and only this repository has it."""

import json
import re

from affidavit.specialists.broken_references.ground import Ground, Parsed, is_guarded
from affidavit.symbols.occurrences import Occurrence, occurrences

MANIFEST = "composer.json"
# What is not loaded does not fail: `Name::class`, a type in a signature, a doc comment.
LOADING = frozenset(
    ("object_creation_expression", "base_clause", "class_interface_clause", "use_declaration")
)

DECLARING = r"\b(?:class|interface|trait|enum)\s+{0}\b|\bclass_alias\b.*\b{0}\b|[\"'][^\"']*\b{0}\b"


def is_loaded_class(ground: Ground, parsed: Parsed, imported: str) -> bool:
    """The class is of the repository's own namespace, nothing declares it, and the file makes use of it."""
    name = imported.rpartition("\\")[2]
    if parsed.root.has_error or not _is_own_namespace(ground, imported) or _is_declared(ground, name):
        return False
    if any(file.path.rpartition("/")[2] == MANIFEST for file in ground.change.files):
        # The class may have gone into a package of its own.
        return False
    return any(_loads(place, parsed) for place in occurrences(parsed.root, parsed.text, name))


def _is_own_namespace(ground: Ground, imported: str) -> bool:
    """The repository's own manifest says where classes of this name lie."""
    text = ground.repository.head.read(MANIFEST)
    try:
        manifest = json.loads(text) if text is not None else {}
    except ValueError:
        return False
    loading = manifest.get("autoload") if isinstance(manifest, dict) else None
    prefixes = loading.get("psr-4") if isinstance(loading, dict) else None
    return isinstance(prefixes, dict) and any(imported.startswith(one) for one in prefixes if one)


def _is_declared(ground: Ground, name: str) -> bool:
    """Some line declares the name, gives it to another class, or has it in a text that may make it."""
    declaring = re.compile(DECLARING.format(re.escape(name)))
    return any(declaring.search(hit.text) for hit in ground.search([name]))


def _loads(place: Occurrence, parsed: Parsed) -> bool:
    holder = place.node.parent
    is_loading = holder is not None and holder.type in LOADING
    return place.role != "import" and is_loading and not is_guarded(place.node, parsed.text)
