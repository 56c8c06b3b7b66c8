"""`affidavit sign`: sign a report with an SSH key."""

from pathlib import Path

import click

from affidavit.cli.options import signing_key
from affidavit.errors import InputError
from affidavit.proof.signature import sign_file
from affidavit.render.safe_text import visible
from affidavit.reviewing.named import is_file, read_report, report_file


@click.command()
@click.argument("report")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The SSH key, private, or public where an agent holds it; default: git's user.signingKey.",
)
def command(report: str, key: Path | None) -> None:
    """Sign REPORT (a file of `review --format report=FILE`, an id, or `last`).

    A kept report is first written into this folder, as ID.json.
    The signature is `ssh-keygen`'s own, over the exact bytes of the file, and lies beside it as REPORT.sig.
    `affidavit recheck` says who signed and whether they are allowed to.
    """
    chosen = signing_key(key)
    with report_file(report) as found:
        read_report(found)
        file = found if is_file(report) else _written_here(found)
    click.echo(visible(f"signed: {sign_file(file, chosen)}"))


def _written_here(kept: Path) -> Path:
    file = Path(kept.name)
    try:
        with file.open("xb") as opened:
            opened.write(kept.read_bytes())
    except FileExistsError as error:
        if file.is_symlink() or file.read_bytes() != kept.read_bytes():
            raise InputError(f"{file} has other contents than the kept report: move it away") from error
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
    click.echo(f"written: {file}")
    return file
