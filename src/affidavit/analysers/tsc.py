"""TypeScript: check the types of a whole side with the user's compiler and the project's own files alone."""

import json
import re
from collections.abc import Iterable, Sequence

from affidavit.analysers.engine.analyser import Analyser, Faults, Inspection, Invocation, Printed, Reading
from affidavit.analysers.engine.configuration import within_repository
from affidavit.analysers.engine.rule import Rule, RuleMaker, names_in
from affidavit.analysers.registry import listed
from affidavit.languages.javascript_packages import PathConfigurations, PathRules
from affidavit.languages.tree_files import TreeFiles, below, parent, table, texts, upwards
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Severity

NAME = "tsc"
CONFIGURATION = "tsconfig.json"
KEPT = (
    *("alwaysStrict", "exactOptionalPropertyTypes", "experimentalDecorators", "emitDecoratorMetadata"),
    *("jsx", "jsxFactory", "jsxFragmentFactory", "lib", "noImplicitThis", "noUncheckedIndexedAccess"),
    *("strict", "strictBindCallApply", "strictBuiltinIteratorReturn", "strictFunctionTypes"),
    *("strictNullChecks", "strictPropertyInitialization", "target", "useDefineForClassFields"),
    "useUnknownInCatchVariables",
)
"""The options of a project that decide what is an error. None of them loads code or files."""
CHOICE = ("files", "include", "exclude")
GONE_TARGETS = ("es3", "es5")
OURS = {
    "noEmit": True,
    "module": "preserve",
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": True,
    "noUncheckedSideEffectImports": False,
    "skipLibCheck": True,
    "types": [],
    "typeRoots": [],
}
"""Without types of packages, which are missing; imports resolve as in bundlers, the most generous way."""
ERROR = re.compile(
    r"^(?P<path>[^\n(]+)\((?P<line>\d+),(?P<column>\d+)\): error TS(?P<code>\d+): (?P<message>[^\n]*)$",
    re.MULTILINE,
)
# Reported without a file: an option that this compiler does not know. Then it checks nothing.
# TS18003 is about a project without files; TS2468 comes while files are checked, from libraries of ES5.
STOPPED = re.compile(
    r"^(?:[^\n(]*tsconfig\.json\(\d+,\d+\): )?error TS(?!18003|2468)\d+: (?P<message>[^\n]*)$", re.MULTILINE
)
MISSING = ("2307", "2503", "2688", "2792", "2875", "7016")
"""Errors about missing types of a package."""
NODE_TYPES = ("2580", "2591")
OF_NODE = re.compile(
    r"^(?!Cannot find name '(?:process|Buffer|require|module|exports|global|__dirname|__filename)')"
)
"""Newer compilers report a missing module of Node with the same code."""
LACKS_PACKAGES = "types of packages that it needs are not in the repository"
CERTAIN = frozenset(f"{NAME}/TS{code}" for code in (2448, 2554, 2555, 2588))
"""Errors that types of packages cannot change: they follow from the code's own declarations."""
NAMES = frozenset(f"{NAME}/TS{code}" for code in (2304, 2552))
OPEN_TYPES = re.compile(r"on type `[^`]*\b(?:globalThis|Window|ImportMeta|ProcessEnv|Assertion|Matchers)\b")
"""Types that packages add members to."""
QUOTED = re.compile(r"'([^']*)'")
rule = RuleMaker(NAME)


def invoke_tsc(base: Tree, paths: Sequence[str]) -> Invocation:
    """Make one project for each configuration of the base commit, and one for all other files."""
    files = TreeFiles(base)
    configurations = PathConfigurations(files)
    homes = {parent(path) for path in files.by_name.get(CONFIGURATION, ()) if "node_modules/" not in path}
    owners = {next((one for one in upwards(parent(path)) if one in homes), "") for path in paths}
    made = {
        below(home, CONFIGURATION): _project(files, configurations, home, homes) for home in sorted(owners)
    }
    return Invocation(
        arguments=("--build", *made, "--pretty", "false", "--listFiles"),
        files={path: json.dumps(project).encode() for path, project in made.items()},
        has_exclusions=any("include" in one or "exclude" in one or "files" in one for one in made.values()),
    )


def _project(
    files: TreeFiles, configurations: PathConfigurations, home: str, homes: set[str]
) -> dict[str, object]:
    chain = _chain(files, configurations, below(home, CONFIGURATION))
    options: dict[str, object] = {}
    chosen: dict[str, list[str]] = {}
    for path, settings in reversed(chain.items()):
        given = table(settings.get("compilerOptions"))
        options |= {name: value for name, value in given.items() if name in KEPT}
        if parent(path) == home:
            chosen |= {name: _inside(texts(settings[name]), home) for name in CHOICE if settings.get(name)}
    if str(options.get("target", "")).lower() in GONE_TARGETS:
        options["target"] = "es2015"
    # Older compilers default to ES5, whose libraries lack what modern code uses.
    options.setdefault("target", "esnext")
    options.setdefault("strict", False)
    options.setdefault("jsx", "preserve")
    # Another project's files are checked with its own options.
    others = sorted(one for one in homes if one != home and home in ("", *upwards(one)))
    inner = [one.removeprefix(f"{home}/") for one in others]
    if inner:
        chosen["exclude"] = [*chosen.get("exclude", ["node_modules"]), *inner]
    rules = configurations.rules_in(home)
    return {"compilerOptions": options | OURS | {"paths": _paths(rules, home)}, **chosen}


def _inside(patterns: Iterable[str], home: str) -> list[str]:
    """Return the patterns for files of the repository."""
    return [one for one in patterns if within_repository(home, one) is not None]


