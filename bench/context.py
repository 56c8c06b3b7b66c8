"""The map of a change in a repository of 17,000 files, cold and warm, against the time that it may take."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(".bench")
BIN = Path(sys.executable).parent
COLD_SECONDS = 15.0
WARM_SECONDS = 2.0
PACKAGES = 120
MODULES = 100
"""Python modules in each package."""
COMPONENTS = 3000
PAGES = 1000
SERVICES = 1000
LATER_COMMITS = 40
CHANGED = "src/pkg000/mod000.py"


def python_module(package: int, module: int) -> str:
    """A module that imports three others and calls what it imports."""
    others = [
        (package, (module + 1) % (MODULES - 1)),
        ((package * 7 + 1) % PACKAGES, module),
        (0, module % 20),
    ]
    targets = [
        f"{p:03}.mod{m:03} import compute_{p:03}_{m:03}" for p, m in others if (p, m) != (package, module)
    ]
    imports = [f"from pkg{target}" for target in targets]
    calls = [line.rsplit(" ", 1)[1] for line in imports]
    # Each method name stands in some hundred modules, as ordinary names do.
    methods = "".join(
        f"    def step_{(package * 12 + number) % 400}(self, value):\n"
        f"        return (value + {number}) * 2\n\n"
        for number in range(12)
    )
    body = " + ".join(f"{name}(value)" for name in calls) or "value"
    name = f"{package:03}_{module:03}"
    return "\n".join(
        [
            '"""A generated module."""',
            "",
            *imports,
            "",
            f"LIMIT_{name} = {module}",
            "",
            "",
            f"class Worker_{name}:",
            methods,
            f"def compute_{name}(value):",
            f"    return value + LIMIT_{name}",
            "",
            "",
            f"def run_{name}(value):",
            f"    return {body}",
            "",
        ]
    )


def component(number: int) -> str:
    """A TypeScript module that imports two others."""
    others = [(number + step) % COMPONENTS for step in (1, 50)]
    imports = "".join(f'import {{ make{other} }} from "./component{other}";\n' for other in others)
    body = " + ".join(f"make{other}(depth - 1)" for other in others)
    head = f"export function make{number}(depth: number): number"
    return f"{imports}\n{head} {{\n  return depth > 0 ? {body} : 0;\n}}\n"


def service(number: int) -> str:
    """A Go package of its own."""
    return f'package service{number}\n\nimport "fmt"\n\nfunc Serve() {{\n\tfmt.Println({number})\n}}\n'


def contents() -> Iterator[tuple[str, str]]:
    """Every file of the first commit."""
    for package in range(PACKAGES):
        yield f"src/pkg{package:03}/__init__.py", ""
        for module in range(MODULES - 1):
            yield f"src/pkg{package:03}/mod{module:03}.py", python_module(package, module)
    for number in range(COMPONENTS):
        yield f"web/component{number}.ts", component(number)
    for number in range(PAGES):
        yield f"docs/page{number}.md", f"# Page {number}\n\nSee src/pkg{number % PACKAGES:03}/mod000.py.\n"
    yield "go.mod", "module example.org/large\n"
    for number in range(SERVICES - 1):
        yield f"services/service{number}/serve.go", service(number)


def commit(message: str, files: Iterator[tuple[str, str]]) -> Iterator[bytes]:
    """One commit as `git fast-import` reads it."""
    yield b"commit refs/heads/main\ncommitter Bench <bench@affidavit.example> 1700000000 +0000\n"
    yield f"data {len(message)}\n{message}\n".encode()
    for path, text in files:
        data = text.encode()
        yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def stream() -> Iterator[bytes]:
    """The whole history: everything, then small commits, then the change."""
    changed = python_module(0, 0)
    yield from commit("Everything", contents())
    for number in range(LATER_COMMITS):
        module = 1 + number % 3
        partner = python_module(0, module) + f"# {number}\n"
        pair = [(CHANGED, changed + f"# {number}\n"), (f"src/pkg000/mod{module:03}.py", partner)]
        yield from commit(f"Step {number}", iter(pair))
    new = changed.replace("def compute_000_000(value):", "def compute_000_000(value, scale=1):")
    yield from commit("Let callers scale", iter([(CHANGED, new.replace("value + 7)", "value + 70)"))]))


def repository() -> Path:
    """The repository, made once."""
    place = FOLDER / "large"
    if (place / "ready").is_file():
        return place
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", place], check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=place, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for part in stream():
            importer.stdin.write(part)
    if importer.returncode != 0:
        raise SystemExit("git fast-import failed")
    (place / "ready").touch()
    return place


def byte_code() -> dict[str, str]:
    """Compiled modules are kept, as those of an installed package are, whatever is set here."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str((FOLDER / "byte-code").absolute())}


def map_seconds(place: Path, cache: str) -> float:
    """How long the command takes, from its start to its end."""
    env = {**os.environ, **byte_code(), "AFFIDAVIT_CACHE": cache}
    command = [BIN / "affidavit", "context", "main~1..main", "--repo", place, "--format", "json"]
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def timings(rounds: int = 3) -> tuple[float, float]:
    """The shortest of several runs, cold and warm."""
    place = repository().absolute()
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as cache:
        # The first run of all compiles the modules.
        map_seconds(place, cache)
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(map_seconds(place, cache))
            warm.append(map_seconds(place, cache))
    return min(cold), min(warm)


def rows() -> list[tuple[str, float, str, float, float]]:
    """What `Row` of `bench/__main__.py` is made of: what, seconds, against, its seconds, bound."""
    cold, warm = timings()
    return [
        ("map of a change, 17,000 files, cold", cold, "what it may take", COLD_SECONDS, 1.0),
        ("the same map, warm", warm, "what it may take", WARM_SECONDS, 1.0),
    ]
