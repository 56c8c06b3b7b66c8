"""Fetch packages from a registry on loopback: planted code does not run, other hosts are not reached."""

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from affidavit.git.repository import open_repository
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.fetching import NEW_ARE_MISSING, Fetched, Fetcher, why_unsafe
from affidavit.sandbox.provision import by_content, provide
from affidavit.sandbox.registries import Registries
from affidavit.sandbox.sides import SandboxedSides
from registry_server import URL, Registry, opened_registry, tarball, wheel
from repositories import Repo

PLANTED = "import pathlib; pathlib.Path('{place}').write_text('ran')\n"
NOT_READY = "not fetched, as no registry of this machine has them ready"
Fetching = Callable[..., Fetched]
DEEP = "[" * 100_000
MODULE = "module example.test/shop\n\ngo 1.20\n"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with opened_registry(tmp_path) as registry:
        yield registry


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def fetcher(registry: Registry, sandbox: Bubblewrap, tmp_path: Path) -> Fetcher:
    return Fetcher(tmp_path / "cache", provide(()), sandbox, registry.registries, registry.connect)


def fetch(
    fetcher: Fetcher, repo: Repo, base: Mapping[str, str], head: Mapping[str, str] | None = None
) -> Fetched:
    """Fetch for a change from base to head."""
    before = repo.commit("base", base)
    after = repo.commit("head", head or {"changed.txt": "changed\n"})
    with open_repository(repo.path, before, after) as repository:
        return fetcher.fetch(repository)


def run_with(fetched: Fetched, repo: Repo, sandbox: Bubblewrap, language: str, text: str) -> ProgramRun:
    provision = provide(())
    for folder in fetched.folders:
        provision = by_content(folder).plus(provision)
    with (
        open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as opened,
        SandboxedSides(opened, sandbox, provision) as sides,
    ):
        return sides.run(Program(language=language, text=text), "head")


def locked(*packages: tuple[str, str, str]) -> dict[str, str]:
    """A project and its uv.lock, with the source and the files of each package."""
    names = [name for name, _, _ in packages]
    asked = "".join(f'{{ name = "{name}" }}, ' for name in names)
    parts = [
        'version = 1\nrevision = 3\nrequires-python = ">=3.9"\n',
        *(
            f'[[package]]\nname = "{name}"\nversion = "1.0"\nsource = {source}\n{files}\n'
            for name, source, files in packages
        ),
        '[[package]]\nname = "shop"\nversion = "1.0"\nsource = { virtual = "." }\n'
        f"dependencies = [{asked}]\n[package.metadata]\nrequires-dist = [{asked}]\n",
    ]
    project = '[project]\nname = "shop"\nversion = "1.0"\nrequires-python = ">=3.9"\n'
    project += f"dependencies = {json.dumps(names)}\n"
    return {"uv.lock": "\n".join(parts), "pyproject.toml": project}


def of_registry(registry: Registry, name: str, files: Mapping[str, str]) -> tuple[str, str, str]:
    entry = registry.add_python(name, f"{name}-1.0-py3-none-any.whl", wheel(name, files))
    listed = f'wheels = [{{ url = "{entry["url"]}", hash = "{entry["hash"]}" }}]'
    return name, f'{{ registry = "{URL}/simple" }}', listed


def test_the_packages_of_a_lock_are_there_when_a_program_runs_and_are_fetched_once(
    fetcher: Fetcher, registry: Registry, repo: Repo, sandbox: Bubblewrap
) -> None:
    fetched = fetch(fetcher, repo, locked(of_registry(registry, "good", {"good.py": "price = 7\n"})))
    assert fetched.notes == {}
    program = "import good, pathlib\nprint(good.price)\npathlib.Path(good.__file__).write_text('x')\n"
    run = run_with(fetched, repo, sandbox, "python", program)
    assert run.output.startswith("7\n")
    assert "Read-only file system" in run.output
    asked = len(registry.asked)
    assert fetch(fetcher, repo, {}) == fetched
    assert len(registry.asked) == asked > 0


