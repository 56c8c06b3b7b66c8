"""Fetch the packages that base's lock files name, in a sandbox that reaches nothing but registries."""

import hashlib
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from affidavit.ports import Repository, Tree
from affidavit.proof.running.surroundings import IN_AN_ENVIRONMENT
from affidavit.records.program_runs import RunLimits
from affidavit.redaction.text import redact_text
from affidavit.sandbox import relay
from affidavit.sandbox.gate import Connect, opened_gate
from affidavit.sandbox.job import MEGABYTE, Ended, Job, Sandbox
from affidavit.sandbox.locks import Lock, locks_of
from affidavit.sandbox.provision import Provision, base_variables
from affidavit.sandbox.registries import Registries
from affidavit.system.temporary import temporary_folder

FOLDER = "environments"
LIMITS = RunLimits(seconds=600, cpu_seconds=600, memory_mb=4096, tasks=512, disk_mb=512, output_kb=64)
MAX_FETCHED_MB = 4096
NO_REGISTRY = "as your settings name no registry of {} that can be asked by https without a password"
NEW_ARE_MISSING = "new dependencies are not installed"
SCRIPT = 'OUT=$1; export OUT; shift; ( {script}\n) || exit 1; rm -rf "$OUT/.cache"'
OWN_CERTIFICATES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
MAX_SAID = 200
MAX_NAMED = 5


@dataclass(frozen=True)
class Fetched:
    """The folders that were fetched, and what to say about each language's."""

    folders: tuple[Path, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fetcher:
    """Fetches into folders of a cache, once for each lock."""

    cache: Path
    provision: Provision
    """The managers and interpreters."""
    sandbox: Sandbox | None = None
    """None: only what was fetched before is found."""
    registries: Registries = field(default_factory=Registries)
    connect: Connect = socket.create_connection
    most_mb: int = MAX_FETCHED_MB
    """How much may come from registries, and how large it may be unpacked."""

    def fetch(self, repository: Repository) -> Fetched:
        """Fetch for every lock of base; say what is not there, and what to do."""
        folders: list[Path] = []
        notes: dict[str, str] = {}
        for lock in locks_of(repository.base, self.registries):
            folder, problem = self._folder(lock, repository)
            shown = folder / "node_modules" if folder and lock.language == "node" else folder
            # npm makes none for a lock without packages.
            if shown and shown.is_dir():
                folders.append(shown)
            said = [problem or _left_out(lock), _differs(lock, repository.head, repository.base)]
            if words := "; ".join(filter(None, said)):
                notes[lock.language] = words
        return Fetched(tuple(folders), notes)

    def _folder(self, lock: Lock, repository: Repository) -> tuple[Path | None, str]:
        key = hashlib.sha256(repr((lock, self.provision.search_path)).encode()).hexdigest()[:32]
        place = self.cache / FOLDER / f"{lock.language}-{key}"
        if place.is_dir():
            return place, ""
        if self.sandbox is None:
            return None, ""
        if not self.registries.serves(lock.language):
            return None, f"packages are not fetched, {NO_REGISTRY.format(lock.program)}: {IN_AN_ENVIRONMENT}"
        program = _program(lock.program, self.provision, repository.folder)
        if program is None:
            return None, f"packages are not fetched, as {lock.program} is not installed: {IN_AN_ENVIRONMENT}"
        place.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=place.parent))
        try:
            problem = self._fetch(lock, program, unfinished, self.sandbox) or self._why_unusable(unfinished)
            if not problem:
                unfinished.chmod(0o755)
                unfinished.rename(place)
        except OSError as error:
            # Another review may have fetched the same meanwhile.
            problem = "" if place.is_dir() else str(error)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        said = f"packages could not be fetched ({problem}): {IN_AN_ENVIRONMENT}"
        return (None, said) if problem else (place, "")

    def _why_unusable(self, folder: Path) -> str:
        size = sum(one.lstat().st_size for one in folder.rglob("*"))
        return (
            f"they are larger than {self.most_mb} MB"
            if size > self.most_mb * MEGABYTE
            else why_unsafe(folder)
        )

    def _fetch(self, lock: Lock, program: Provision, place: Path, sandbox: Sandbox) -> str:
        """Run the package manager; return why it failed, or nothing."""
        with _given(lock, self.registries) as source, temporary_folder("gate-") as door:
            door.chmod(0o755)
            with opened_gate(
                door / "socket", self.registries.hosts, self.most_mb * MEGABYTE, self.connect
            ) as gate:
                provision = program.plus(self.provision)
                text = Path(relay.__file__).read_text("utf-8")
                script = ("sh", "-c", SCRIPT.format(script=lock.script), "sh", str(place))
                job = Job(
                    ("python", "-I", "-c", text, str(door / "socket"), *script),
                    source,
                    mounts=(*provision.mounts, door),
                    variables=_variables(provision, self.registries, place),
                    limits=LIMITS,
                    kept=place,
                )
                ended = sandbox.run(job)
        if gate.is_used_up:
            return f"they are larger than {self.most_mb} MB"
        refused = f"; no registry of this machine: {', '.join(gate.refused)}" if gate.refused else ""
        return f"{lock.program}: {_why(ended)}{refused}" if ended.state != "exited" or ended.exit_code else ""


