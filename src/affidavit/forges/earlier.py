"""The report of the review before: what the run that posted it kept in, the report's own bytes out.

Nothing in it is believed: whoever follows it looks at the change again.
"""

import io
import zipfile
from zlib import error as ZlibError  # noqa: N812 - a class under a function's name

from affidavit.errors import ForgeError

WORKFLOW = ".github/workflows/affidavit.yml"
REPORT_FILE = "report.json"
MAX_REPORT_BYTES = 50_000_000
POSTED = "posted"
"""What a user writes instead of a file: the report that was posted last."""


def artifact_name(number: int) -> str:
    """What the written workflow calls the report of a pull request: later runs ask for it by this name."""
    return f"affidavit-posted-{number}"


def report_in(archive: bytes) -> bytes:
    """The report in a run's archive; raises ForgeError where there is none, or one without end."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as kept, kept.open(REPORT_FILE) as file:
            content = file.read(MAX_REPORT_BYTES + 1)
    except (zipfile.BadZipFile, KeyError, ZlibError, RuntimeError, NotImplementedError, EOFError) as error:
        raise ForgeError(
            f"what the last run kept holds no {REPORT_FILE} that can be read: {error}"
        ) from error
    if len(content) > MAX_REPORT_BYTES:
        raise ForgeError(f"the report that the last run kept is larger than {MAX_REPORT_BYTES:,} bytes")
    return content
