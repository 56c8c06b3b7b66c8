"""Load the called command, and turn errors into exit codes."""

import errno
import gc
import importlib
import importlib.util
import os
import signal
import sys
import time
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from affidavit import __version__
from affidavit.cli.saying import say
from affidavit.errors import AffidavitError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXIT_NOT_DONE = 2
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals beside SIGINT, which Python handles; SIGHUP comes when the terminal is closed."""
AGAIN_SECONDS = 10.0
"""After this time another request is passed on, in case the first was lost."""
_received: list[int] = []
_passed_on: list[float] = []
WORLD_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE)
"""Errors of the system, not of Affidavit: a full disk, too many open files."""
ROOMS: dict[str, tuple[str, dict[str, str]]] = {
    "Review": (
        "affidavit.cli",
        {
            "review": "Review a change and report what can be proven.",
            "context": "Show the map of a change, to plan how to read it.",
            "instructions": "Show which instructions models get about a path.",
            "refine": "Let a coding agent follow the feedback, and leave its best iteration as a branch.",
            "history": "Show the reviews of a change: scores, what was followed, alerts.",
            "ask": "Ask a model about a finding of a report.",
        },
    ),
    "Prove": (
        "affidavit.cli",
        {
            "recheck": "Recompute a report from the repository and compare it.",
            "suggest": "Try the patch of a finding, and show or apply it.",
            "sign": "Sign a report with an SSH key.",
            "parse": "Parse a model's reply against the contract.",
        },
    ),
    "Judge and measure": (
        "affidavit.cli",
        {
            "ignore": "Dismiss a finding, with the reason.",
            "label": "Label a finding as valid, wrong or a nit.",
            "quality": "Report how often findings were wrong, and how certain that is.",
            "rollout": "Try a prompt version on a share of the changes.",
        },
    ),
    "Connect": (
        "affidavit.cli",
        {
            "init": "Write a CI workflow or a git hook that reviews every change.",
            "post": "Post a report on its pull request, or show what would be posted.",
            "mcp": "Serve a coding agent: read changes, submit findings, get them checked.",
            "doctor": "Check what works here, and say how to install the rest.",
            "completion": "Print the completion script of a shell.",
        },
    ),
    "Experiment": ("affidavit.lab.commands", {"eval": "Measure recall and precision on labelled cases."}),
    "Serve": (
        "affidavit.service.commands",
        {
            "serve": "Serve reviews over REST, a live stream and a page.",
            "worker": "Run the reviews that servers accepted.",
            "token": "Make, list and revoke tokens of the service.",
            "repository": "Tell the service about repositories.",
            "purge": "Delete old reviews and their reports.",
        },
    ),
}
"""Heading in the help to the package of its commands, each in the module of its name."""


def _is_installed(package: str) -> bool:
    """Check whether a package is installed: `affidavit.service` may be left out."""
    return importlib.util.find_spec(".".join(package.split(".")[:2])) is not None


HERE = {heading: room for heading, room in ROOMS.items() if _is_installed(room[0])}
COMMANDS = {name: package for package, own in HERE.values() for name in own}
"""Command to its package, in the order of the help."""


class LazyCommands(click.Group):
    """Import commands when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of the command and take its `command`."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{COMMANDS[cmd_name]}.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, without importing any."""
        widest = max(map(len, COMMANDS))
        for heading, (_, own) in HERE.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), purpose) for name, purpose in own.items()])


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="affidavit %(version)s")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="Show the traceback of an unexpected error, in any command.",
)
def commands() -> None:
    """Code review under oath: says only what it can prove.

    \b
    affidavit review                uncommitted changes
    affidavit review main...topic   a branch
    affidavit review fix.diff       a diff; `-` reads standard input
    """


