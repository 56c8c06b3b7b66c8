"""Find the programs of analysers, and remember their versions by path, size and time."""

import json
import os
from pathlib import Path

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.execution import ask_program, find_executable, find_launcher, read_version
from affidavit.analysers.engine.task import Program, cache_key
from affidavit.git.blob_cache import BlobCache
from affidavit.system.temporary import temporary_folder

KIND = "program"
FORMAT = 1


async def find_program(
    analyser: Analyser, reviewed_folder: Path | None, cache_dir: Path | None = None
) -> Program | None:
    """Find the analyser's program and its version; None if it is not installed."""
    path = find_executable(analyser.executable, reviewed_folder=reviewed_folder)
    if path is None:
        return None
    if analyser.home_arguments:
        path = await _true_program(analyser, path)
    cache, key = BlobCache(cache_dir), _key(analyser, path)
    kept = _read(cache.load(KIND, FORMAT, [key]).get(key, b""), path)
    if kept is None:
        packaged, native = packaged_program(analyser.distribution, path)
        version = packaged if analyser.has_package_version else ""
        kept = version or await _asked_version(analyser, path), native or path
        if kept[0] and (packaged or _speaks_for_itself(path)):
            cache.save(KIND, FORMAT, {key: json.dumps([kept[0], str(kept[1])]).encode()})
    version, path = kept
    return Program(path, version, find_launcher(path, reviewed_folder=reviewed_folder))


def _key(analyser: Analyser, path: Path) -> str:
    """Return what changes with the program: its file's size, times and number, and how it is asked."""
    found = path.stat()
    times = found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
    asked = analyser.distribution, analyser.has_package_version, analyser.version_arguments
    return cache_key(str(path), times, asked)


def _read(stored: bytes, found: Path) -> tuple[str, Path] | None:
    """Return the version and the program that were kept; None for anything that is not as we write it."""
    try:
        version, program = json.loads(stored)
        path = Path(program)
        is_known = isinstance(version, str) and (path == found or _is_native(path, found))
    except (ValueError, TypeError):
        return None
    return (version, path) if is_known else None


def _speaks_for_itself(path: Path) -> bool:
    """Return whether the version is the file's own: a script or a link may lead to another one tomorrow."""
    with path.open("rb") as file:
        return file.read(2) != b"#!" and path.resolve().name == path.name


async def _asked_version(analyser: Analyser, path: Path) -> str:
    with temporary_folder("version-") as scratch:
        return await read_version(path, analyser.version_arguments, scratch)


async def _true_program(analyser: Analyser, found: Path) -> Path:
    """Return the program behind a script or a link."""
    with temporary_folder("home-") as scratch:
        home = (await ask_program([str(found), *analyser.home_arguments], scratch)).strip()
    program = Path(home) / "bin" / found.name
    return program if home and program.is_file() else found


def packaged_program(distribution: str, program: Path) -> tuple[str, Path | None]:
    """Return the version of the Python package, if the program belongs to it, and what its script starts."""
    if not distribution:
        return "", None
    from importlib import metadata  # noqa: PLC0415 - what is remembered needs none of it

    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return "", None
    files = [Path(os.path.normpath(file.locate())) for file in found.files or ()]
    if program not in files:
        return "", None
    return found.version, next((one for one in files if _is_native(one, program)), None)


def _is_native(path: Path, script: Path) -> bool:
    """Return whether a file is the program of the same installation that a script of its name starts."""
    if path == script or path.name != script.name or not path.is_relative_to(script.parent.parent):
        return False
    if not os.access(path, os.X_OK) or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(2) != b"#!"
