"""The map of a change in a large repository, cold and warm, against the time that it may take."""

import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.measure import BIN, Row, Scale, best, call

COLD_SECONDS = 15.0
WARM_SECONDS = 2.0
MODULES = 100
"""Python modules in each package."""
COMPONENTS, PAGES, SERVICES = 25, 8, 8
"""Files in TypeScript, Markdown and Go for each package."""
LATER_COMMITS = 40
CHANGED = "src/app/pkg000/mod000.py"
PYTHON = '''"""A generated module."""

{imports}

LIMIT_{name} = {module}


class Worker_{name}:
{methods}

def compute_{name}(value):
    return value + LIMIT_{name}


def run_{name}(value):
    return {body}
'''


def context(scale: Scale) -> list[Row]:
    """Compare the seconds of `affidavit context` with what it may take."""
    place = large_repository(scale)
    command = [BIN / "affidavit", "context", "main~1..main", "--repo", place, "--format", "json"]

    def make_map(cache: str) -> None:
        call(command, env={"AFFIDAVIT_CACHE": cache})

    cold, warm = [], []
    with tempfile.TemporaryDirectory() as cache:
        # The first run of all compiles the modules.
        make_map(cache)
    for _ in range(scale.rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(best(lambda: make_map(cache), 1))
            warm.append(best(lambda: make_map(cache), 1))
    files = scale.packages * (MODULES + COMPONENTS + PAGES + SERVICES)
    return [
        Row(f"map of a change, {files} files, cold", min(cold), "what it may take", COLD_SECONDS, 1),
        Row("the same map, warm", min(warm), "what it may take", WARM_SECONDS, 1),
    ]


def large_repository(scale: Scale) -> Path:
    """Return a generated repository; it is made once."""
    place = scale.folder / "large"
    if (place / "ready").is_file():
        return place
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", place], check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=place, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        importer.stdin.writelines(_history(scale.packages))
    if importer.returncode != 0:
        raise RuntimeError("git fast-import failed")
    (place / "ready").touch()
    return place


def _history(packages: int) -> Iterator[bytes]:
    """Yield the stream of fast-import: everything, then small commits, then the change."""
    yield from put_commit("Everything", contents(packages))
    changed = _python(packages, 0, 0)
    for number in range(LATER_COMMITS):
        module = 1 + number % 3
        partner = _python(packages, 0, module) + f"# {number}\n"
        pair = [(CHANGED, changed + f"# {number}\n"), (f"src/app/pkg000/mod{module:03}.py", partner)]
        yield from put_commit(f"Step {number}", pair)
    new = changed.replace("def compute_000_000(value):", "def compute_000_000(value, scale=1):")
    yield from put_commit("Let callers scale", [(CHANGED, new.replace("value + 7)", "value + 70)"))])


def put_commit(
    message: str, files: Iterable[tuple[str, str]], moves: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """Yield a commit for `git fast-import`, after those before it."""
    yield b"commit refs/heads/main\ncommitter Bench <bench@affidavit.example> 1700000000 +0000\n"
    yield f"data {len(message)}\n{message}\n".encode()
    for path, text in files:
        data = text.encode()
        yield f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    for old, new in (moves or {}).items():
        yield f"R {old} {new}\n".encode()


def contents(packages: int, length: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the files of some packages; each method of Python has so many lines more than it needs."""
    for package in range(packages):
        yield f"src/app/pkg{package:03}/__init__.py", ""
        for module in range(MODULES - 1):
            yield f"src/app/pkg{package:03}/mod{module:03}.py", _python(packages, package, module, length)
    for number in range(packages * COMPONENTS):
        yield f"web/component{number}.ts", _typescript(number, packages * COMPONENTS)
    for number in range(packages * PAGES):
        yield (
            f"docs/page{number}.md",
            f"# Page {number}\n\nSee src/app/pkg{number % packages:03}/mod000.py.\n",
        )
    yield "go.mod", "module example.org/large\n"
    for number in range(packages * SERVICES - 1):
        text = f'package service{number}\n\nimport "fmt"\n\nfunc Serve() {{\n\tfmt.Println({number})\n}}\n'
        yield f"services/service{number}/serve.go", text


def _python(packages: int, package: int, module: int, length: int = 0) -> str:
    """Return a module that imports up to three others and calls what it imports."""
    near, far = (package, (module + 1) % (MODULES - 1)), ((package * 7 + 1) % packages, module)
    others = [one for one in (near, far, (0, module % 20)) if one != (package, module)]
    # Each method name stands in some hundred modules, as ordinary names do.
    methods = "\n".join(
        f"    def step_{(package * 12 + number) % 400}(self, value):\n"
        + "".join(f"        value += {line} * {number}\n" for line in range(length))
        + f"        return (value + {number}) * 2\n"
        for number in range(12)
    )
    return PYTHON.format(
        name=f"{package:03}_{module:03}",
        module=module,
        imports="\n".join(f"from ..pkg{p:03}.mod{m:03} import compute_{p:03}_{m:03}" for p, m in others),
        methods=methods,
        body=" + ".join(f"compute_{p:03}_{m:03}(value)" for p, m in others),
    )


def _typescript(number: int, count: int) -> str:
    """Return a module that imports two others."""
    others = [(number + step) % count for step in (1, 50)]
    imports = "".join(f'import {{ make{other} }} from "./component{other}";\n' for other in others)
    body = " + ".join(f"make{other}(depth - 1)" for other in others)
    head = f"export function make{number}(depth: number): number"
    return f"{imports}\n{head} {{\n  return depth > 0 ? {body} : 0;\n}}\n"
