"""Make an environment from the base commit: a command in, a folder with what it installed out."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from affidavit.errors import OutsideError
from affidavit.ports import Tree
from affidavit.records.runs.run import ProgramRun, RunLimits
from affidavit.sandbox.inside.certificates import Certificates, certificates
from affidavit.sandbox.inside.copies import write_side
from affidavit.sandbox.inside.provision import Provision
from affidavit.sandbox.job import Ended, Job, Sandbox
from affidavit.sandbox.sides import base_variables
from affidavit.system.temporary import temporary_folder

MAKING = RunLimits(seconds=900, cpu_seconds=1800, memory_mb=4096, disk_mb=2048, output_kb=2048)
PASSED_ON = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "PIP_INDEX_URL",
    "UV_INDEX_URL",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
)
"""Where packages come from; an address with a password in it is not passed on."""
WITH_PASSWORD = re.compile(r"//[^/\s]*@")
LAST_WORDS = 1500


def make_environment(
    sandbox: Sandbox,
    base: Tree,
    command: str,
    folder: Path,
    provision: Provision,
    limits: RunLimits = MAKING,
    environment: Mapping[str, str] = os.environ,
) -> None:
    """Run a command on a copy of base, with the network, that can write nothing but one folder.

    The folder's path is in `$ENVIRONMENT`. Only base is there: what the change brings is never run with a
    network.
    """
    with temporary_folder("making-") as source:
        source.chmod(0o755)
        write_side(base, source)
        trusted = certificates(environment)
        variables = {
            # Go fetches what it lacks, as far as the user's own setting lets it.
            **{name: value for name, value in base_variables(provision).items() if name != "GOPROXY"},
            **registries(environment),
            **trusted.variables,
            "ENVIRONMENT": str(folder),
            "GOMODCACHE": str(folder),
        }
        job = Job(
            ("/bin/sh", "-c", command),
            source,
            mounts=(*provision.mounts, *trusted.mounts),
            variables=variables,
            limits=limits,
            writable=folder,
            has_network=True,
        )
        ended = sandbox.run(job)
    if ended.state != "exited" or ended.exit_code != 0:
        raise OutsideError(_failure(ended, trusted))


def _failure(ended: Ended, trusted: Certificates) -> str:
    """How it ended, what it said last, and which certificates it did not have."""
    how = ProgramRun(side="base", state=ended.state, exit_code=ended.exit_code).summary
    words = ended.output.decode("utf-8", "replace").strip()[-LAST_WORDS:] or ended.detail
    lacking = f" (not handed on: {'; '.join(trusted.refused)})" if trusted.refused else ""
    return f"the command of --environment-from failed, {how}: {words or 'it printed nothing'}{lacking}"


def registries(environment: Mapping[str, str]) -> dict[str, str]:
    """Of the user's variables those that say where packages come from, and hold no password."""
    found = {}
    for name in PASSED_ON:
        for spelled in (name, name.lower()):
            value = environment.get(spelled)
            if value and not WITH_PASSWORD.search(value):
                found[spelled] = value
    return found