def _program(name: str, provision: Provision, reviewed: Path | None) -> Provision | None:
    """Return the package manager: among the interpreters, on the user's path, or beside Affidavit."""
    if shutil.which(name, path=":".join(provision.search_path)):
        return Provision()
    import sysconfig  # noqa: PLC0415 - few reviews fetch

    found = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
    program = Path(found).resolve() if found else None
    if program is None or (reviewed and program.is_relative_to(reviewed.resolve())):
        return None
    return Provision((program,), (str(program.parent),))


@contextmanager
def _given(lock: Lock, registries: Registries) -> Iterator[Path]:
    """Write what the package manager is given: our own files, and the certificates of registries."""
    with temporary_folder("fetch-") as source:
        source.chmod(0o755)
        for name, text in lock.files.items():
            (source / name).write_text(text, "utf-8")
        if registries.certificates:
            shutil.copyfile(registries.certificates, source / "certificates.pem")
        yield source


def _variables(provision: Provision, registries: Registries, place: Path) -> dict[str, str]:
    return {
        **base_variables(provision),
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_HTTP_RETRIES": "1",
        "UV_CACHE_DIR": f"{place}/.cache",
        "UV_DEFAULT_INDEX": registries.python[0],
        "UV_INDEX": " ".join(registries.python[1:]),
        "GOPROXY": ",".join(registries.go),
        "GONOPROXY": registries.go_private,
        # go.sum of base says what is right.
        "GOSUMDB": "off",
        **{f"npm_config_{name}": address for name, address in registries.npm},
        **(dict.fromkeys(OWN_CERTIFICATES, "/side/certificates.pem") if registries.certificates else {}),
    }


def why_unsafe(folder: Path) -> str:
    """Say why a folder that was fetched cannot be shown to programs; empty if it can.

    It holds folders, plain files, and links that lead nowhere else.
    """
    for place in folder.rglob("*"):
        mode = place.lstat().st_mode
        if stat.S_ISLNK(mode):
            if not place.resolve().is_relative_to(folder.resolve()) or place.readlink().is_absolute():
                return f"{place.name} leads outside of what was fetched"
        elif not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return f"{place.name} is no plain file"
    return ""


def _why(ended: Ended) -> str:
    if ended.state != "exited":
        return ended.detail or ended.state.replace("_", " ")
    words = " ".join(redact_text(ended.output.decode("utf-8", "replace")).split())
    return words[:MAX_SAID] or f"exit code {ended.exit_code}"


def _left_out(lock: Lock) -> str:
    said = {
        "not fetched, as no registry of this machine has them ready": lock.left_out,
        f"lines of {lock.paths[0]} without a version and its hashes are skipped": lock.skipped,
    }
    return "; ".join(f"{why}: {_named(names)}" for why, names in said.items() if names)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (" and others" if names[MAX_NAMED:] else "")


def _differs(lock: Lock, head: Tree, base: Tree) -> str:
    return NEW_ARE_MISSING if any(head.read(path) != base.read(path) for path in lock.paths) else ""
