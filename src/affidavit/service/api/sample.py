"""The sample change as a repository: from a stream in the package to a place that can be reviewed."""

import shutil
import tempfile
from importlib.resources import files
from pathlib import Path

from affidavit.events import now_iso
from affidavit.forges.clones import locked
from affidavit.git.command import Git
from affidavit.store.service.access import Access, KnownRepository
from affidavit.system.private_files import make_private_folder

NAME = "sample-shop"
BASE, HEAD = "before", "after"
TITLE = "Let customers redeem coupons"
DESCRIPTION = "Customers enter a code at the till; the total is reduced, and the code is used up."


def sample_diff() -> str:
    """The same change as a diff, for whoever has no use for a repository."""
    return _packed("sample.diff")


def make_sample(data: Path, access: Access, tenant: str) -> str:
    """The name under which the tenant can ask for it; made where it is not there."""
    folder = data / "sample" / f"{NAME}.git"
    make_private_folder(folder.parent)
    with locked(folder):
        if not (folder / "HEAD").is_file():
            _import(folder)
    known = KnownRepository(tenant=tenant, name=NAME, location=str(folder.resolve()), added_at=now_iso())
    access.add_repository(known)
    return NAME


def _import(folder: Path) -> None:
    """Whole or not at all: a process that is killed in between leaves nothing that looks like it."""
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unfinished-"))
    try:
        git = Git(unfinished)
        git.run("init", "-q", "--bare", "--template=", f"--initial-branch={HEAD}", ".")
        git.run("fast-import", "--quiet", stdin=_packed("sample.stream").encode())
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _packed(name: str) -> str:
    return files("affidavit.service").joinpath(name).read_text(encoding="utf-8")
