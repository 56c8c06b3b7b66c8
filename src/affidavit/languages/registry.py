"""List the languages, and tell which one a file is written in."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from affidavit.languages.c import CPP, C
from affidavit.languages.csharp import C_SHARP
from affidavit.languages.go import GO
from affidavit.languages.grammars import Grammar, NodeFields, parse, text_ranges
from affidavit.languages.java import JAVA
from affidavit.languages.javascript import JAVASCRIPT, QUOTES, TYPESCRIPT
from affidavit.languages.language import Language
from affidavit.languages.php import PHP
from affidavit.languages.python import PYTHON
from affidavit.languages.ruby import RUBY
from affidavit.languages.rust import RUST
from affidavit.redaction.spans import merged

UNQUOTED = ""
_named = partial(Language, grammars=(), imports=None, tests=None)

UNPARSED = (
    _named("kotlin", ("kt", "kts")),
    _named("scala", ("scala", "sc")),
    _named("groovy", ("groovy", "gradle"), file_names=("jenkinsfile",), interpreters=("groovy",)),
    _named("f#", ("fs", "fsi", "fsx")),
    _named("objective-c", ("m", "mm")),
    _named("swift", ("swift",)),
    _named("perl", ("pl", "pm"), interpreters=("perl",)),
    _named("lua", ("lua",), interpreters=("lua",)),
    _named("r", ("r",), interpreters=("Rscript",)),
    _named("julia", ("jl",), interpreters=("julia",)),
    _named("dart", ("dart",)),
    _named("elixir", ("ex", "exs")),
    _named("erlang", ("erl", "hrl")),
    _named("haskell", ("hs", "lhs")),
    _named("ocaml", ("ml", "mli")),
    _named("clojure", ("clj", "cljs", "cljc", "edn")),
    _named("zig", ("zig",)),
    _named("nim", ("nim",)),
    _named(
        "shell",
        ("sh", "bash", "zsh", "ksh", "bats"),
        file_names=(".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"),
        interpreters=("sh", "bash", "dash", "zsh", "ksh", "ash"),
    ),
    _named("fish", ("fish",), interpreters=("fish",)),
    _named("powershell", ("ps1", "psm1", "psd1"), interpreters=("pwsh",)),
    _named("batch", ("bat", "cmd")),
    _named("sql", ("sql",)),
    _named("html", ("html", "htm", "xhtml"), is_code=False),
    _named("css", ("css",)),
    _named("scss", ("scss",)),
    _named("less", ("less",)),
    _named("vue", ("vue",), dialect_of="javascript", quotes=QUOTES),
    _named("svelte", ("svelte",), dialect_of="javascript", quotes=QUOTES),
    _named("astro", ("astro",), quotes=QUOTES),
    _named("yaml", ("yaml", "yml"), is_code=False, quotes=UNQUOTED),
    _named("json", ("json", "jsonc", "json5", "geojson", "webmanifest"), is_code=False),
    _named("toml", ("toml",), file_names=("pipfile",), is_code=False, quotes=UNQUOTED),
    _named(
        "ini",
        ("ini", "cfg", "conf", "properties"),
        file_names=(".editorconfig", ".gitmodules"),
        is_code=False,
        quotes=UNQUOTED,
    ),
    _named("xml", ("xml", "xsd", "xsl", "svg", "plist"), is_code=False),
    _named("markdown", ("md", "markdown", "mdx"), is_code=False, is_document=True),
    _named("restructuredtext", ("rst",), is_code=False, is_document=True),
    _named("text", ("txt",), is_code=False, is_document=True),
    _named("terraform", ("tf", "tfvars", "hcl"), quotes=UNQUOTED),
    _named("nix", ("nix",)),
    _named("protobuf", ("proto",)),
    _named("graphql", ("graphql", "gql")),
    _named("thrift", ("thrift",)),
    _named(
        "dockerfile",
        ("dockerfile",),
        file_names=("dockerfile", "containerfile"),
        file_name_starts=("dockerfile.", "containerfile."),
        quotes=UNQUOTED,
    ),
    _named("makefile", ("mk", "mak"), file_names=("makefile", "gnumakefile"), interpreters=("make",)),
    _named("cmake", ("cmake",), file_names=("cmakelists.txt",)),
    _named("starlark", ("bzl", "star"), file_names=("build.bazel", "build", "workspace", "tiltfile")),
    _named("solidity", ("sol",)),
    _named("jupyter", ("ipynb",)),
    _named("csv", ("csv", "tsv"), is_code=False),
    _named("tex", ("tex", "sty"), is_document=True),
    _named("vim", ("vim",)),
    _named("assembly", ("s", "asm")),
    _named("diff", ("diff", "patch"), is_code=False),
    _named("go-mod", (), file_names=("go.mod",), is_code=False),
    _named("requirements", (), file_names=("requirements.txt",), is_code=False),
    _named("gitattributes", (), file_names=(".gitattributes",), is_code=False),
    _named("gitignore", (), file_names=(".gitignore", ".dockerignore"), is_code=False),
    _named("just", (), file_names=("justfile",)),
    _named("tcl", (), interpreters=("tclsh",)),
    _named("awk", (), interpreters=("awk", "gawk")),
)


UNKNOWN = Language("", (), grammars=(), imports=None, tests=None, is_code=False)
_SHEBANG = re.compile(r"#!\s*(\S+)(?:\s+(.*))?")
_VERSION = re.compile(r"[\d.]+$")


class ParsedAs(NamedTuple):
    """The language of a file that is parsed, and the grammar that reads it."""

    language: Language
    grammar: Grammar


class Languages:
    """Answer questions about files and names from the descriptions of languages."""

    def __init__(self, known: Sequence[Language]) -> None:
        self._known = tuple(known)
        self._by_name = {language.name: language for language in known}
        self._by_ending = {ending: language.name for language in known for ending in language.endings}
        self._by_file_name = {name: language.name for language in known for name in language.file_names}
        self._by_start = {start: language.name for language in known for start in language.file_name_starts}
        self._by_program = {name: language.name for language in known for name in language.interpreters}
        self._parsed_as = {
            ending: ParsedAs(language, grammar)
            for language in known
            for ending, grammar in _read_by(language)
        }
        self.node_fields = NodeFields.joined(grammar.uses for one in known for grammar in one.grammars)
        """In which fields of which nodes names are used."""
        self.folder_stems = frozenset(stem for language in known for stem in language.folder_stems)
        """Stems of files that represent their folder."""

    def __iter__(self) -> Iterator[Language]:
        return iter(self._known)

    def named(self, name: str) -> Language:
        """Return the language of that name, or one without properties."""
        return self._by_name.get(name, UNKNOWN)

    def name_of(self, path: str, first_line: str = "") -> str:
        """Return a lower-case name such as `python`; empty if the language is unknown."""
        name = path.rsplit("/", 1)[-1].lower()
        by_name = self._by_file_name.get(name)
        if by_name:
            return by_name
        for start, by_start in self._by_start.items():
            if name.startswith(start):
                return by_start
        return self._by_ending.get(ending_of(name)) or self._by_program.get(_interpreter(first_line), "")

    def parsed_as(self, path: str) -> ParsedAs | None:
        """Return how a file is parsed; None if there is no grammar for it."""
        return self._parsed_as.get(ending_of(path))

    def of(self, path: str) -> Language:
        return self.named(self.name_of(path))


def _read_by(language: Language) -> Iterator[tuple[str, Grammar]]:
    """Yield the endings of files that are parsed; grammars that name their own endings come last and win."""
    for grammar in sorted(language.grammars, key=lambda one: bool(one.endings)):
        yield from ((ending, grammar) for ending in grammar.endings or language.endings)


def ending_of(path: str) -> str:
    """Return the text after the last dot of a file's name, in lower case; empty without a dot."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def _interpreter(first_line: str) -> str:
    """Return the program of a first line without its version: `python` of `#!/usr/bin/env python3.12`."""
    match = _SHEBANG.match(first_line.removeprefix("\ufeff"))
    if match is None:
        return ""
    program, rest = match.group(1).rsplit("/", 1)[-1], (match.group(2) or "").split()
    if program == "env":
        words = [word for word in rest if not word.startswith("-") and "=" not in word]
        program = words[0].rsplit("/", 1)[-1] if words else ""
    return _VERSION.sub("", program)


