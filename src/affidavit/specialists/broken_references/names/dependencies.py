"""Whether an import of a deleted file may mean a package from outside now: the code may have moved out."""

import re
from collections.abc import Iterable

from affidavit.ports import Tree
from affidavit.specialists.broken_references.ground import Ground

OF_PYTHON = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml|tox\.ini|requirements[^/]*"
    r"|requirements/[^/]+\.(?:txt|in))$"
)
OF_JAVA = re.compile(
    r"(?:^|/)(?:pom\.xml|build\.xml|[^/]*\.gradle(?:\.kts)?|[^/]*\.versions\.toml|BUILD(?:\.bazel)?"
    r"|MODULE\.bazel|WORKSPACE|ivy\.xml|[^/]*\.sbt)$"
)
OF_GO = re.compile(r"(?:^|/)go\.mod$")
REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.~/-]+\.[\w.~/-]+|[\w.~/-]+/[\w.~/-]+)\s+v\d", re.MULTILINE)
OWN_NAME = re.compile(r"^\s*name\s*=")


def may_be_a_dependency(ground: Ground, path: str, imported: str) -> bool:
    """Manifests of packages, or a change to them, say that others may provide what the file provided."""
    if path.endswith(".go"):
        return _is_required_by_go(ground.repository.head, imported)
    if path.endswith(".java"):
        return any(OF_JAVA.search(file.path) for file in ground.change.files)
    is_absolute = path.endswith((".py", ".pyi")) and not imported.startswith(".")
    return is_absolute and _is_a_package_of_python(ground, imported.partition(".")[0])


def _is_required_by_go(tree: Tree, imported: str) -> bool:
    required = {name for text in _manifests(tree, OF_GO) for name in REQUIRED.findall(text)}
    return any(imported == name or imported.startswith(f"{name}/") for name in required)


def _is_a_package_of_python(ground: Ground, package: str) -> bool:
    """Nothing of the package is left, and manifests name it or are changed with it."""
    head = ground.repository.head
    left = (f"/{package}/", f"/{package}.py")
    if any(known.endswith(".py") and any(part in f"/{known}" for part in left) for known in head.entries()):
        return False
    if any(OF_PYTHON.search(file.path) for file in ground.change.files):
        return True
    named = re.compile(rf"(?<![\w.-]){re.escape(package)}(?![\w-])".replace("_", "[-_.]"), re.IGNORECASE)
    lines = (line for text in _manifests(head, OF_PYTHON) for line in text.splitlines())
    return any(named.search(line) and not OWN_NAME.match(line) for line in lines)


def _manifests(tree: Tree, kind: re.Pattern[str]) -> Iterable[str]:
    paths = [path for path in tree.entries() if kind.search(path)]
    return ((tree.read(path) or b"").decode(errors="replace") for path in paths)
