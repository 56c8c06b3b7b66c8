"""Fetch commits of pull requests into cached repositories; git gets a token from its environment alone."""

import base64
import fcntl
import hashlib
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from affidavit.errors import ForgeError, GitError
from affidavit.forges.address import Host, origin_of
from affidavit.forges.credentials import NOBODY, Credentials
from affidavit.git.command import Git, complaint, git_environment
from affidavit.git.objects import OBJECT_ID
from affidavit.system.private_files import bytes_in, files_in, make_private_file, make_private_folder

FIRST_DEPTH = 100
DEEPER = (400, 2_000)
"""After these, everything is fetched: few merge bases are further away."""
FETCH_SECONDS = 900.0
MAX_MEGABYTES = 4_000
WATCH_SECONDS = 0.5
_MISSING_WORDS = (b"not our ref", b"couldn't find remote ref", b"unadvertised object", b"no such remote ref")
_REFUSED_WORDS = (
    b"authentication failed",
    b"could not read username",
    b"terminal prompts disabled",
    b"repository not found",
    b"http basic: access denied",
    b"the requested url returned error: 40",
)


class MissingCommitError(ForgeError):
    """The forge has no such commit or branch (any more)."""


class TooLargeError(ForgeError):
    """A repository is larger than the user or the operator allows."""


@dataclass(frozen=True)
class Remote:
    """The repository to fetch from, and the credentials."""

    url: str
    credentials: Credentials = field(default=NOBODY, repr=False)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    max_megabytes: int = MAX_MEGABYTES

    @property
    def git_variables(self) -> dict[str, str]:
        """Return git's settings as variables: one protocol, no redirect, no helper, the token."""
        scheme = urlsplit(self.url).scheme
        settings = {
            "http.followRedirects": "false",
            "credential.helper": "",
            "gc.autoDetach": "false",
            "maintenance.autoDetach": "false",
            "fetch.writeCommitGraph": "false",
        }
        if self.credentials.token:
            # Bound to this origin: git sends it nowhere else.
            settings[f"http.{origin_of(self.url)}/.extraHeader"] = self._header
        given = list(settings.items())
        variables = {"GIT_ALLOW_PROTOCOL": scheme, "GIT_CONFIG_COUNT": str(len(given)), "GIT_ASKPASS": ""}
        for number, (name, value) in enumerate(given):
            variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        authority = self.environment.get("GIT_SSL_CAINFO") or self.environment.get("SSL_CERT_FILE")
        return {**variables, **({"GIT_SSL_CAINFO": authority} if authority else {})}

    @property
    def _header(self) -> str:
        user = "gitlab-ci-token" if self.credentials.is_job_token else "x-access-token"
        pair = base64.b64encode(f"{user}:{self.credentials.token}".encode()).decode()
        return f"Authorization: Basic {pair}"