LANGUAGES = Languages(
    (PYTHON, JAVASCRIPT, TYPESCRIPT, GO, JAVA, RUST, C, CPP, RUBY, PHP, C_SHARP, *UNPARSED),
)
"""To add a language, write its file and list it here."""


def language_of(path: str, first_line: str = "") -> str:
    """Return a lower-case name such as `python`; empty if the language is unknown."""
    return LANGUAGES.name_of(path, first_line)


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar of a file; None if there is none for its language."""
    parsed_as = LANGUAGES.parsed_as(path)
    return parsed_as.grammar if parsed_as else None


def texts_in(path: str, content: bytes) -> list[tuple[int, int]] | None:
    """Return where code has strings and comments; None if its language is unknown or it has errors."""
    grammar = grammar_of(path)
    root = parse(grammar, content) if grammar else None
    if grammar is None or root is None or root.has_error:
        return None
    return merged(text_ranges(grammar, root))


def has_errors(path: str, content: bytes | None) -> bool:
    """Check whether the grammar of a file's language finds an error in it."""
    grammar = grammar_of(path) if content is not None else None
    root = parse(grammar, content) if grammar and content is not None else None
    return root is not None and root.has_error


def parsed_family(path: str) -> str:
    """Return the family of the language that a file is parsed as; empty if it is not parsed."""
    parsed_as = LANGUAGES.parsed_as(path)
    return parsed_as.language.family if parsed_as else ""


def is_document(path: str) -> bool:
    return LANGUAGES.of(path).is_document
