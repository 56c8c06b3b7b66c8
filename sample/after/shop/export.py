"""Export invoices as archives."""

import subprocess


def archive(folder: str, name: str, *, compress: bool = True) -> None:
    """Pack a folder; `compress` chooses between a .tar.gz and a .tar."""
    flags, ending = ("czf", "tar.gz") if compress else ("cf", "tar")
    subprocess.run(f"tar {flags} {name}.{ending} {folder}", shell=True, check=True)
