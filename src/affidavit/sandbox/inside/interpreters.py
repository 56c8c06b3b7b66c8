"""The languages that programs can be written in: from a program to its file and its command."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.sandbox.inside import typescript

STEM = "affidavit_reproduction"
ES_MODULE = re.compile(r"^\s*(?:import\s[^(]|import\{|export\s)", re.MULTILINE)


@dataclass(frozen=True)
class Interpreter:
    """How a language is run."""

    program: str
    ending: str
    arguments: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    """What starts the program where the interpreter's name alone does not do."""
    modules: str = ""
    """The ending of a program that is an ES module."""


INTERPRETERS: Mapping[str, Interpreter] = {
    "python": Interpreter("python", ".py"),
    "node": Interpreter("node", ".cjs", modules=".mjs"),
    "typescript": Interpreter("node", ".cts", launcher=typescript.LAUNCHER, modules=".mts"),
    # In a folder of its own: the root of a module may be a package, which no other can lie beside.
    "go": Interpreter("go", "/main.go", ("run",)),
    "sh": Interpreter("sh", ".sh"),
    "bash": Interpreter("bash", ".sh"),
    "ruby": Interpreter("ruby", ".rb", ("-I.",)),
    "php": Interpreter("php", ".php"),
    "perl": Interpreter("perl", ".pl"),
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


def language_named(name: str) -> str | None:
    """A language by any of its names."""
    plain = name.strip().lower()
    known = ALSO.get(plain, plain)
    return known if known in INTERPRETERS else None


def file_of(language: str, text: str) -> str:
    """The file that a program is written to, from the root of the copy, where it is started."""
    interpreter = INTERPRETERS[language]
    is_module = interpreter.modules and ES_MODULE.search(text)
    return STEM + (interpreter.modules if is_module else interpreter.ending)


def command_of(language: str, file: str) -> tuple[str, ...]:
    """What runs it; the first word is looked for on the sandbox's own path."""
    interpreter = INTERPRETERS[language]
    return (*(interpreter.launcher or (interpreter.program, *interpreter.arguments)), file)


def languages_on(search_path: tuple[str, ...]) -> tuple[str, ...]:
    """The languages whose interpreter lies in one of these folders."""
    folders = [Path(folder) for folder in search_path]
    return tuple(
        name
        for name, interpreter in INTERPRETERS.items()
        if any((folder / interpreter.program).exists() for folder in folders)
    )
