"""Ruby: files, definitions, and the required or autoloaded files."""

import re
from collections.abc import Mapping

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, matches, node_text
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Resolved,
    Scoping,
    SignsOfTests,
    Statement,
    resolved_file,
)
from affidavit.languages.tree_files import MAX_CANDIDATES, TreeFiles, join, nearest, parent

KEYWORD = re.compile(rb"\b(?:require|require_relative|load|autoload)\b")
QUERY = """
(call receiver: (_)? @receiver method: (identifier) @method arguments: (argument_list) @arguments
  (#match? @method "^(require|require_relative|load|autoload)$"))
"""
ROOT_NAMES = frozenset(("lib", "app", "test", "spec"))
PLAIN_STRING = re.compile(r"\"([^\"#\\]*)\"|'([^'\\]*)'")


def extract_ruby(grammar: Grammar, root: Node, text: bytes) -> Extract:
    found = (
        _statement(captured["method"][0], captured["arguments"][0], text)
        for captured in matches(grammar, QUERY, root)
        if "receiver" not in captured
    )
    return Extract(tuple(statement for statement in found if statement is not None))


def _statement(method: Node, arguments: Node, text: bytes) -> Statement | None:
    """Return a require of a literal path; others are only known at run time."""
    form = node_text(method, text)
    index = 1 if form == "autoload" else 0
    given = [node_text(part, text) for part in arguments.named_children]
    plain = PLAIN_STRING.fullmatch(given[index]) if len(given) > index else None
    if plain is None:
        return None
    names = (given[0].removeprefix(":"),) if index else ()
    return Statement(method.start_point.row + 1, plain[1] or plain[2] or "", names, form)


class RubyFiles:
    """The files of a tree, and the folders from which they are required."""

    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self._files = files

    def resolve(self, path: str, statement: Statement) -> tuple[Resolved]:
        """Return the one file that is required."""
        return resolved_file(self._find(path, statement), statement.names)

    def _find(self, path: str, statement: Statement) -> str | None:
        name = statement.name if statement.name.endswith(".rb") else f"{statement.name}.rb"
        if statement.form == "require_relative" or name.startswith("."):
            return self._files.first((join(parent(path), name),))
        plain = join("", name)
        if not plain:
            return None
        same_name = self._files.by_name.get(plain.rpartition("/")[2], [])[:MAX_CANDIDATES]
        rooted = [each for each in same_name if each == plain or _is_rooted(each, plain)]
        return nearest(path, rooted)


def _is_rooted(path: str, name: str) -> bool:
    """Check that the required name is below a folder that Ruby or Rails loads from."""
    if not path.endswith(f"/{name}"):
        return False
    parts = path[: -len(name) - 1].split("/")
    return parts[-1] in ROOT_NAMES or (len(parts) > 1 and parts[-2] == "app")


SYMBOLS = """
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
"""

USES = NodeFields(
    members={"scope_resolution": ("name", ("scope",)), "call": ("method", ("receiver",))},
    calls={"call": ("method",)},
    keys={"pair": "key"},
)
ENDINGS = ("rb", "rake", "gemspec")
RUBY = Language(
    name="ruby",
    endings=ENDINGS,
    # `ru` is parsed as Ruby, but does not name the language: others use the ending, too.
    grammars=(Grammar("ruby", "tree_sitter_ruby", SYMBOLS, endings=(*ENDINGS, "ru"), uses=USES),),
    imports=ImportRules(extract_ruby, RubyFiles, KEYWORD),
    tests=SignsOfTests(
        re.compile(
            rb"^[ \t]*(?:it|test|describe|context|specify|RSpec\.describe|def[ \t]+test)\b", re.MULTILINE
        )
    ),
    file_names=("vagrantfile", "gemfile", "rakefile", "podfile"),
    interpreters=("ruby",),
    scoping=Scoping(is_open=True, users_import=False),
)
