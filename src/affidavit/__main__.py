"""Run the `affidavit` command. `--version` is answered here, before slow imports."""

import gc
import os
import sys
from contextlib import suppress

from affidavit import __version__

LASTING_OBJECTS = 50_000
"""Collect garbage only after this many new objects: most objects last to the end."""


def main() -> None:
    """Run the command line."""
    if set(sys.argv[1:]) == {"--version", "--json"}:
        sys.stdout.write(_versions())
        sys.stdout.flush()
        return
    if sys.argv[1:] in (["--version"], ["-V"]):
        # If this fails, the command line reports it.
        with suppress(OSError, AttributeError):
            sys.stdout.write(f"affidavit {__version__}\n")
            sys.stdout.flush()
            return
    if sys.platform == "win32":
        sys.exit("affidavit: Windows is not supported; use it in the Windows Subsystem for Linux")
    if sys.getfilesystemencoding() != "utf-8":
        _start_again_with_names_in_utf8()
    gc.set_threshold(LASTING_OBJECTS)
    # Pydantic would search all installed packages for plug-ins, and run them.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from affidavit.cli.command_line import run  # noqa: PLC0415 - click and the rest load only when needed

    run()


def _versions() -> str:
    """Return as JSON what a program needs to know before it reads reports."""
    import json  # noqa: PLC0415 - loaded only here

    from affidavit.contract.schema import SCHEMAS  # noqa: PLC0415
    from affidavit.contract.versions import CURRENT_PROMPT_VERSION  # noqa: PLC0415
    from affidavit.records.report import REPORT_VERSION  # noqa: PLC0415

    versions = {
        "affidavit": __version__,
        "report": REPORT_VERSION,
        "review_result": list(SCHEMAS),
        "prompts": CURRENT_PROMPT_VERSION,
    }
    return json.dumps(versions) + "\n"


def _start_again_with_names_in_utf8() -> None:
    """Restart with UTF-8 for names, as git's are mostly UTF-8; output keeps the encoding of the locale."""
    encoding = f"{sys.stdout.encoding}:backslashreplace" if sys.stdout else "utf-8"
    environment = {**os.environ, "PYTHONIOENCODING": os.environ.get("PYTHONIOENCODING", encoding)}
    command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execve(sys.executable, command, environment)  # noqa: S606 - the very program that runs already


if __name__ == "__main__":
    main()
