"""Write a redacted copy of a side for a program, with what its interpreter needs."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from affidavit.errors import OutsideError
from affidavit.git.checkout import write_tree_to
from affidavit.git.text import is_safe_path
from affidavit.git.tree import LINK_MODE, MAX_TEXT_BYTES, REGULAR_MODES, GitTree
from affidavit.ports import Repository, Tree
from affidavit.records.program_runs import AlteredFile
from affidavit.records.record import Side
from affidavit.sandbox.job import MEGABYTE

MAX_SIDE_MB = 2048
EXECUTABLE = "100755"


def altered_files(repository: Repository, side: Side) -> tuple[AlteredFile, ...]:
    """Return the files of a side whose copy differs from the commit; those of the change come first."""
    found = sorted(_altered(repository, side), key=lambda one: (not one.is_changed, one.path))
    return tuple(found)


def _altered(repository: Repository, side: Side) -> Iterator[AlteredFile]:
    own, shown = repository.side(side), repository.redacted.side(side).entries()
    others = repository.side("head" if side == "base" else "base").entries()
    for path, entry in own.entries().items():
        name = repository.redacted.shown_name(path)
        copied = shown.get(name)
        if entry.mode not in REGULAR_MODES or (name == path and copied and copied.blob == entry.blob):
            continue
        size = own.size(path) if isinstance(own, GitTree) else 0
        other = others.get(path)
        yield AlteredFile(
            path=name,
            is_left_out=size is None or size > MAX_TEXT_BYTES,
            is_changed=other is None or other.blob != entry.blob,
        )


def write_side(tree: Tree, folder: Path) -> None:
    """Write one side below an empty folder, once: every run works in a copy of it."""
    _refuse_large(tree)
    write_tree_to(tree, folder)
    for path, entry in tree.entries().items():
        # No link exists yet, so none is followed.
        if entry.mode == EXECUTABLE and is_safe_path(path):
            with suppress(OSError):
                (folder / path).chmod(0o755)
    _write_links(tree, folder)


VERSION_FILE = re.compile(
    r"""^\s*["']?(?:write_to|version[-_]file|versionfile_source)["']?\s*[=:]\s*["']?([\w./-]+\.py)\b""",
    re.MULTILINE,
)
VERSION_TEXT = """\
# Written by Affidavit in place of the build that would make this file.
__version__ = version = "0.0.0"
__version_tuple__ = version_tuple = (0, 0, 0)
__commit_id__ = commit_id = None
"""


def version_files(base: Tree) -> tuple[str, ...]:
    """Return the files with a version that setuptools-scm, hatch-vcs or versioneer would make."""
    texts = (base.read(name) or b"" for name in ("pyproject.toml", "setup.cfg"))
    entries = base.entries()
    found = (path for text in texts for path in VERSION_FILE.findall(text.decode("utf-8", "replace")))
    folders = {path.rpartition("/")[0] for path in entries}
    return tuple(path for path in found if path not in entries and path.rpartition("/")[0] in folders)


def _refuse_large(tree: Tree) -> None:
    if not isinstance(tree, GitTree):
        return
    total = sum(tree.size(path) or 0 for path in tree.entries())
    if total > MAX_SIDE_MB * MEGABYTE:
        raise OutsideError(
            f"the repository has more than {MAX_SIDE_MB} MB of files: too many to copy for a run"
        )


def _write_links(tree: Tree, folder: Path) -> None:
    """Write links last and never below another one, so that nothing is written through them.

    They may lead anywhere: the sandbox has none of their targets.
    """
    for path, entry in tree.entries().items():
        place = folder / path
        if entry.mode != LINK_MODE or not is_safe_path(path):
            continue
        target = tree.link(path) if isinstance(tree, GitTree) else None
        if not target:
            continue
        with suppress(OSError, ValueError):
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.parent.resolve() == place.parent:
                place.symlink_to(target)


STEM = "affidavit_reproduction"
ES_MODULE = re.compile(r"^\s*(?:import\s[^(]|import\{|export\s)", re.MULTILINE)


# A compiler resolves `./money` and `./money.js` to money.ts; Node resolves neither.
HOOKS = """
import { registerHooks } from "node:module";
const ENDINGS = [".ts", ".mts", ".cts", ".js", "/index.ts", "/index.js"];
function others(specifier) {
  const written = specifier.replace(/\\.([cm]?)js$/, ".$1ts");
  return written === specifier ? ENDINGS.map((ending) => specifier + ending) : [written];
}
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^(\\.{0,2}\\/|\\.{1,2}$|file:)/.test(specifier)) throw error;
      for (const other of others(specifier)) {
        try {
          return next(other, context);
        } catch {}
      }
      throw error;
    }
  },
});
//# sourceURL=imports
"""
NEEDED = "node-22.18-or-newer"
# The first Node that can is taken: an older one may come before it on the path. What strips types may also
# transform what is more than types (enums), where its flag is known.
SCRIPT = f"""
set -f
IFS=:
for folder in $PATH; do
  [ -x "$folder/node" ] || continue
  found=$("$folder/node" -p '
    const flag = "--experimental-transform-types";
    process.features.typescript ? process.allowedNodeEnvironmentFlags.has(flag) ? flag : "none" : ""
  ' 2>/dev/null)
  [ -n "$found" ] || continue
  unset IFS
  [ "$found" = none ] || set -- "$found" "$@"
  exec "$folder/node" --disable-warning=ExperimentalWarning --disable-warning=MODULE_TYPELESS_PACKAGE_JSON \\
    --import "data:text/javascript,{quote(HOOKS)}" "$@"
done
echo "{NEEDED}: not found" >&2
exit 127
"""
LAUNCHER = ("sh", "-c", SCRIPT, "sh")
# Java's own launcher for single files finds classes, but no sources of the repository. The first class of
# the program is started. A public class would need a file of its own name.
JAVA_SCRIPT = r"""
out=/tmp/affidavit-java file=/tmp/affidavit-java/Program.java
kinds='(class|record|enum|interface) '
mkdir -p "$out" && sed -E "s/^public ((final |abstract )*$kinds)/\1/" "$1" > "$file"
roots=$(find . -type d -path '*/src/*/java' | head -n 50 | tr '\n' ':').:src
javac -nowarn -proc:none -implicit:class -encoding UTF-8 \
  -sourcepath "$roots" -cp "${CLASSPATH:-$out}" -d "$out" "$file" || exit 1
package=$(sed -nE 's/^package +([A-Za-z0-9_.]+) *;.*/\1./p' "$file" | head -n 1)
first=$(sed -nE "s/^((final|abstract) )*$kinds *([A-Za-z0-9_$]+).*/\4/p" "$file" | head -n 1)
exec java -cp "$out:$roots${CLASSPATH:+:$CLASSPATH}" "$package$first"
"""
RUST_SCRIPT = 'rustc --edition 2021 -A warnings -o /tmp/affidavit-rust "$1" && exec /tmp/affidavit-rust'
JAVA_LAUNCHER = ("sh", "-c", JAVA_SCRIPT, "sh")


@dataclass(frozen=True)
class Interpreter:
    """The program that runs a language."""

    program: str
    ending: str
    arguments: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    """The command to start, if it is not just the interpreter."""
    modules: str = ""
    """The file ending of ES modules."""


INTERPRETERS: Mapping[str, Interpreter] = {
    "python": Interpreter("python", ".py"),
    "node": Interpreter("node", ".cjs", modules=".mjs"),
    "typescript": Interpreter("node", ".cts", launcher=LAUNCHER, modules=".mts"),
    # In its own folder: the root of a module may be a package, and a folder holds only one.
    "go": Interpreter("go", "/main.go", ("run",)),
    "sh": Interpreter("sh", ".sh"),
    "bash": Interpreter("bash", ".sh"),
    "ruby": Interpreter("ruby", ".rb", ("-I.",)),
    "php": Interpreter("php", ".php"),
    "perl": Interpreter("perl", ".pl"),
    "rust": Interpreter("rustc", ".rs", launcher=("sh", "-c", RUST_SCRIPT, "sh")),
    "java": Interpreter("javac", ".java", launcher=JAVA_LAUNCHER),
}
ALSO = {
    "py": "python",
    "python3": "python",
    "javascript": "node",
    "js": "node",
    "ts": "typescript",
    "golang": "go",
    "shell": "sh",
}
PROGRAM_FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def find_language(name: str) -> str | None:
    """Return a language by any of its names."""
    plain = name.strip().lower()
    known = ALSO.get(plain, plain)
    return known if known in INTERPRETERS else None


def file_of(language: str, text: str) -> str:
    """Return the file for a program, from the root of the copy, where it is started."""
    interpreter = INTERPRETERS[language]
    is_module = interpreter.modules and ES_MODULE.search(text)
    return STEM + (interpreter.modules if is_module else interpreter.ending)


def command_of(language: str, file: str) -> tuple[str, ...]:
    """Return the command that runs it; the first word is searched on the sandbox's own path."""
    interpreter = INTERPRETERS[language]
    return (*(interpreter.launcher or (interpreter.program, *interpreter.arguments)), file)


def installed_languages(search_path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the languages whose interpreter is in one of these folders."""
    folders = [Path(folder) for folder in search_path]
    return tuple(
        name
        for name, interpreter in INTERPRETERS.items()
        if any((folder / interpreter.program).exists() for folder in folders)
    )
