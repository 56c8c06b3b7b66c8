"""Languages that are told by the names of their files only: no grammar reads them."""

from functools import partial

from affidavit.languages.engine.language import Language
from affidavit.languages.javascript import QUOTES

UNQUOTED = ""
_named = partial(Language, grammars=(), imports=None, tests=None)

UNPARSED = (
    _named(
        "kotlin",
        (
            "kt",
            "kts",
        ),
    ),
    _named(
        "scala",
        (
            "scala",
            "sc",
        ),
    ),
    _named(
        "groovy",
        (
            "groovy",
            "gradle",
        ),
        file_names=("jenkinsfile",),
        interpreters=("groovy",),
    ),
    _named(
        "f#",
        (
            "fs",
            "fsi",
            "fsx",
        ),
    ),
    _named(
        "objective-c",
        (
            "m",
            "mm",
        ),
    ),
    _named("swift", ("swift",)),
    _named(
        "perl",
        (
            "pl",
            "pm",
        ),
        interpreters=("perl",),
    ),
    _named("lua", ("lua",), interpreters=("lua",)),
    _named("r", ("r",), interpreters=("Rscript",)),
    _named("julia", ("jl",), interpreters=("julia",)),
    _named("dart", ("dart",)),
    _named(
        "elixir",
        (
            "ex",
            "exs",
        ),
    ),
    _named(
        "erlang",
        (
            "erl",
            "hrl",
        ),
    ),
    _named(
        "haskell",
        (
            "hs",
            "lhs",
        ),
    ),
    _named(
        "ocaml",
        (
            "ml",
            "mli",
        ),
    ),
    _named(
        "clojure",
        (
            "clj",
            "cljs",
            "cljc",
            "edn",
        ),
    ),
    _named("zig", ("zig",)),
    _named("nim", ("nim",)),
    _named(
        "shell",
        (
            "sh",
            "bash",
            "zsh",
            "ksh",
            "bats",
        ),
        file_names=(".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"),
        interpreters=("sh", "bash", "dash", "zsh", "ksh", "ash"),
    ),
    _named("fish", ("fish",), interpreters=("fish",)),
    _named(
        "powershell",
        (
            "ps1",
            "psm1",
            "psd1",
        ),
        interpreters=("pwsh",),
    ),
    _named(
        "batch",
        (
            "bat",
            "cmd",
        ),
    ),
    _named("sql", ("sql",)),
    _named(
        "html",
        (
            "html",
            "htm",
            "xhtml",
        ),
        is_code=False,
    ),
    _named("css", ("css",)),
    _named("scss", ("scss",)),
    _named("less", ("less",)),
    _named("vue", ("vue",), dialect_of="javascript", quotes=QUOTES),
    _named("svelte", ("svelte",), dialect_of="javascript", quotes=QUOTES),
    _named("astro", ("astro",), quotes=QUOTES),
    _named(
        "yaml",
        (
            "yaml",
            "yml",
        ),
        is_code=False,
        quotes=UNQUOTED,
    ),
    _named(
        "json",
        (
            "json",
            "jsonc",
            "json5",
            "geojson",
            "webmanifest",
        ),
        is_code=False,
    ),
    _named("toml", ("toml",), file_names=("pipfile",), is_code=False, quotes=UNQUOTED),
    _named(
        "ini",
        (
            "ini",
            "cfg",
            "conf",
            "properties",
        ),
        file_names=(".editorconfig", ".gitmodules"),
        is_code=False,
        quotes=UNQUOTED,
    ),
    _named(
        "xml",
        (
            "xml",
            "xsd",
            "xsl",
            "svg",
            "plist",
        ),
        is_code=False,
    ),
    _named(
        "markdown",
        (
            "md",
            "markdown",
            "mdx",
        ),
        is_code=False,
        is_document=True,
    ),
    _named("restructuredtext", ("rst",), is_code=False, is_document=True),
    _named("text", ("txt",), is_code=False, is_document=True),
    _named(
        "terraform",
        (
            "tf",
            "tfvars",
            "hcl",
        ),
        quotes=UNQUOTED,
    ),
    _named("nix", ("nix",)),
    _named("protobuf", ("proto",)),
    _named(
        "graphql",
        (
            "graphql",
            "gql",
        ),
    ),
    _named("thrift", ("thrift",)),
    _named(
        "dockerfile",
        ("dockerfile",),
        file_names=("dockerfile", "containerfile"),
        file_name_starts=("dockerfile.", "containerfile."),
        quotes=UNQUOTED,
    ),
    _named(
        "makefile",
        (
            "mk",
            "mak",
        ),
        file_names=("makefile", "gnumakefile"),
        interpreters=("make",),
    ),
    _named("cmake", ("cmake",), file_names=("cmakelists.txt",)),
    _named(
        "starlark",
        (
            "bzl",
            "star",
        ),
        file_names=("build.bazel", "build", "workspace", "tiltfile"),
    ),
    _named("solidity", ("sol",)),
    _named("jupyter", ("ipynb",)),
    _named(
        "csv",
        (
            "csv",
            "tsv",
        ),
        is_code=False,
    ),
    _named(
        "tex",
        (
            "tex",
            "sty",
        ),
        is_document=True,
    ),
    _named("vim", ("vim",)),
    _named(
        "assembly",
        (
            "s",
            "asm",
        ),
    ),
    _named(
        "diff",
        (
            "diff",
            "patch",
        ),
    ),
    _named("go-mod", (), file_names=("go.mod",)),
    _named("requirements", (), file_names=("requirements.txt",)),
    _named("gitattributes", (), file_names=(".gitattributes",)),
    _named("gitignore", (), file_names=(".gitignore", ".dockerignore")),
    _named("just", (), file_names=("justfile",)),
    _named("tcl", (), interpreters=("tclsh",)),
    _named("awk", (), interpreters=("awk", "gawk")),
)
