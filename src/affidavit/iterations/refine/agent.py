"""Run a coding agent on its copy: a command and a feedback document in, how it ended out."""

import os
import shlex
import sys
from pathlib import Path
from typing import Literal

from affidavit.errors import SettingsError
from affidavit.records.record import Record
from affidavit.system import supervisor
from affidavit.system.child_process import run_child

PLACEHOLDER = "{feedback}"
VARIABLE = "AFFIDAVIT_FEEDBACK"
MAX_OUTPUT_BYTES = 20_000_000
KEPT_OUTPUT = 4_000
"""Characters of its last words that are kept."""

AgentState = Literal["ended", "failed", "timed_out", "flooded"]


class AgentRun(Record):
    """How an agent ended; what it did is what the copy holds then."""

    state: AgentState
    exit_code: int = 0
    output: str = ""


async def run_agent(command: str, copy: Path, feedback: Path, seconds: float) -> AgentRun:
    """Run the command in the copy; after it, or after its time, all that it started is ended."""
    if not command.strip():
        raise SettingsError("--agent needs a command")
    line = command.replace(PLACEHOLDER, shlex.quote(str(feedback)))
    # The document is its standard input, too; a shell, so that a user can write what they would type.
    script = f'exec < "${VARIABLE}"\n{line}\n'
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {VARIABLE: str(feedback), "PWD": str(copy)}
    try:
        ended = await run_child(
            [sys.executable, "-I", "-S", supervisor.__file__, "/bin/sh", "-c", script],
            folder=copy,
            environment=environment,
            seconds=seconds,
            max_bytes=MAX_OUTPUT_BYTES,
            asked_to_end=True,
        )
    except OSError as error:
        raise SettingsError(f"--agent: the command cannot be started: {error.strerror}") from error
    said = (ended.output + b"\n" + ended.errors).decode("utf-8", "replace").strip()[-KEPT_OUTPUT:]
    state: AgentState = "failed" if ended.exit_code else "ended"
    if ended.state != "exited":
        state = "timed_out" if ended.state == "timed_out" else "flooded"
    return AgentRun(state=state, exit_code=ended.exit_code, output=said)
