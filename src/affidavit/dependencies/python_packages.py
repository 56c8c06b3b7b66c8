"""Python packages of an environment: a folder of site-packages in, its distributions out."""

import csv
import io
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

from packaging.utils import canonicalize_name

from affidavit.dependencies.package import Package
from affidavit.dependencies.small_file import read_text

MAX_DISTRIBUTIONS = 2_000
SITES = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "Lib/site-packages")


def site_folders(environment: Path) -> list[Path]:
    """Where an environment keeps its packages; it may be such a folder itself."""
    found = [place for pattern in SITES for place in sorted(environment.glob(pattern)) if place.is_dir()]
    own = [environment] if any(environment.glob("*.dist-info")) else []
    return list({place.resolve(): place for place in [*own, *found]}.values())


def python_packages(site: Path) -> Iterator[Package]:
    """Every distribution, with the files that its record names."""
    for described in sorted(site.glob("*.dist-info"))[:MAX_DISTRIBUTIONS]:
        headers = HeaderParser().parsestr(read_text(described / "METADATA"))
        name, version = headers.get("Name", ""), headers.get("Version", "")
        files = tuple(_recorded(read_text(described / "RECORD")))
        if name and version and files:
            yield Package("python", canonicalize_name(name), version, site, files)


def _recorded(text: str) -> Iterator[str]:
    """The files of a record that lie in its own folder."""
    for row in csv.reader(io.StringIO(text)):
        path = row[0] if row else ""
        parts = path.split("/")
        if path and not path.startswith("/") and ".." not in parts and "\\" not in path:
            yield path
