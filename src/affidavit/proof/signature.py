"""Sign reports, and check who signed one and whether the signer is trusted.

All cryptography is `ssh-keygen`'s. A signature is detached, over the exact bytes of the file, and in a
namespace of its own, so that a signature made for a commit or a login proves nothing here.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from affidavit.errors import InputError, OutsideError
from affidavit.records.record import Record
from affidavit.system.temporary import temporary_folder

NAMESPACE = "affidavit-report"
SUFFIX = ".sig"
SIGNERS_AT_BASE = ".affidavit/allowed_signers"
"""The file of the base commit that names who may sign, in the format of ssh-keygen and git."""
MAX_SIGNATURE_BYTES = 65_536
TIMEOUT_SECONDS = 60.0
FINGERPRINT = re.compile(r"\b(?:SHA256|MD5):[\w+/=:]+")

SignatureState = Literal["trusted", "unknown_signer", "bad", "missing"]


class SignatureCheck(Record):
    """The result of checking a report's signature."""

    state: SignatureState
    signer: str = ""
    """The principal that the allowed signers name; empty if the key is not among them."""
    key: str = ""
    """The fingerprint of the key that made it."""
    trusted_by: str = ""
    """Which list of allowed signers names the key."""
    detail: str = ""


@dataclass(frozen=True)
class Signers:
    """A list of allowed signers, and where it comes from."""

    origin: str
    content: bytes


def signature_path(report: Path) -> Path:
    """Return the path of a report's signature, beside the report."""
    return report.with_name(report.name + SUFFIX)


def sign_file(report: Path, key: Path) -> Path:
    """Sign the exact bytes of a file; an earlier signature is replaced only by a complete new one."""
    if not key.is_file():
        raise InputError(f"{key}: there is no such key; name one, as for `ssh-keygen -Y sign`")
    with report.open("rb") as content:
        signed = _ssh_keygen(["-Y", "sign", "-n", NAMESPACE, "-f", str(key)], content.read(), may_ask=True)
    if signed.returncode != 0 or not signed.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise InputError(f"{key}: ssh-keygen could not sign with it: {_said(signed)}")
    target = signature_path(report)
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(signed.stdout)
    partial.replace(target)
    return target


def key_name(key: Path) -> str:
    """Return the fingerprint of a key."""
    done = _ssh_keygen(["-l", "-f", str(key)], b"")
    found = FINGERPRINT.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode != 0 or found is None:
        raise OutsideError(f"{key} is not a key that ssh-keygen can read: {_said(done)}")
    return found.group()


def check_signature(content: bytes, signature: bytes | None, signers: Sequence[Signers]) -> SignatureCheck:
    """Check that a signature was made over these bytes, and whose list of allowed signers has its key."""
    if signature is None:
        return SignatureCheck(state="missing", detail="there is no signature beside the report")
    if len(signature) > MAX_SIGNATURE_BYTES:
        return SignatureCheck(state="bad", detail="the signature is too large to be one")
    with temporary_folder("signature-") as place:
        (place / "signature").write_bytes(signature)
        whole = _ssh_keygen(
            ["-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(place / "signature")], content
        )
        if whole.returncode != 0:
            detail = "it was not made over these bytes as a report of Affidavit: " + _said(whole)
            return SignatureCheck(state="bad", detail=detail)
        found = FINGERPRINT.search(whole.stdout.decode("utf-8", "replace"))
        key = found.group() if found else ""
        for one in signers:
            signer = _trusted_signer(content, place, one)
            if signer:
                return SignatureCheck(state="trusted", signer=signer, key=key, trusted_by=one.origin)
    detail = "no list of allowed signers names this key"
    return SignatureCheck(state="unknown_signer", key=key, detail=detail)


def _trusted_signer(content: bytes, place: Path, signers: Signers) -> str:
    """Return the principal for whom a list allows the key here and now; empty if there is none."""
    allowed = place / "allowed"
    allowed.write_bytes(signers.content)
    named = _ssh_keygen(
        ["-Y", "find-principals", "-s", str(place / "signature"), "-f", str(allowed)], content
    )
    for principal in named.stdout.decode("utf-8", "replace").splitlines():
        command = ["-Y", "verify", "-n", NAMESPACE, "-s", str(place / "signature"), "-f", str(allowed)]
        if _ssh_keygen([*command, "-I", principal], content).returncode == 0:
            return principal
    return ""


def _ssh_keygen(
    arguments: Sequence[str], content: bytes, *, may_ask: bool = False
) -> subprocess.CompletedProcess[bytes]:
    # A key may need its passphrase or its agent; checking needs no user.
    environment = dict(os.environ) if may_ask else {"PATH": os.environ.get("PATH", os.defpath)}
    try:
        return subprocess.run(
            ["ssh-keygen", *arguments],  # noqa: S607 - the one on the user's PATH holds the user's keys
            input=content,
            capture_output=True,
            check=False,
            timeout=None if may_ask else TIMEOUT_SECONDS,
            env={**environment, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise OutsideError(
            "ssh-keygen is not installed: signatures are made and checked with it (package openssh-client)"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise OutsideError(f"ssh-keygen timed out after {TIMEOUT_SECONDS:g} seconds") from error


def _said(ended: subprocess.CompletedProcess[bytes]) -> str:
    text = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()
    return " ".join(text.split())[:300] or f"it ended with {ended.returncode}"