def test_requirements_with_hashes_are_fetched_without_their_options(
    fetcher: Fetcher, registry: Registry, repo: Repo, sandbox: Bubblewrap
) -> None:
    entry = registry.add_python(
        "good", "good-1.0-py3-none-any.whl", wheel("good", {"good.py": "price = 7\n"})
    )
    text = (
        "# Pinned\n--index-url https://user:word@elsewhere.test/simple\n-e ./planted\n-r /etc/passwd\n"
        "planted @ https://elsewhere.test/planted-1.0.tar.gz --hash=sha256:00\n"
        f"good==1.0 ; python_version > '3.8' \\\n    --hash={entry['hash']}  # via shop\n"
    )
    fetched = fetch(fetcher, repo, {"requirements.txt": text})
    skipped = "--index-url, -e ./planted, -r /etc/passwd, planted"
    assert fetched.notes == {
        "python": f"lines of requirements.txt without a version and its hashes are skipped: {skipped}"
    }
    assert run_with(fetched, repo, sandbox, "python", "import good; print(good.price)").output == "7\n"
    assert {host for host, _ in registry.connections} == {"registry.test"}


def test_nothing_of_the_repository_runs_or_is_reached_while_python_packages_are_fetched(
    fetcher: Fetcher, registry: Registry, repo: Repo, tmp_path: Path
) -> None:
    place = tmp_path / "cache" / "planted"
    setup = PLANTED.format(place=place)
    sdist = registry.add_python("built", "built-1.0.tar.gz", tarball({"built-1.0/setup.py": setup}))
    files = locked(
        of_registry(registry, "good", {"good.py": ""}),
        (
            "built",
            f'{{ registry = "{URL}/simple" }}',
            f'sdist = {{ url = "{sdist["url"]}", hash = "{sdist["hash"]}" }}',
        ),
        ("fromgit", f'{{ git = "{URL}/x.git?rev=1#{"1" * 40}" }}', ""),
        ("local", '{ directory = "local" }', ""),
        (
            "elsewhere",
            '{ registry = "https://elsewhere.test/simple" }',
            "wheels = [{ url = 'https://elsewhere.test/elsewhere-1.0-py3-none-any.whl', "
            f"hash = 'sha256:{'0' * 64}' }}]",
        ),
    )
    files["pyproject.toml"] += (
        '[build-system]\nrequires = []\nbuild-backend = "planted"\nbackend-path = ["."]\n'
        '[tool.uv]\nindex-url = "https://elsewhere.test/simple"\n'
    )
    planted = {"planted.py": setup, "setup.py": setup, "local/setup.py": setup, "sitecustomize.py": setup}
    own = {
        "uv.toml": 'index-url = "https://elsewhere.test/simple"\n',
        ".netrc": "machine registry.test login a\n",
    }
    fetched = fetch(fetcher, repo, {**files, **planted, **own})
    assert fetched.notes == {"python": f"{NOT_READY}: built, elsewhere, fromgit, local"}
    assert (fetched.folders[0] / "good.py").is_file()
    assert not place.exists()
    assert {host for host, _ in registry.connections} == {"registry.test"}
    assert not any("elsewhere" in one for one in registry.asked)