def _paths(rules: PathRules | None, home: str) -> dict[str, list[str]]:
    """Return the path mappings of imports, relative to the project."""
    if rules is None:
        return {}
    up = "../" * (home.count("/") + 1 if home else 0)
    found = {pattern: [f"./{up}{place}" for place in places] for pattern, places in rules.paths.items()}
    return found | ({"*": [f"./{up}{below(rules.base, '*')}"]} if rules.base is not None else {})


def _chain(files: TreeFiles, configurations: PathConfigurations, path: str) -> dict[str, dict[str, object]]:
    """Return a configuration, and those that it extends or only lists."""
    chain = dict(configurations.chain(path))
    listed = chain.get(path, {}).get("references") if chain.get(path, {}).get("files") == [] else None
    for one in listed[:1] if isinstance(listed, list) else ():
        for name in texts(table(one).get("path")):
            place = within_repository(parent(path), name)
            chain |= dict(configurations.chain(files.first((place, f"{place}/{CONFIGURATION}")) or ""))
    return chain


def read_tsc(text: str) -> list[AnalyserDiagnostic]:
    """Read the errors of the compiler, one a line."""
    return [
        AnalyserDiagnostic(
            rule=f"{NAME}/TS{found['code']}",
            path=found["path"],
            line=int(found["line"]),
            column=int(found["column"]),
            message=QUOTED.sub(r"`\1`", found["message"]),
        )
        for found in ERROR.finditer(text)
    ]


def read_tsc_files(printed: Printed) -> Reading:
    """Return the checked files, and those that could not be checked because types are missing."""
    listed = {line for line in printed.output.split("\n") if line.startswith("/")}
    errors = list(ERROR.finditer(printed.output))
    if cause := _what_stopped(printed.output, errors):
        return Reading(frozenset(), others=("unresolved", f"the compiler stopped: {cause}"))
    failed: Faults = {
        found["path"]: ("unresolved", LACKS_PACKAGES)
        for found in errors
        if found["code"] in MISSING or (found["code"] in NODE_TYPES and OF_NODE.match(found["message"]))
    }
    return Reading(frozenset(listed), failed, is_log=True)


def _what_stopped(output: str, errors: Sequence[re.Match[str]]) -> str:
    """Return the error of an option or of syntax that kept the compiler from checking types, or nothing."""
    stopped = STOPPED.search(output)
    if stopped:
        return QUOTED.sub(r"`\1`", stopped["message"])
    syntax = [found for found in errors if len(found["code"]) == 4 and found["code"].startswith("1")]
    if not syntax or any(found["code"].startswith("2") for found in errors):
        return ""
    first = syntax[0]
    return f"{first['path']}:{first['line']}: " + QUOTED.sub(r"`\1`", first["message"])


def judge_tsc(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Drop errors that types of packages could explain, or that may be old."""
    if inspection.may_be_old(diagnostic):
        return "it is not known what the compiler reported before the change"
    if diagnostic.rule in CERTAIN:
        return None
    if _needs_packages(diagnostic.path, inspection):
        return "missing types of packages may explain it"
    if OPEN_TYPES.search(diagnostic.message):
        return "a package may add the member"
    if diagnostic.rule in NAMES and _may_be_global(diagnostic, inspection):
        return "a package may define the name"
    return None


def _needs_packages(path: str, inspection: Inspection) -> bool:
    """Return whether the file, or any that it imports, needs missing types."""
    waiting, seen = [path], set[str]()
    while waiting:
        at = waiting.pop()
        if at in inspection.unresolved:
            return True
        if at not in seen:
            seen.add(at)
            imported = inspection.imports.imports_of(at)
            waiting += [one.target for one in imported if one.target is not None]
    return False


def _may_be_global(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> bool:
    """Return whether base used the name, too, or a types package has its name."""
    name = next(iter(names_in(diagnostic.message)), "")
    if any(one.rule in NAMES and f"`{name}`" in one.message for one in inspection.base_diagnostics):
        return True
    head = inspection.head
    packages = [path for path in head.entries() if path.rpartition("/")[2] == "package.json"]
    wanted = f'"@types/{name.lower()}'.encode()
    return any(wanted in (head.read(path) or b"").lower() for path in packages)


def _codes(numbers: str) -> str:
    return " ".join(f"TS{number}" for number in numbers.split())


RULES: list[Rule] = [
    *rule(
        _codes("2304 2305 2349 2351 2448 2552 2588 2614 2724"),
        "{message}",
        "The code fails as soon as it runs, or the build stops.",
        "Fix what the compiler names.",
        severity=Severity.HIGH,
        equivalents=(
            "references/removed-import",
            "references/removed-type-import",
            "references/removed-attribute",
        ),
    ),
    *rule(
        _codes(
            "2322 2339 2345 2353 2362 2363 2365 2367 2416 2420 2488 2493 2515 2531 2532 2533 2538 2551 2554 "
            "2555 2561 2571 2722 2739 2740 2741 2769 18046 18047 18048 18049"
        ),
        "Type error: {message}",
        "The compiler refuses the code. Where types are only stripped, it runs on unexpected values.",
        "Fix what the compiler names.",
    ),
]

TSC = Analyser(
    **listed("tsc"),
    executable="tsc",
    invoke=invoke_tsc,
    read_output=read_tsc,
    rules={one.id: one for one in RULES},
    elsewhere="npm install --global typescript, or name its tsc with --typescript-server",
    read_files=read_tsc_files,
    subject="type errors of TypeScript",
    version_tried="7.0.2 and 5.9.3",
    judge=judge_tsc,
    accepted_exit_codes=frozenset({0, 1, 2}),
    reads_any_path=True,
    defines_in=(".ts", ".tsx", ".mts", ".cts"),
)
