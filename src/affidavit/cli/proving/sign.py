"""`affidavit sign`: put a name under a report, with an SSH key."""

from pathlib import Path

import click

from affidavit.cli.options.signing import signing_key
from affidavit.proof.signature import sign_file
from affidavit.render.safe_text import visible
from affidavit.reviewing.named import read_report


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The SSH key, private, or public where an agent holds it; default: git's user.signingKey.",
)
def command(report: Path, key: Path | None) -> None:
    """Sign REPORT (written by `review --format report=FILE`).

    The signature is `ssh-keygen`'s own, over the exact bytes of the file, and lies beside it as REPORT.sig.
    `affidavit recheck` says who signed and whether they are allowed to.
    """
    read_report(report)
    signature = sign_file(report, signing_key(key))
    click.echo(visible(f"signed: {signature}"))