def test_a_dependency_that_is_left_out_is_not_asked_of_a_registry(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    needs = "good-1.0.dist-info/METADATA"
    described = "Metadata-Version: 2.1\nName: good\nVersion: 1.0\nRequires-Dist: elsewhere\n"
    files = locked(
        of_registry(registry, "good", {"good.py": "", needs: described}),
        ("elsewhere", '{ registry = "https://elsewhere.test/simple" }', ""),
    )
    fetched = fetch(fetcher, repo, files)
    assert (fetched.folders[0] / "good.py").is_file()
    assert not any("elsewhere" in one for one in registry.asked)


def test_a_mirror_stands_in_for_the_public_registries(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    name, _, wheels = of_registry(registry, "good", {"good.py": ""})
    entry = registry.add_npm("good", {"index.js": ""})
    public = {**entry, "resolved": "https://registry.npmjs.org/good/-/good-1.0.0.tgz"}
    files = locked((name, '{ registry = "https://pypi.org/simple/" }', wheels))
    fetched = fetch(fetcher, repo, {**files, **npm_lock(good=public)})
    assert fetched.notes == {}
    assert [(one / "good.py").is_file() or (one / "good").is_dir() for one in fetched.folders] == [True] * 2


def test_packages_that_no_registry_has_ready_are_named(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    files = locked(
        of_registry(registry, "good", {"good.py": ""}),
        ("fromgit", f'{{ git = "{URL}/x.git?rev=1#{"1" * 40}" }}', ""),
        ("local", '{ directory = "local" }', ""),
    )
    fetched = fetch(fetcher, repo, files)
    assert fetched.notes == {"python": f"{NOT_READY}: fromgit, local"}
    assert (fetched.folders[0] / "good.py").is_file()


def npm_lock(**packages: Mapping[str, object]) -> dict[str, str]:
    asked = {name: "*" for name in packages if "node_modules" not in name}
    listed = {f"node_modules/{name}": entry for name, entry in packages.items()}
    root = {"name": "shop", "dependencies": asked}
    lock = {"name": "shop", "lockfileVersion": 3, "packages": {"": root, **listed}}
    return {"package.json": json.dumps(root), "package-lock.json": json.dumps(lock)}


def test_npm_packages_are_fetched_without_any_script_and_from_no_other_host(
    fetcher: Fetcher, registry: Registry, repo: Repo, sandbox: Bubblewrap, tmp_path: Path
) -> None:
    place = tmp_path / "cache" / "planted"
    scripts = dict.fromkeys(("preinstall", "install", "postinstall", "prepare"), f"touch {place}")
    good = registry.add_npm("good", {"index.js": "exports.price = 7;"}, scripts=scripts)
    away = registry.add_npm("away", {"index.js": "exports.price = 8;"})
    inner = registry.add_npm("inner", {"index.js": "exports.price = 9;"})
    files = npm_lock(
        good={**good, "hasInstallScript": True, "dependencies": {"fromgit": "*", "inner": "*"}},
        away={**away, "resolved": "https://elsewhere.test/away-1.0.0.tgz"},
        **{"away/node_modules/inner": inner, "good/node_modules/inner": inner},
        fromgit={"version": "1.0.0", "resolved": "git+ssh://git@elsewhere.test/x.git#1"},
        local={"resolved": "planted", "link": True},
    )
    files["package.json"] = json.dumps({**json.loads(files["package.json"]), "scripts": scripts})
    planted = {
        ".npmrc": "registry=https://elsewhere.test/\nignore-scripts=false\n",
        "planted/package.json": "{}",
    }
    fetched = fetch(fetcher, repo, {**files, **planted})
    assert fetched.notes == {"node": f"{NOT_READY}: away, fromgit"}
    program = "console.log(require('good').price)"
    assert run_with(fetched, repo, sandbox, "node", program).output == "7\n"
    folder = fetched.folders[0]
    assert sorted(one.name for one in folder.glob("[!.]*")) == ["good"]
    assert (folder / "good/node_modules/inner").is_dir()
    assert not any("away" in one or "fromgit" in one for one in registry.asked)
    assert not place.exists()
    assert {host for host, _ in registry.connections} == {"registry.test"}


def test_npm_packages_outside_of_the_registry_of_their_scope_are_left_out(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    scoped = Registries(
        registry.registries.python,
        (*registry.registries.npm, ("@own:registry", "https://own.test/npm")),
        certificates=registry.authority,
    )
    good = registry.add_npm("good", {"index.js": ""})
    files = npm_lock(
        good=good,
        # npm would ask the default registry for its name.
        secret={**good, "resolved": "https://own.test/npm/secret/-/secret-1.0.0.tgz"},
        **{"@own/foreign": {**good, "resolved": f"{URL}/npm/@own/foreign/-/foreign-1.0.0.tgz"}},
    )
    fetched = fetch(replace(fetcher, registries=scoped), repo, files)
    assert fetched.notes == {"node": f"{NOT_READY}: @own/foreign, secret"}
    assert (fetched.folders[0] / "good").is_dir()
    assert {host for host, _ in registry.connections} == {"registry.test"}


def test_npm_packages_without_a_real_hash_or_version_are_left_out(
    fetcher: Fetcher, registry: Registry, repo: Repo, sandbox: Bubblewrap
) -> None:
    good = registry.add_npm("good", {"index.js": "exports.price = 7;"})
    files = npm_lock(
        good=good,
        none={**good, "integrity": "none"},
        partly={**good, "integrity": f"{good['integrity']} none"},
        fromgit={**good, "version": "git+https://elsewhere.test/x.git"},
        alias={**good, "name": "good@git+https://elsewhere.test/x.git"},
    )
    fetched = fetch(fetcher, repo, files)
    assert fetched.notes == {"node": f"{NOT_READY}: alias, fromgit, none, partly"}
    program = "console.log(require('good').price)"
    assert run_with(fetched, repo, sandbox, "node", program).output == "7\n"
    assert registry.connections
    assert {host for host, _ in registry.connections} == {"registry.test"}


def test_a_lock_of_npm_without_packages_does_not_keep_programs_from_running(
    fetcher: Fetcher, repo: Repo, sandbox: Bubblewrap
) -> None:
    fetched = fetch(fetcher, repo, npm_lock())
    assert fetched == Fetched()
    assert run_with(fetched, repo, sandbox, "python", "print(1)").output == "1\n"


def test_go_modules_that_are_private_or_without_a_sum_are_left_out(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    needed = ("example.test/good", "corp.test/team/secret", "example.test/unsummed")
    sums = [registry.add_go(name, {"all.go": "package all\n"}) for name in needed]
    module = MODULE + "".join(f"require {name} v1.0.0\n" for name in needed)
    private = replace(registry.registries, go_private="other.test, *.test/team")
    fetched = fetch(
        replace(fetcher, registries=private), repo, {"go.mod": module, "go.sum": "".join(sums[:2])}
    )
    assert fetched.notes == {"go": f"{NOT_READY}: corp.test/team/secret, example.test/unsummed"}
    assert (fetched.folders[0] / "example.test/good@v1.0.0").is_dir()
    assert not any("secret" in one or "unsummed" in one for one in registry.asked)


def test_packages_that_are_too_large_when_unpacked_are_not_kept(
    fetcher: Fetcher, registry: Registry, repo: Repo, tmp_path: Path
) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in unzipped(wheel("good", {"good.py": "#" * 3_000_000})).items():
            archive.writestr(path, data)
    assert len(made.getvalue()) < 100_000
    entry = registry.add_python("good", "good-1.0-py3-none-any.whl", made.getvalue())
    files = {"requirements.txt": f"good==1.0 --hash={entry['hash']}\n"}
    fetched = fetch(replace(fetcher, most_mb=1), repo, files)
    assert fetched.folders == ()
    assert "they are larger than 1 MB" in fetched.notes["python"]
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_go_modules_are_fetched_without_the_local_ones(
    fetcher: Fetcher, registry: Registry, repo: Repo, sandbox: Bubblewrap
) -> None:
    sums = registry.add_go("example.test/good", {"good.go": "package good\n\nconst Price = 7\n"})
    needs = "require example.test/good v1.0.0\nrequire example.test/local v1.0.0\n"
    module = f"{MODULE}{needs}replace example.test/local => ./local\n"
    local = {
        "local/go.mod": "module example.test/local\n",
        "local/local.go": "package local\n\nconst Price = 8\n",
    }
    fetched = fetch(fetcher, repo, {"go.mod": module, "go.sum": sums, **local})
    assert fetched.notes == {}
    # `go list` reads the sources without compiling the standard library.
    program = "go list -f '{{.Dir}}' example.test/good example.test/local 2>&1"
    run = run_with(fetched, repo, sandbox, "sh", program)
    assert run.output == f"{fetched.folders[0]}/example.test/good@v1.0.0\n/side/local\n"


def test_a_failed_fetch_leaves_nothing_and_says_what_to_do(
    fetcher: Fetcher, registry: Registry, repo: Repo, tmp_path: Path
) -> None:
    files = locked(of_registry(registry, "good", {"good.py": ""}))
    registry.served["/files/good-1.0-py3-none-any.whl"] += b"another"
    fetched = fetch(fetcher, repo, files)
    assert fetched.folders == ()
    assert fetched.notes["python"].startswith("packages could not be fetched (uv: error: ")
    assert "good" in fetched.notes["python"]
    assert fetched.notes["python"].endswith("name an environment that has it with --environment")
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


def test_a_registry_of_another_host_is_not_reached(fetcher: Fetcher, registry: Registry, repo: Repo) -> None:
    # The index is of the user; the file that it links to lies on a host that no tool is set up for.
    files = locked(of_registry(registry, "good", {"good.py": ""}))
    link = registry.served["/simple/good/"].replace(URL.encode(), b"https://elsewhere.test")
    registry.served["/simple/good/"] = link
    fetched = fetch(fetcher, repo, files)
    assert "no registry of this machine: elsewhere.test:443" in fetched.notes["python"]
    assert {host for host, _ in registry.connections} == {"registry.test"}


def test_without_a_registry_that_can_be_used_nobody_is_asked_and_it_is_said(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    files = locked(of_registry(registry, "good", {"good.py": ""}))
    nobody = replace(registry.registries, python=())
    fetched = fetch(replace(fetcher, registries=nobody), repo, files)
    assert fetched.folders == ()
    assert "your settings name no registry of uv that can be asked" in fetched.notes["python"]
    assert registry.connections == []


def test_a_head_with_another_lock_says_that_new_dependencies_are_missing(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    base = locked(of_registry(registry, "good", {"good.py": ""}))
    fetched = fetch(fetcher, repo, base, {"uv.lock": base["uv.lock"] + "\n"})
    assert len(fetched.folders) == 1
    assert fetched.notes == {"python": NEW_ARE_MISSING}


def test_without_a_sandbox_only_what_was_fetched_before_is_found(
    fetcher: Fetcher, registry: Registry, repo: Repo
) -> None:
    files = locked(of_registry(registry, "good", {"good.py": ""}))
    without = replace(fetcher, sandbox=None)
    assert fetch(without, repo, files).folders == ()
    fetched = fetch(fetcher, repo, {})
    assert fetch(without, repo, {}).folders == fetched.folders != ()


@pytest.mark.parametrize("target", ["/etc", "../.."])
def test_a_link_that_leads_elsewhere_makes_a_folder_unusable(tmp_path: Path, target: str) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "inside").symlink_to("../inner")
    assert why_unsafe(tmp_path) == ""
    (tmp_path / "inner" / "outside").symlink_to(target)
    assert why_unsafe(tmp_path) == "outside leads outside of what was fetched"


@pytest.mark.parametrize("text", ["[[package]]\nname = 1\n", "[", "package = 7\n", f"a = {DEEP}"])
def test_a_lock_that_uv_cannot_have_written_is_left_alone(fetcher: Fetcher, repo: Repo, text: str) -> None:
    for npm in ("[]", f'{{"packages": {DEEP}'):
        assert fetch(fetcher, repo, {"uv.lock": text, "package-lock.json": npm}) == Fetched()


def test_a_go_module_of_empty_lines_is_read_in_no_time(fetcher: Fetcher, repo: Repo) -> None:
    start = time.process_time()
    assert fetch(replace(fetcher, sandbox=None), repo, {"go.mod": "\n" * 20_000, "go.sum": "x"}) == Fetched()
    assert time.process_time() - start < 3
