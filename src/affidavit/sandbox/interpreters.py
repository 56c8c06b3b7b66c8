"""The languages that programs can be written in: from a program to its file and its command."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STEM = "affidavit_reproduction"
ES_MODULE = re.compile(r"^\s*(?:import\s[^(]|import\{|export\s)", re.MULTILINE)


@dataclass(frozen=True)
class Interpreter:
    """How a language is run."""

    program: str
    ending: str
    arguments: tuple[str, ...] = ()


INTERPRETERS: Mapping[str, Interpreter] = {
    "python": Interpreter("python", ".py"),
    "node": Interpreter("node", ".cjs"),
    "go": Interpreter("go", ".go", ("run",)),
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
    """The name of the file that a program is written to, at the root of the copy."""
    if language == "node" and ES_MODULE.search(text):
        return f"{STEM}.mjs"
    return STEM + INTERPRETERS[language].ending


def command_of(language: str, file: str) -> tuple[str, ...]:
    """What runs it; the first word is looked for on the sandbox's own path."""
    interpreter = INTERPRETERS[language]
    return (interpreter.program, *interpreter.arguments, file)


def languages_on(search_path: tuple[str, ...]) -> tuple[str, ...]:
    """The languages whose interpreter lies in one of these folders."""
    folders = [Path(folder) for folder in search_path]
    return tuple(
        name
        for name, interpreter in INTERPRETERS.items()
        if any((folder / interpreter.program).exists() for folder in folders)
    )
