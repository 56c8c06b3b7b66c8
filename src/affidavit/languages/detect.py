"""The language of a file, from its name and, where that says nothing, from its first line."""

import re

_BY_ENDING = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts tsx mts cts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "c": "c h",
    "c++": "cc cpp cxx c++ hh hpp hxx h++ ipp",
    "c#": "cs csx",
    "f#": "fs fsi fsx",
    "objective-c": "m mm",
    "swift": "swift",
    "ruby": "rb rake gemspec",
    "php": "php phtml",
    "perl": "pl pm",
    "lua": "lua",
    "r": "r",
    "julia": "jl",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "clojure": "clj cljs cljc edn",
    "zig": "zig",
    "nim": "nim",
    "shell": "sh bash zsh ksh bats",
    "fish": "fish",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "sql": "sql",
    "html": "html htm xhtml",
    "css": "css",
    "scss": "scss",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "astro": "astro",
    "yaml": "yaml yml",
    "json": "json jsonc json5 geojson webmanifest",
    "toml": "toml",
    "ini": "ini cfg conf properties",
    "xml": "xml xsd xsl svg plist",
    "markdown": "md markdown mdx",
    "restructuredtext": "rst",
    "text": "txt",
    "terraform": "tf tfvars hcl",
    "nix": "nix",
    "protobuf": "proto",
    "graphql": "graphql gql",
    "thrift": "thrift",
    "dockerfile": "dockerfile",
    "makefile": "mk mak",
    "cmake": "cmake",
    "starlark": "bzl star",
    "solidity": "sol",
    "jupyter": "ipynb",
    "csv": "csv tsv",
    "tex": "tex sty",
    "vim": "vim",
    "assembly": "s asm",
    "diff": "diff patch",
}
LANGUAGE_OF_ENDING = {ending: name for name, endings in _BY_ENDING.items() for ending in endings.split()}

LANGUAGE_OF_NAME = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "podfile": "ruby",
    "build.bazel": "starlark",
    "build": "starlark",
    "workspace": "starlark",
    "tiltfile": "starlark",
    "go.mod": "go-mod",
    "requirements.txt": "requirements",
    ".bashrc": "shell",
    ".bash_profile": "shell",
    ".profile": "shell",
    ".zshrc": "shell",
    ".envrc": "shell",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    ".dockerignore": "gitignore",
    ".editorconfig": "ini",
    ".gitmodules": "ini",
    "pipfile": "toml",
    "justfile": "just",
}

_INTERPRETERS = {
    "python": "python",
    "pypy": "python",
    "uv": "python",
    "node": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "ash": "shell",
    "fish": "fish",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "Rscript": "r",
    "pwsh": "powershell",
    "make": "makefile",
    "groovy": "groovy",
    "julia": "julia",
    "tclsh": "tcl",
    "awk": "awk",
    "gawk": "awk",
}
_SHEBANG = re.compile(r"#!\s*(\S+)(?:\s+(.*))?")


def language_of(path: str, first_line: str = "") -> str:
    """A lower-case name such as `python`; empty where nothing tells the language."""
    name = path.rsplit("/", 1)[-1].lower()
    named = LANGUAGE_OF_NAME.get(name)
    if named:
        return named
    if name.startswith(("dockerfile.", "containerfile.")):
        return "dockerfile"
    _, dot, ending = name.rpartition(".")
    by_ending = LANGUAGE_OF_ENDING.get(ending) if dot else None
    return by_ending or _language_of_shebang(first_line)


def _language_of_shebang(first_line: str) -> str:
    match = _SHEBANG.match(first_line.removeprefix("\ufeff"))
    if match is None:
        return ""
    program, rest = match.group(1).rsplit("/", 1)[-1], (match.group(2) or "").split()
    if program == "env":
        words = [word for word in rest if not word.startswith("-") and "=" not in word]
        program = words[0].rsplit("/", 1)[-1] if words else ""
    plain = re.sub(r"[\d.]+$", "", program)
    return _INTERPRETERS.get(plain, "")
