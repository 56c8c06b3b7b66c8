"""The commands, each loaded when it is called, and the outermost edge, where errors become exit codes."""

import importlib
import os
import signal
import sys
from typing import NoReturn

import click

from affidavit import __version__
from affidavit.errors import AffidavitError

EXIT_NOT_DONE = 2
COMMANDS = {
    "review": "Review a change and report what can be proven.",
    "context": "Show the map of a change, to plan the reading of it.",
    "ask": "Ask a model about a finding of a report.",
    "recheck": "Prove every finding of a report again.",
    "eval": "Measure recall and precision on labelled cases.",
    "parse": "Read a reply with the contract alone.",
    "doctor": "Say what is usable here and what to install for the rest.",
    "ignore": "Dismiss a finding, with the reason.",
    "label": "Say of a finding that it is valid, wrong or a nit.",
    "quality": "Say how often findings were wrong, and how sure that is.",
    "rollout": "Try a prompt version on a slice of the changes; promote it or roll it back.",
}


class LazyCommands(click.Group):
    """Commands are imported when they are called: `affidavit parse` does not pay for `affidavit review`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import `affidavit.cli.NAME` and take its `command`."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"affidavit.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="affidavit %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
def commands(debug: bool) -> None:
    """Code review under oath: says only what it can prove.

    \b
    affidavit review                what is not committed yet
    affidavit review main...topic   a branch
    affidavit review fix.diff       a diff; `-` reads standard input
    """


def run() -> NoReturn:
    """Run the command line; the exit codes are 0 clean, 1 gate, 2 not done, 3 done in part."""
    is_debug = "--debug" in sys.argv or bool(os.environ.get("AFFIDAVIT_DEBUG"))
    # A review that is told to end still deletes its temporary folders.
    signal.signal(signal.SIGTERM, pass_on_as_interrupt)
    try:
        code = commands.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        error.show()
        code = EXIT_NOT_DONE
    except (click.Abort, KeyboardInterrupt):
        click.echo("affidavit: stopped", err=True)
        code = 130
    except (BrokenPipeError, SystemExit):
        # The reader of our output has gone; point it elsewhere so that the interpreter's last flush is quiet.
        # Rich ends the program with 1 then, which here would be a gate that was not passed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_NOT_DONE
    except AffidavitError as error:
        if is_debug:
            raise
        _complain(str(error))
        code = EXIT_NOT_DONE
    except Exception as error:
        if is_debug:
            raise
        _complain(explain_unexpected(error))
        code = EXIT_NOT_DONE
    sys.exit(code if isinstance(code, int) else 0)


def explain_unexpected(error: Exception) -> str:
    """What to say of an error that nobody raised on purpose: a package that is gone, else our own fault."""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "affidavit").startswith("affidavit"):
        from affidavit.system.installation import this_installation  # noqa: PLC0415 - only where something is wrong

        return (
            f"the Python package {error.name} is missing, so this installation is not whole; "
            f"this completes it: {this_installation().command_to_complete()}"
        )
    return (
        f"unexpected {type(error).__name__}: {error}\n"
        "This is a fault of Affidavit. Run again with --debug for the details."
    )


def _complain(message: str) -> None:
    from affidavit.render.safe_text import visible  # noqa: PLC0415 - only where something is wrong

    # A message may name a file, and a hostile change chooses its names.
    click.echo(f"affidavit: {visible(message, keep=chr(10))}", err=True)


def pass_on_as_interrupt(_number: int, _frame: object) -> None:
    """Treat a request to end like the one from the keyboard."""
    # An event loop takes this signal as a wish to end, and lets what is under way clean up behind itself;
    # an exception raised here would strike whatever line happens to run.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.raise_signal(signal.SIGINT)
        return
    # Shells start what runs in the background so that interrupts are lost on it; this request must not be.
    raise KeyboardInterrupt
