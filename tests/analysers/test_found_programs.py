"""Programs are found once and remembered as long as their file is the same."""

import asyncio
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.programs import FORMAT, KIND, _key, find_program
from affidavit.analysers.engine.task import Program
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.ruff import RUFF
from affidavit.git.blob_cache import BlobCache


def found(analyser: Analyser, cache: Path) -> Program:
    program = asyncio.run(find_program(analyser, None, cache))
    assert program
    return program


def remember(analyser: Analyser, cache: Path, version: str, program: str) -> None:
    """Put a made-up answer into the cache: who takes it has asked nobody."""
    kept = json.dumps([version, program]).encode()
    BlobCache(cache).save(KIND, FORMAT, {_key(analyser, Path(analyser.executable)): kept})


@pytest.fixture
def tool(tmp_path: Path) -> Analyser:
    """An analyser whose program is no script and in no package."""
    shutil.copy(RUFF_PROGRAM, tmp_path / "ruff")
    return replace(RUFF, executable=str(tmp_path / "ruff"), distribution="")


RUFF_PROGRAM = found(RUFF, Path(os.devnull)).path


def test_a_program_is_asked_for_its_version_once(tool: Analyser, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    asked = found(tool, cache)
    assert asked.version[0].isdigit()
    remember(tool, cache, "1.2.3", tool.executable)
    assert found(tool, cache).version == "1.2.3"
    assert asyncio.run(find_program(tool, None)) == asked


def test_another_file_at_its_path_is_asked_again(tool: Analyser, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    remember(tool, cache, "1.2.3", tool.executable)
    times = Path(tool.executable).stat()
    shutil.copy(RUFF_PROGRAM, tmp_path / "newer")
    (tmp_path / "newer").replace(tool.executable)
    # As package managers write the same time into every file.
    os.utime(tool.executable, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert found(tool, cache).version != "1.2.3"


@pytest.mark.parametrize("broken", [b"", b"{", b"[1, 2]", b'["1.2.3"]', b'{"version": "1.2.3"}'])
def test_a_broken_entry_is_a_miss(tool: Analyser, tmp_path: Path, broken: bytes) -> None:
    key = _key(tool, Path(tool.executable))
    BlobCache(tmp_path / "cache").save(KIND, FORMAT, {key: broken})
    assert found(tool, tmp_path / "cache").version not in ("", "1.2.3")


def test_a_program_elsewhere_is_never_taken_from_the_cache(tool: Analyser, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = shutil.copy(RUFF_PROGRAM, tmp_path / "elsewhere" / "tool")
    remember(tool, tmp_path / "cache", "1.2.3", str(other))
    assert str(found(tool, tmp_path / "cache").path) == tool.executable


def test_a_script_is_asked_each_time_since_it_may_start_another_program(tmp_path: Path) -> None:
    script, version = tmp_path / "ruff", tmp_path / "version"
    script.write_text(f"#!/bin/sh\ncat {version}\n")
    script.chmod(0o755)
    tool = replace(RUFF, executable=str(script), distribution="")
    for number in ("1.0.1", "1.0.2"):
        version.write_text(f"ruff {number}\n")
        assert found(tool, tmp_path / "cache").version == number


def test_the_program_itself_is_started_and_not_the_script_of_its_package(tmp_path: Path) -> None:
    for _ in range(2):
        program = found(KINGFISHER, tmp_path / "cache")
        assert program.path.read_bytes()[:2] != b"#!"
        assert program.version == KINGFISHER.version_tried