def run() -> NoReturn:
    """Run the command line; the exit codes are 0 clean, 1 gate, 2 not done, 3 done in part."""
    arguments = [one for one in sys.argv[1:] if one != "--debug"]
    is_debug = len(arguments) < len(sys.argv) - 1 or bool(os.environ.get("AFFIDAVIT_DEBUG"))
    # An interrupted review still deletes its temporary folders.
    listen_for_the_end()
    sys.stdout = _output()
    try:
        code = commands.main(arguments, standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        if is_debug and isinstance(error, Exception) and not isinstance(error, click.exceptions.Exit):
            raise
        code = _report_error(KeyboardInterrupt() if is_asked_to_end() else error)
    listen_no_more()
    # At its end Python would search all that was imported for garbage.
    gc.freeze()
    sys.exit(code if isinstance(code, int) else 0)


class _Output(FileIO):
    """Standard output. After its reader ends, as with `| head -1`, output is discarded."""

    def write(self, b: "ReadableBuffer", /) -> int:
        try:
            return super().write(b)
        except BrokenPipeError:
            _abandon_output()
            return super().write(b)


def _output() -> TextIO:
    if sys.stdout is None:
        # Started with standard output closed.
        return open(os.devnull, "w")  # noqa: PTH123 - it is open as long as the program runs
    now = sys.stdout
    raw = BufferedWriter(_Output(now.fileno(), "w", closefd=False))
    return TextIOWrapper(raw, now.encoding, now.errors, line_buffering=now.isatty())


def _report_error(error: BaseException) -> int:
    """Report the error that ended the command; return the exit code."""
    match error:
        case click.exceptions.Exit():
            return _flushed(error.exit_code)
        case SystemExit():
            # Click ends so after it completed a word.
            return _flushed(error.code if isinstance(error.code, int) else EXIT_NOT_DONE)
        case click.Abort() | KeyboardInterrupt():
            say("stopped")
            return exit_code_of_interrupt()
        case click.ClickException():
            with suppress(OSError):
                error.show()
        case AffidavitError():
            say(str(error))
        case OSError() if error.errno in WORLD_IS_FULL:
            _abandon_output()
            say(f"{error.filename or 'the output'} cannot be written: {error.strerror}")
        case ModuleNotFoundError() if error.name and not error.name.startswith("affidavit"):
            say(_what_completes(error.name))
        case _:
            say(f"unexpected {type(error).__name__}: {error}")
            say("this is a bug in Affidavit; run again with --debug for the details")
    return EXIT_NOT_DONE


def _what_completes(package: str) -> str:
    from affidavit.system.installation import this_installation  # noqa: PLC0415 - only where something is wrong

    return (
        f"the Python package {package} is missing, so this installation is not whole; "
        f"this completes it: {this_installation().command_to_complete()}"
    )


def _flushed(code: int) -> int:
    """Flush the output, which may fail."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _report_error(error)
    return code


def _abandon_output() -> None:
    """Redirect closed output, so that the interpreter's last flush is silent."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def listen_for_the_end() -> None:
    """Handle requests to end; a signal that the user ignores stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "pthread_sigmask"):
        # Shells start background programs with interrupts ignored. They stay ignored, but an
        # event loop only listens where Python has a handler, and that is what the others are passed on to.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on_as_interrupt)


def is_asked_to_end() -> bool:
    """Check whether a request to end has come: failures after it are its result."""
    return bool(_received)


def listen_no_more() -> None:
    """Ignore further requests to end."""
    if _received:
        for number in (signal.SIGINT, *ENDING):
            signal.signal(number, signal.SIG_IGN)


def exit_code_of_interrupt() -> int:
    """Return the shell's code: 128 plus the number of the signal."""
    return 128 + (_received[0] if _received else signal.SIGINT)


def pass_on_as_interrupt(number: int, frame: FrameType | None) -> None:
    """Treat a request to end like Ctrl-C; ignore repeats."""
    _received.append(number)
    now = time.monotonic()
    # An event loop takes the second one as an exception at whatever line happens to run: between the start of
    # a child and the wait for it, the end of that child would go unnoticed.
    if _passed_on and now - _passed_on[-1] < AGAIN_SECONDS:
        return
    _passed_on.append(now)
    # An event loop takes this as a request to end, and lets its tasks clean up.
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)
