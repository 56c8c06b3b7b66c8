"""`affidavit post`: post a report as comments on its pull request."""

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from affidavit.cli.options import data_option, format_option, sign_option, signing_key
from affidavit.cli.outputs import print_text
from affidavit.cli.saying import note, say
from affidavit.config.places import state_folder
from affidavit.errors import InputError, SettingsError, StoreError
from affidavit.forges.address import PullRequestAddress, parse_change_url
from affidavit.forges.answers import Decision
from affidavit.forges.choice import ask_forge
from affidavit.forges.credentials import Credentials, find_credentials
from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.run import Posted, plan_posting, post_report, read_recheck
from affidavit.proof.signature import key_name, sign_file
from affidavit.records.report import Report, why_not_derived
from affidavit.render.safe_text import json_without_commands, visible
from affidavit.render.wording import counted
from affidavit.reviewing.keeping import keep_decisions
from affidavit.reviewing.named import read_report, report_file
from affidavit.store.open import open_store

RECHECK_FILE = "recheck.json"


@click.command()
@click.argument("report")
@click.option("--url", metavar="URL", help="The pull request, if the report does not name it.")
@click.option("--yes", is_flag=True, help="Post. Without this, only show what would be posted.")
@click.option("--may-approve", is_flag=True, help="Approve if the verdict is approve.")
@click.option("--may-block", is_flag=True, help="Request changes if the verdict says so.")
@click.option("--nits", is_flag=True, help="List nits in the summary, too.")
@click.option("--gate/--no-gate", default=True, help="Set a check or a commit status; on by default.")
@click.option(
    "--rechecked",
    metavar="FILE",
    help="Post only what this recheck confirms (`affidavit recheck --format json` of the same report); on "
    "GitLab also job:NAME, what a job of this pipeline kept as recheck.json.",
)
@sign_option("the report with this SSH key before it is posted")
@data_option
@format_option
def command(report: str, **options: Any) -> None:
    """Post REPORT (a file of `review --format report=FILE`, an id, or `last`) on its pull or merge request.

    A dry run unless --yes is given: one needs no token on a public repository, else one that reads, and
    says what it could not look up. The token that writes is read from AFFIDAVIT_POST_TOKEN,
    from an App's variables, or from the forge's usual ones.
    Posting again changes what is there instead of repeating it.
    """
    with report_file(report, options["data"]) as file:
        _post(file, options)


def _post(report: Path, options: dict[str, Any]) -> None:
    recorded = read_report(report)
    if why := why_not_derived(recorded.affidavit_version, recorded.report_version):
        raise InputError(why)
    address = _address(recorded, options["url"])
    credentials = find_credentials(address.host, "post")
    if options["yes"] and not credentials.token and credentials.app is None:
        raise SettingsError(
            f"posting on {address.host.name} needs a token that may write: set AFFIDAVIT_POST_TOKEN"
        )
    confirmed = _confirmed(address, credentials, options["rechecked"])
    chosen = _chosen(report, confirmed, options).model_copy(update={"run": _job(address, os.environ)})
    post = post_report if options["yes"] else plan_posting
    posted = asyncio.run(
        ask_forge(address, credentials, lambda forge: post(forge, recorded, chosen, address.url))
    )
    if options["yes"]:
        _keep_labels(recorded, posted.decisions, address, options["data"])
    for said in posted.notes:
        note(said)
    content = json.dumps(posted.model_dump(mode="json"), indent=2)
    print_text(json_without_commands(content) + "\n" if options["output"] == "json" else _as_text(posted))


def _address(recorded: Report, url: str | None) -> PullRequestAddress:
    named = url or recorded.change.request
    if not named:
        raise InputError("the report names no pull request; pass its address with --url")
    return parse_change_url(named)


def _job(address: PullRequestAddress, environment: Mapping[str, str]) -> str:
    """Return the id of this project's own GitLab job: the next review finds the report by it."""
    is_here = environment.get("CI_PROJECT_PATH") == address.repository
    return environment.get("CI_JOB_ID", "") if address.host.kind == "gitlab" and is_here else ""


def _confirmed(address: PullRequestAddress, credentials: Credentials, named: str | None) -> bytes | None:
    """Read the result of a recheck from its file or from the job that kept it."""
    if named is None:
        return None
    kind, _, job = named.partition(":")
    if kind == "job":
        return asyncio.run(
            ask_forge(address, credentials, lambda forge: forge.kept_by_job(job, RECHECK_FILE, os.environ))
        )
    try:
        return Path(named).read_bytes()
    except OSError as error:
        raise InputError(f"--rechecked: {named} cannot be read: {error.strerror}") from error


def _chosen(report: Path, confirmed: bytes | None, options: dict[str, Any]) -> PostOptions:
    content = report.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    unproven = read_recheck(confirmed, digest) if confirmed is not None else ()
    signer = ""
    if options["sign"]:
        key = signing_key(options["sign"])
        signer = key_name(key)
        if options["yes"]:
            sign_file(report, key)
    return PostOptions(
        may_approve=options["may_approve"],
        may_block=options["may_block"],
        nits=options["nits"],
        sets_gate=options["gate"],
        digest=digest,
        is_rechecked=confirmed is not None,
        unproven=unproven,
        signer=signer,
    )


def _as_text(posted: Posted) -> str:
    verb = "posted on" if posted.state == "posted" else "would be posted (--yes does it) on"
    lines = [f"{counted(len(posted.actions), 'action')} {verb} {posted.url}"]
    for action in posted.actions:
        given = action.model_dump()
        place = given.get("comment", {}).get("place") or ""
        comments = given.get("comments") or ()
        how_many = f": {counted(len(comments), 'comment')}" if comments else ""
        lines.append(f"  {action.kind}{how_many}{place}")
        lines += [f"    {one['path']}:{one['line']}" for one in comments]
        text = given.get("body") or given.get("title") or ""
        if text and posted.state == "planned":
            lines += [f"    | {visible(line)}" for line in text.split("\n")]
    return "\n".join(lines) + "\n"


def _keep_labels(
    recorded: Report, decisions: Sequence[Decision], address: PullRequestAddress, folder: Path | None
) -> None:
    """Keep people's decisions as labels if there is a store."""
    store = open_store(folder or state_folder(os.environ))
    with suppress(StoreError):
        if store.exists():
            for said in keep_decisions(store, recorded, decisions, address.host.name):
                say(said)
