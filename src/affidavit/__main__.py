"""The `affidavit` command. `--version` is answered here, before anything heavy is imported."""

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from affidavit import __version__  # noqa: PLC0415 - keeps the fast path free of imports

        sys.stdout.write(f"affidavit {__version__}\n")
        return
    from affidavit.cli.command_line import run  # noqa: PLC0415 - click and the rest load only when needed

    run()


if __name__ == "__main__":
    main()
