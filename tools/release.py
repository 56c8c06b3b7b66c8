"""Build a release and check it as its users will use it: `python tools/release.py --repository ADDRESS`.

Writes into dist/: wheel, sdist, SBOM (CycloneDX), server.json for the MCP registry, SHA256SUMS.
Run it on the tagged commit; nothing is uploaded.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from affidavit import HOME_PAGE, __version__

ROOT = Path(__file__).resolve().parent.parent
RELEASE = ROOT / "src" / "affidavit" / "forges" / "workflows" / "release.json"
UV = Path(sys.executable).with_name("uv")
ADDRESS = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]+")
MCP_NAME = re.compile(r"mcp-name: (\S+)")
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def main() -> None:
    options = _options()
    out: Path = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    commit = _released_commit(is_trial=options.trial)
    RELEASE.write_text(json.dumps({"repository": options.repository, "commit": commit}) + "\n", "utf-8")
    try:
        _run(sys.executable, "-m", "hatchling", "build", "--directory", out)
    finally:
        RELEASE.unlink()
    (wheel,) = out.glob(f"affidavit-{__version__}-*.whl")
    sdist = out / f"affidavit-{__version__}.tar.gz"
    _run(UV, "tool", "run", "twine", "check", "--strict", wheel, sdist)
    with tempfile.TemporaryDirectory() as folder:
        _check_wheel(wheel, Path(folder), out / "sbom.cdx.json")
        _check_sdist(sdist, Path(folder))
    (out / "server.json").write_text(json.dumps(_server(options.repository), indent=2) + "\n", "utf-8")
    made = [wheel, sdist, out / "sbom.cdx.json", out / "server.json"]
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made]
    (out / "SHA256SUMS").write_text("".join(sums), "utf-8")
    print("".join(sums), end="")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", required=True, help="https://HOST/OWNER/NAME, where the tag is")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--trial", action="store_true", help="build a commit that has no tag")
    options = parser.parse_args()
    if not ADDRESS.fullmatch(options.repository):
        parser.error("--repository must be https://HOST/OWNER/NAME")
    if not options.trial and HOME_PAGE.endswith(".example/"):
        parser.error(f"{HOME_PAGE} is a placeholder: set HOME_PAGE, pyproject.toml's URL and mcp-name")
    return options


def _released_commit(*, is_trial: bool) -> str:
    if _output("git", "status", "--porcelain"):
        raise SystemExit("release: the working tree has changes; commit them first")
    if not is_trial and f"v{__version__}" not in _output("git", "tag", "--points-at", "HEAD").split():
        raise SystemExit(f"release: HEAD has no tag v{__version__}; tag it, or pass --trial")
    return _output("git", "rev-parse", "HEAD")


def _check_wheel(wheel: Path, folder: Path, sbom: Path) -> None:
    """Install the wheel where there is nothing else, and list what came with it."""
    place = folder / "wheel"
    _run(UV, "venv", "--quiet", "--python", sys.executable, place)
    _run(UV, "pip", "install", "--quiet", "--python", place / "bin" / "python", wheel)
    alone = {"PATH": os.defpath, "HOME": str(folder)}
    _run(place / "bin" / "affidavit", "--version", "--json", environment=alone)
    _run(place / "bin" / "affidavit", "doctor", environment=alone)
    command = ["cyclonedx-py", "environment", place / "bin" / "python", "--of", "JSON", "-o", sbom]
    _run(UV, "tool", "run", "--from", "cyclonedx-bom", *command)


def _check_sdist(sdist: Path, folder: Path) -> None:
    """Review the sample from the sdist, as a packager would."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    _run("make", "review", folder=folder / f"affidavit-{__version__}")


def _server(repository: str) -> dict[str, object]:
    """Describe the MCP server for the registry."""
    name = MCP_NAME.search((ROOT / "README.md").read_text("utf-8"))
    if name is None:
        raise SystemExit("release: README.md has no line `mcp-name: …`")
    return {
        "$schema": SERVER_SCHEMA,
        "name": name[1],
        "title": "Affidavit",
        "description": "Code review under oath: says only what it can prove.",
        "version": __version__,
        "repository": {"url": repository, "source": "github" if "//github.com/" in repository else "gitlab"},
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "affidavit",
                "version": __version__,
                "runtimeHint": "uvx",
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "transport": {"type": "stdio"},
            }
        ],
    }


def _run(*command: str | Path, folder: Path = ROOT, environment: dict[str, str] | None = None) -> None:
    print("release:", *command, flush=True)
    if subprocess.run(command, cwd=folder, env=environment, check=False).returncode:
        raise SystemExit(f"release: {_named(command)} failed (see above)")


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _named(command: Sequence[str | Path]) -> str:
    return " ".join(Path(one).name if isinstance(one, Path) else one for one in command[:3])


if __name__ == "__main__":
    main()
