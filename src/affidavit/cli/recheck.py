"""`affidavit recheck`: prove a native report again, offline, with no model."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from affidavit.cli.change import allowed_of
from affidavit.cli.options import environment_options, format_option, repository_options
from affidavit.cli.outputs import exit_code
from affidavit.cli.saying import note
from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.proof.signature import SignatureCheck, check_signature, signature_path
from affidavit.rechecking.check import Rechecked
from affidavit.rechecking.findings import Proof
from affidavit.rechecking.programs import AGAIN
from affidavit.rechecking.signers import allowed_signers
from affidavit.records.record import first_mistake
from affidavit.records.report import Report, why_not_derived
from affidavit.render.safe_text import json_without_commands, visible
from affidavit.reviewing.door import recheck_opened
from affidavit.reviewing.named import read_report, report_file
from affidavit.reviewing.options import ReviewOptions
from affidavit.stages.intake import rebuild_change

MARKS = {True: "holds", False: "FAILS", None: "cannot be checked here"}
OTHERWISE = "differs here"


@click.command()
@click.argument("report")
@repository_options
@click.option(
    "--require-signature", is_flag=True, help="Fail unless somebody who is allowed to has signed REPORT."
)
@click.option(
    "--trust-base",
    metavar="REV",
    help="Count the allowed signers of the report's base only where REV contains it (default: origin/HEAD).",
)
@click.option("--run", is_flag=True, help="Run every program and try every patch again, in a sandbox.")
@environment_options
@click.option(
    "--fetch",
    is_flag=True,
    help="Fetch the commits of the pull request that REPORT names; nothing else is asked.",
)
@format_option
@click.pass_context
def command(
    context: click.Context,
    /,
    report: str,
    repo: Path | None,
    require_signature: bool,
    trust_base: str | None,
    run: bool,
    fetch: bool,
    output: str,
    **options: Any,
) -> None:
    """Prove REPORT (a file of `review --format report=FILE`, an id, or `last`) again.

    The report is derived again from its inputs and compared whole: the change is read from the commits, the
    settings from the base commit, analysers look once more on both sides, without a cache, and every quote,
    search, verdict and count is computed again. What rests on somebody's word is listed.
    Exit code 0: everything that can be proven holds. 1: something does not. 3: a part could not be proven
    here. 2: nothing could, or another release of Affidavit made it.
    """
    with report_file(report, repo=repo, allowed=allowed_of(options)) as file:
        recorded = read_report(file)
        if why := why_not_derived(recorded.affidavit_version, recorded.report_version):
            # Before anything is fetched or opened for it.
            raise InputError(f"{file}: {why}")
        _settings_of(recorded, file)
        if fetch:
            repo = _fetched(recorded, repo)
        with rebuild_change(recorded.change, repo, allowed_of(options)) as opened:
            for notice in opened.notices:
                note(notice)
            chosen = ReviewOptions.from_all(options)
            done = asyncio.run(recheck_opened(recorded, opened, chosen, runs_programs=run))
            signed = _signature_of(file, opened.repository, trust_base)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    proofs = [*done.proofs, *_signature_proofs(signed, is_required=require_signature)]
    if output == "json":
        click.echo(_as_json(done, proofs, signed, digest))
    else:
        click.echo(_as_text(done, proofs, signed))
    context.exit(_result_of(proofs))


def _fetched(recorded: Report, repo: Path | None) -> Path:
    from affidavit.forges.credentials import find_credentials  # noqa: PLC0415 - few ask a forge
    from affidavit.forges.opening import FetchContext, address_of, fetch_recorded  # noqa: PLC0415

    if repo is not None:
        raise InputError("--fetch brings its own repository: leave out --repo")
    return fetch_recorded(recorded.change, FetchContext(find_credentials(address_of(recorded.change).host)))


def _settings_of(recorded: Report, path: Path) -> Settings:
    try:
        return Settings.model_validate(recorded.settings)
    except ValidationError as error:
        raise InputError(f"{path}: settings: {first_mistake(error)}") from error


def _signature_of(report: Path, repository: GitRepository, trust_base: str | None) -> SignatureCheck:
    trust = allowed_signers(repository, trust_base)
    beside = signature_path(report)
    signature = beside.read_bytes() if beside.is_file() else None
    if signature is None:
        return check_signature(b"", None, ())
    checked = check_signature(report.read_bytes(), signature, trust.lists)
    if checked.state == "unknown_signer" and trust.refused:
        return checked.model_copy(update={"detail": f"{checked.detail}; {trust.refused}"})
    return checked


def _signature_proofs(signed: SignatureCheck, *, is_required: bool) -> list[Proof]:
    """Require a good signature if there is one; a missing or unknown one fails if required."""
    holds = signed.state == "trusted"
    if not is_required and signed.state in ("missing", "unknown_signer"):
        return []
    detail = _signed_by(signed)
    return [Proof(finding="", title="signature", kind="signature", holds=holds, detail=detail)]


def _signed_by(signed: SignatureCheck) -> str:
    if signed.state == "trusted":
        return (
            f"signed by {signed.signer} with {signed.key}, allowed by {signed.trusted_by}; "
            "not one byte was changed since"
        )
    if signed.state == "unknown_signer":
        return f"signed with {signed.key}, not changed since; {signed.detail}"
    return signed.detail


def _result_of(proofs: Sequence[Proof]) -> int:
    held = [proof.holds for proof in proofs]
    return exit_code(is_failed=False in held, is_incomplete=None in held)


def _mark(proof: Proof) -> str:
    """Return the mark of a proof; a program that ran again with another result neither holds nor fails."""
    is_otherwise = proof.holds is None and AGAIN in proof.detail
    return OTHERWISE if is_otherwise else MARKS[proof.holds]


def _as_json(done: Rechecked, proofs: Sequence[Proof], signed: SignatureCheck, digest: str) -> str:
    content = {
        # Whoever posts compares the digest, so that no other report goes out under this recheck.
        "report_sha256": digest,
        "exit_code": _result_of(proofs),
        "proofs": [proof.model_dump() for proof in proofs],
        "on_its_word": list(done.words),
        "signature": signed.model_dump(),
    }
    return json_without_commands(json.dumps(content, indent=2))


def _as_text(done: Rechecked, proofs: Sequence[Proof], signed: SignatureCheck) -> str:
    lines = []
    for finding in dict.fromkeys(proof.finding for proof in proofs):
        mine = [proof for proof in proofs if proof.finding == finding]
        lines.append(visible(f"finding {finding}  {mine[0].title}" if finding else "the report as a whole"))
        lines += [visible(f"  {_mark(proof)}: {proof.kind}: {proof.detail}") for proof in mine]
    if done.words:
        lines.append("not verified independently")
        lines += [visible(f"  {word}") for word in done.words]
    if signed.state == "missing":
        lines.append("not signed")
    elif signed.state == "unknown_signer":
        lines.append(visible(_signed_by(signed)))
    holding = sum(proof.holds is True for proof in proofs)
    lines.append(f"{holding} of {len(proofs)} proofs hold")
    return "\n".join(lines)
