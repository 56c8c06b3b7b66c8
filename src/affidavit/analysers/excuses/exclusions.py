"""Whether a linter of the repository leaves a path out by its configuration at base: its name, or None."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from affidavit.analysers.engine.configuration import (
    MAX_CONFIG_BYTES,
    folders_above,
    read_ini,
    read_toml,
    strings,
    subtable,
)
from affidavit.analysers.excuses.path_patterns import matches_expression
from affidavit.git.search.glob import matches_any
from affidavit.ports import Tree

# Hooks that parse what they read, so that they leave out what does not parse.
PARSING_HOOKS = re.compile(
    r"(check-(ast|json|yaml|toml|xml)|debug-statements|bandit|black|eslint|flake8|hadolint|mypy|oxlint|prettier"
    r"|pylint|pyright|pyupgrade|ruff|shellcheck|yamllint)[\w-]*"
)
HOOK = re.compile(r"\s*-\s+id:\s*['\"]?([\w-]+)")
HOOK_EXCLUDES = re.compile(r"(?P<indent>\s*)(?:-\s+)?exclude:\s*(?P<value>.*)")
IGNORE_FILES = (".eslintignore", ".prettierignore", ".oxlintignore")
PYRIGHT = "pyrightconfig.json"
Left = Iterator[tuple[str, bool]]
"""Names of linters, each with whether it leaves the path out."""


def left_out_by(base: Tree, path: str) -> str | None:
    """The linter or formatter that leaves the path out at base; None where none does."""
    return next((name for read in READERS for name, is_left_out in read(base, path) if is_left_out), None)


def _ruff(base: Tree, path: str) -> Left:
    for folder in folders_above([path]):
        prefix = f"{folder}/" if folder else ""
        tables = [read_toml(base, f"{prefix}{name}") for name in (".ruff.toml", "ruff.toml")]
        tables.append(subtable(read_toml(base, f"{prefix}pyproject.toml"), "tool", "ruff"))
        for table in (part for one in tables for part in (one, subtable(one, "lint"))):
            for key in ("exclude", "extend-exclude"):
                yield "ruff", matches_any(path.removeprefix(prefix), strings(table.get(key)))


def _of_pyproject(base: Tree, path: str) -> Left:
    tool = subtable(read_toml(base, "pyproject.toml"), "tool")
    for key in ("exclude", "extend-exclude", "force-exclude"):
        yield "black", _matches(path, subtable(tool, "black").get(key))
    yield "mypy", _matches(path, subtable(tool, "mypy").get("exclude"))
    yield "pyright", matches_any(path, strings(subtable(tool, "pyright").get("exclude")))
    for key in ("skip", "extend_skip", "skip_glob", "extend_skip_glob"):
        yield "isort", matches_any(path, strings(subtable(tool, "isort").get(key)))


def _matches(path: str, expressions: Any) -> bool:
    listed = [expressions] if isinstance(expressions, str) else strings(expressions)
    return any(matches_expression(path, one) for one in listed)


def _of_ini(base: Tree, path: str) -> Left:
    for name in (".flake8", "setup.cfg", "tox.ini", "mypy.ini"):
        parser = read_ini(base, name)
        for section, keys, reads in INI_SECTIONS:
            for key in keys if parser.has_section(section) else ():
                yield section, reads(path, parser[section].get(key, ""))


def _named_in_list(path: str, text: str) -> bool:
    return matches_any(path, [one for one in re.split(r"[,\s]+", text) if one and one != "."])


INI_SECTIONS: tuple[tuple[str, tuple[str, ...], Callable[[str, str], bool]], ...] = (
    ("flake8", ("exclude", "extend-exclude", "extend_exclude"), _named_in_list),
    ("pycodestyle", ("exclude",), _named_in_list),
    ("mypy", ("exclude",), matches_expression),
)


def _of_ignore_files(base: Tree, path: str) -> Left:
    for folder in folders_above([path]):
        prefix = f"{folder}/" if folder else ""
        for name in IGNORE_FILES:
            yield name, is_ignored_by(_text(base, prefix + name).splitlines(), path.removeprefix(prefix))


def is_ignored_by(lines: Sequence[str], path: str) -> bool:
    """As in .gitignore: the last line that means the path decides."""
    is_left_out = False
    for line in lines:
        pattern = line.strip()
        if pattern and not pattern.startswith("#") and matches_any(path, [pattern.lstrip("!")]):
            is_left_out = not pattern.startswith("!")
    return is_left_out


def _of_json(base: Tree, path: str) -> Left:
    for name in (".eslintrc.json", ".eslintrc", ".oxlintrc.json"):
        yield "eslint", is_ignored_by(_strings_of(_json(base, name).get("ignorePatterns")), path)
    eslint = _json(base, "package.json").get("eslintConfig")
    patterns = eslint.get("ignorePatterns") if isinstance(eslint, dict) else None
    yield "eslint", is_ignored_by(_strings_of(patterns), path)
    yield "pyright", matches_any(path, _strings_of(_json(base, PYRIGHT).get("exclude")))
    for name in ("biome.json", "biome.jsonc"):
        files = _json(base, name).get("files")
        listed = files if isinstance(files, dict) else {}
        negated = [one[1:].lstrip("!") for one in _strings_of(listed.get("includes")) if one.startswith("!")]
        yield "biome", matches_any(path, [*_strings_of(listed.get("ignore")), *negated])


def _strings_of(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else strings(value)


def _json(base: Tree, path: str) -> dict[str, Any]:
    try:
        found = json.loads(_text(base, path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_yamllint(base: Tree, path: str) -> Left:
    for name in (".yamllint", ".yamllint.yaml", ".yamllint.yml"):
        lines = _text(base, name).splitlines()
        for number, line in enumerate(lines):
            if line.startswith("ignore:"):
                listed = [line.partition(":")[2].strip(" |>"), *_block(lines[number + 1 :], indent=0)]
                yield "yamllint", is_ignored_by([one.strip().removeprefix("- ") for one in listed], path)


def _of_hooks(base: Tree, path: str) -> Left:
    """The hooks of pre-commit: what all leave out, and what a hook that parses leaves out."""
    lines = _text(base, ".pre-commit-config.yaml").splitlines()
    hook = ""
    for number, line in enumerate(lines):
        named = HOOK.match(line)
        hook = named[1] if named else hook
        found = HOOK_EXCLUDES.match(line)
        if found and (not found["indent"] or PARSING_HOOKS.fullmatch(hook)):
            rest = _block(lines[number + 1 :], indent=len(found["indent"]))
            value = found["value"].strip(" '\"|>-") or "\n".join(rest)
            yield "pre-commit", matches_expression(path, value)


def _block(lines: Sequence[str], indent: int) -> Iterator[str]:
    """The lines that stand deeper than the key above them."""
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            return
        yield line


def _text(base: Tree, path: str) -> str:
    content = base.read(path) if base.entry(path) is not None else None
    return (content or b"")[:MAX_CONFIG_BYTES].decode("utf-8", errors="replace")


READERS: tuple[Callable[[Tree, str], Left], ...] = (
    _ruff,
    _of_pyproject,
    _of_ini,
    _of_ignore_files,
    _of_json,
    _of_yamllint,
    _of_hooks,
)
