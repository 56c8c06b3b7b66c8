"""Every language is described in one place, and a new one needs nothing but its description."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import pytest
from tree_sitter import Node

from affidavit.git.tree import GitTree
from affidavit.languages.grammars import Grammar, matches, parse
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Resolved,
    SignsOfTests,
    Statement,
    resolved_file,
)
from affidavit.languages.registry import LANGUAGES, Languages
from affidavit.languages.tree_files import TreeFiles, join, parent
from affidavit.symbols.definitions import definitions_of
from affidavit.symbols.import_graph import import_graph
from import_edges import pairs, unresolved

PARSED = [language for language in LANGUAGES if language.grammars]
GRAMMARS = [grammar for language in PARSED for grammar in language.grammars]
KINDS = {"function", "class", "method", "constant", "interface", "type", "module", "scope", "namespace"}
SERVED_WITH = re.compile(rb"^with '(.+)'$", re.MULTILINE)


def extract_menu(_grammar: Grammar, _root: Node, text: bytes) -> Extract:
    rows = SERVED_WITH.finditer(text)
    return Extract(tuple(Statement(text.count(b"\n", 0, row.start()) + 1, row[1].decode()) for row in rows))


class Menus:
    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self.files = files

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        return resolved_file(self.files.first((join(parent(path), statement.name),)))


# It reads like Ruby, so that a real grammar parses it.
MENU = Language(
    name="menu",
    endings=("menu",),
    grammars=(Grammar("menu", "tree_sitter_ruby", "(method name: (_) @name) @function"),),
    imports=ImportRules(extract_menu, Menus),
    tests=SignsOfTests(re.compile(rb"^taste ")),
    file_names=("menufile",),
    interpreters=("waiter",),
)
FILES = {
    "starters/soup.menu": "def soup\nend\n",
    "dinner.menu": "with 'starters/soup.menu'\nwith 'missing.menu'\ndef dinner\nend\n",
}


def test_a_new_language_needs_nothing_but_its_description(open_tree: Callable[..., GitTree]) -> None:
    tree, known = open_tree(FILES), Languages((*LANGUAGES, MENU))
    graph = import_graph(tree, languages=known)
    assert pairs(graph) == {("dinner.menu", "starters/soup.menu")}
    assert unresolved(graph) == ["missing.menu"]
    defined = definitions_of(FILES, tree, languages=known)
    assert {path: [one.qualified for one in found] for path, found in defined.items()} == {
        "starters/soup.menu": ["soup"],
        "dinner.menu": ["dinner"],
    }
    told = [known.name_of("a/Dinner.MENU"), known.name_of("Menufile"), known.name_of("x", "#!/bin/waiter2")]
    assert told == ["menu", "menu", "menu"]


def test_without_its_description_a_language_is_unknown(open_tree: Callable[..., GitTree]) -> None:
    tree = open_tree(FILES)
    assert import_graph(tree).paths == ()
    assert definitions_of(FILES, tree) == {}
    assert LANGUAGES.of("dinner.menu").name == ""


@pytest.mark.parametrize("language", PARSED, ids=lambda one: one.name)
def test_every_parsed_language_says_what_it_has(language: Language) -> None:
    assert language.endings
    assert language.imports is not None
    # C has no framework of tests whose words could tell.
    assert (language.tests is None) == (language.family == "c")


@pytest.mark.parametrize("language", [*LANGUAGES], ids=lambda one: one.name)
def test_a_language_without_grammar_has_no_imports_and_every_one_has_files(language: Language) -> None:
    assert bool(language.grammars) == (language.imports is not None)
    assert language.endings or language.file_names or language.interpreters


def test_no_two_languages_claim_the_same_files() -> None:
    claims = Counter(
        claim
        for one in LANGUAGES
        for claim in (
            *(f".{ending}" for ending in one.endings),
            *one.file_names,
            *(f"#!{program}" for program in one.interpreters),
        )
    )
    assert [claim for claim, times in claims.items() if times > 1] == []


def test_names_of_languages_and_of_grammars_are_their_own() -> None:
    for names in ([one.name for one in LANGUAGES], [one.name for one in GRAMMARS]):
        assert len(set(names)) == len(names)


def test_a_dialect_imports_as_its_family_does() -> None:
    for language in LANGUAGES:
        head = LANGUAGES.named(language.family)
        assert head.dialect_of == "", f"{language.name} is a dialect of a dialect"
        assert language.imports in (None, head.imports)


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda one: one.name)
def test_a_symbol_query_captures_kinds_that_are_known(grammar: Grammar) -> None:
    captures = set(re.findall(r"@(\w+)", grammar.symbols))
    assert captures & KINDS
    assert captures - KINDS <= {"name", "owner", "cut"}


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda one: one.name)
def test_a_grammar_has_the_nodes_and_fields_in_which_names_are_used(grammar: Grammar) -> None:
    root = parse(grammar, b"")
    assert root is not None
    fields = [
        *(
            (node, name)
            for node, (member, before) in grammar.uses.members.items()
            for name in (member, *before)
        ),
        *((node, name) for node, called in grammar.uses.calls.items() for name in called),
        *grammar.uses.keys.items(),
        *grammar.uses.binds.items(),
    ]
    for node, name in fields:
        # A query on a node or a field that the grammar does not have is refused.
        assert list(matches(grammar, f"({node} {name}: (_))", root)) == []


def test_grammars_agree_on_the_member_of_a_node() -> None:
    members: dict[str, set[str]] = {}
    for grammar in GRAMMARS:
        for node, (member, _) in grammar.uses.members.items():
            members.setdefault(node, set()).add(member)
    assert all(len(names) == 1 for names in members.values())


def test_a_grammar_that_names_its_endings_goes_before_one_that_does_not() -> None:
    named = {path: parsed.grammar.name for path in ("a.ts", "a.tsx") if (parsed := LANGUAGES.parsed_as(path))}
    assert named == {"a.ts": "typescript", "a.tsx": "tsx"}


def test_a_file_may_be_parsed_though_its_ending_does_not_name_the_language() -> None:
    parsed = LANGUAGES.parsed_as("vector.inl")
    assert parsed is not None
    assert (parsed.language.name, LANGUAGES.name_of("vector.inl")) == ("c++", "")