@dataclass(frozen=True)
class Clone:
    folder: Path
    remote: Remote

    @property
    def git(self) -> Git:
        """Return git in this repository, without access to a remote."""
        return Git(self.folder, {**git_environment(False), "GIT_DIR": str(self.folder)})

    @property
    def is_shallow(self) -> bool:
        """Check whether history is cut off somewhere."""
        return (self.folder / "shallow").exists()

    def has(self, commit: str) -> bool:
        """Check whether the commit is here."""
        return self.git.attempt("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def commit_of(self, name: str) -> str | None:
        done = self.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def fetch(self, wanted: Mapping[str, str], *options: str) -> None:
        """Fetch each wanted commit or ref under its name; delete a fetch that is too large."""
        specs = [f"+{source}:{name}" for name, source in wanted.items()]
        command = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        git = self.git.having(self.remote.git_variables)
        before = _Before.of(self)
        # Not now: afterwards, the fetched objects could no longer be told from the rest.
        arguments = [*command, "--no-auto-gc", *options, "--end-of-options", self.remote.url, *specs]
        with git.start(arguments, has_own_group=True) as process:
            try:
                errors = self._finished(process)
            except BaseException:
                _end(process)
                before.restore(wanted)
                raise
        if process.returncode != 0:
            raise _fetch_error(self.remote, errors, list(wanted.values()))
        git.attempt("gc", "--auto", "--quiet")

    def _finished(self, process: subprocess.Popen[bytes]) -> bytes:
        """Wait for git and return its errors; raise if it takes too long or fetches too much."""
        for _ in range(round(FETCH_SECONDS / WATCH_SECONDS)):
            errors: bytes | None = None
            with suppress(subprocess.TimeoutExpired):
                errors = process.communicate(timeout=WATCH_SECONDS)[1]
            if bytes_in(self.folder / "objects") > self.remote.max_megabytes * 1_000_000:
                raise TooLargeError(
                    f"{self.remote.url} is larger than {self.remote.max_megabytes:,} MB; "
                    "AFFIDAVIT_MAX_CLONE_MB raises the limit"
                )
            if errors is not None:
                return errors
        raise GitError(f"git fetch took longer than {FETCH_SECONDS:g} seconds", retryable=True)

    def fetch_all(self, wanted: Mapping[str, str]) -> None:
        """Fetch commits with all of their history."""
        self.fetch(wanted, *(["--unshallow"] if self.is_shallow else []))


def open_clone(cache: Path, remote: Remote) -> Clone:
    parts = urlsplit(remote.url)
    name = hashlib.sha256(remote.url.encode()).hexdigest()[:24]
    folder = cache / "repositories" / (parts.netloc.replace(":", "_") or "local") / f"{name}.git"
    make_private_folder(folder.parent)
    with locked(folder):
        if not (folder / "HEAD").is_file():
            git = Git(folder.parent)
            git.run("init", "-q", "--bare", "--template=", str(folder))
            git.run("-C", str(folder), "config", "remote.origin.url", remote.url)
    return Clone(folder, remote)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a repository while it is fetched into."""
    lock = folder.with_suffix(".lock")
    make_private_file(lock)
    with lock.open("r+b") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def remote_of(host: Host, url: str, credentials: Credentials, environment: Mapping[str, str]) -> Remote:
    """Return the remote of a repository; refuse hosts other than the forge."""
    if origin_of(url) not in host.origins:
        raise ForgeError(f"{host.name} names {origin_of(url)}, another host, which is not contacted")
    return Remote(url, credentials, environment, _max_megabytes(environment))


def _max_megabytes(environment: Mapping[str, str]) -> int:
    text = environment.get("AFFIDAVIT_MAX_CLONE_MB", "")
    return int(text) if text.isdigit() and int(text) else MAX_MEGABYTES


def is_commit_id(text: str) -> bool:
    return bool(OBJECT_ID.fullmatch(text))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and the programs that it started: one of these does the fetching."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass(frozen=True)
class _Before:
    """The contents of a repository before a fetch; others may read it meanwhile."""

    clone: Clone
    files: frozenset[Path]
    shallow: bytes | None

    @classmethod
    def of(cls, clone: Clone) -> "_Before":
        shallow = clone.folder / "shallow"
        files = frozenset(files_in(clone.folder / "objects"))
        return cls(clone, files, shallow.read_bytes() if shallow.exists() else None)

    def restore(self, wanted: Iterable[str]) -> None:
        """Delete what the fetch added."""
        for file in files_in(self.clone.folder / "objects"):
            if file not in self.files:
                file.unlink(missing_ok=True)
        shallow = self.clone.folder / "shallow"
        if self.shallow is None:
            shallow.unlink(missing_ok=True)
        else:
            shallow.write_bytes(self.shallow)
        for name in wanted:
            if not self.clone.has(name):
                self.clone.git.attempt("update-ref", "-d", name)


def _fetch_error(remote: Remote, errors: bytes, wanted: Sequence[str]) -> ForgeError:
    said = errors.lower()
    shown = complaint(errors)
    if any(words in said for words in _MISSING_WORDS):
        return MissingCommitError(f"{remote.url} has no {' or '.join(wanted)} (any more)", status=404)
    if any(words in said for words in _REFUSED_WORDS):
        who = "this token may not read it" if remote.credentials.token else "it needs a token to be read"
        return ForgeError(f"{remote.url} cannot be fetched: {who}, or there is none ({shown})", status=403)
    return ForgeError(f"{remote.url} cannot be fetched: {shown}", retryable=True)
