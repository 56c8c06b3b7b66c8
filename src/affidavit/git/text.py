"""Tell text from binary by name and bytes, split it into lines, and check paths."""

import unicodedata


def decode_path(raw: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become escapes."""
    return raw.decode("utf-8", "backslashreplace")


def is_safe_path(path: str) -> bool:
    """Check that the path cannot leave the folder it is written to, or forge a repository."""
    if not path or path.startswith("/") or "\0" in path or "\\" in path:
        return False
    return all(_is_safe_part(part) for part in path.split("/"))


def _is_safe_part(part: str) -> bool:
    # File systems that ignore case, invisible letters, trailing dots or short names take more for .git.
    visible = part if part.isascii() else "".join(c for c in part if unicodedata.category(c) != "Cf")
    plain = visible.lower().rstrip(". ")
    return bool(plain) and plain not in ("..", ".", ".git", "git~1") and not plain.startswith(".git:")


BINARY_PROBE_BYTES = 8000
SHEBANG = b"#!"
_ENDINGS = (
    # Languages that are parsed, then those that are known by name, then what people write by hand.
    "c cc cjs cpp cs csx cts cxx c++ go gemspec h hh hpp hxx h++ inc inl ipp java js jsx mjs mts php phtml"
    " py pyi pyw rake rb rs ru ts tsx"
    " asm astro bash bat bats bzl clj cljc cljs cmake cmd css dart dockerfile edn erl ex exs fish fs fsi fsx"
    " gql gradle graphql groovy hcl hrl hs htm html ipynb jl ksh kt kts less lhs lua m mak mk ml mli mm nim"
    " nix pl pm proto ps1 psd1 psm1 r s sc scala scss sh sol sql star svelte swift tf tfvars thrift vim vue"
    " xhtml xml xsd xsl zig zsh"
    " asp aspx awk cgi coffee cshtml ejs erb es6 fcgi haml hbs hta jsm jsp litcoffee php3 php4 php5 php7"
    " podspec pth pug pxd pyx sbt service tcl twig vbs wsf wsgi"
    " cfg conf csv diff geojson ini json json5 jsonc markdown md mdx patch plist properties rst sty svg tex"
    " toml tsv txt webmanifest yaml yml"
)
_NAMES = (
    ".npmrc .yarnrc"
    " .bash_profile .bashrc .dockerignore .editorconfig .envrc .gitattributes .gitignore .gitmodules .profile"
    " .zshrc build build.bazel cmakelists.txt containerfile dockerfile gemfile gnumakefile go.mod jenkinsfile"
    " justfile makefile pipfile podfile rakefile requirements.txt tiltfile vagrantfile workspace"
)
SOURCE_ENDINGS = frozenset(_ENDINGS.split())
SOURCE_NAMES = frozenset(_NAMES.split())
SOURCE_STARTS = ("dockerfile.", "containerfile.")


def has_source_name(path: str) -> bool:
    """Check whether an interpreter, a compiler or a person is expected to read the file as text."""
    name = path.rsplit("/", 1)[-1].lower()
    return name.rpartition(".")[2] in SOURCE_ENDINGS or name in SOURCE_NAMES or name.startswith(SOURCE_STARTS)


def has_zero_byte(data: bytes) -> bool:
    """Check for a zero byte near the beginning, as git does to tell binary files."""
    return b"\0" in data[:BINARY_PROBE_BYTES]


def is_binary(data: bytes, path: str) -> bool:
    """Check whether a file is binary; source by name or interpreter is text, whatever bytes it has."""
    return has_zero_byte(data) and not has_source_name(path) and not data.startswith(SHEBANG)


def text_lines(data: bytes) -> list[str]:
    """Return the text as lines without their ends. Only a line feed ends a line."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
