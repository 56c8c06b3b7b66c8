"""`affidavit eval verifier`: measure how well a verifier judges planted claims."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from affidavit.cli.options import prompt_options, role_options, run_options, server_options, words_option
from affidavit.cli.outputs import EXIT_NOT_DONE, exit_code
from affidavit.cli.saying import say
from affidavit.config.places import cache_folder
from affidavit.errors import InputError, SettingsError
from affidavit.lab.cases.claims import CaseClaims, load_claims
from affidavit.lab.cases.repositories import CaseRepositories
from affidavit.lab.commands.options import (
    measured_prompts,
    program_ground,
    read_share,
    settings_reader,
)
from affidavit.lab.commands.screen import parse_outputs, show_cases, write_trial
from affidavit.lab.evaluation.trial import TrialPlan, VerifierTrial, try_verifier
from affidavit.lab.records import ClaimKind
from affidavit.minds.roles import kept_open, minds_from
from affidavit.records.measure import Rate
from affidavit.render.wording import counted
from affidavit.reviewing.models import JUDGING, chosen_verifiers, opened_ledger, opened_log
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import server_pool
from affidavit.system.temporary import temporary_folder

DEFAULT_CLAIMS = Path("evaluation/claims")


@dataclass(frozen=True)
class TrialLimits:
    """Lower limits of the rates; None: no limit."""

    min_refuted: float | None = None
    min_confirmed: float | None = None

    def misses(self, trial: VerifierTrial) -> list[str]:
        """Return a sentence for each limit that was not reached; an unmeasured rate reaches none."""
        pairs = (
            ("refuted", "wrong", trial.refuted, self.min_refuted),
            ("confirmed", "true", trial.confirmed, self.min_confirmed),
        )
        return [
            f"{_share_words(rate)} of the {kind} claims were {name}, less than --min-{name} {limit:.1%}"
            for name, kind, rate, limit in pairs
            if limit is not None and (rate is None or rate.share < limit)
        ]

    def check(self, sets: list[CaseClaims]) -> None:
        """Raise for a limit on a kind of claim that the set lacks."""
        kinds = {claim.kind for one in sets for claim in one.claims}
        for name, kind, limit in (
            ("refuted", ClaimKind.WRONG, self.min_refuted),
            ("confirmed", ClaimKind.TRUE, self.min_confirmed),
        ):
            if limit is not None and kind not in kinds:
                raise SettingsError(f"--min-{name}: there is no {kind} claim, so there is no rate to measure")


@click.command("verifier")
@click.argument("claims", required=False, type=click.Path(path_type=Path))
@click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]", help="text, json.")
@click.option("--min-refuted", metavar="SHARE", help="Exit with 1 if fewer wrong claims are refuted.")
@click.option("--min-confirmed", metavar="SHARE", help="Exit with 1 if fewer true claims are confirmed.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Cases at the same time."
)
@role_options(JUDGING, "PROVIDER:NAME, unless --verifier-model names another.")
@prompt_options
@server_options
@run_options
@words_option("--analysers-off", "NAMES", "Analysers that the verifier cannot run.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="Settings file in place of each base commit's."
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store, for promoted prompts.")
@click.option("--no-cache", is_flag=True, help="Run every analyser again.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.pass_context
def judge_claims(context: click.Context, /, claims: Path | None, **options: Any) -> None:
    """Let the verifier judge planted CLAIMS whose truth is known, and print how often it is right.

    CLAIMS is a folder of files of claims; default: evaluation/claims. The verifier is that of a review:
    its prompts and its tools. No other role is asked. With --run the programs of claims that have
    one are run first, and the verifier is shown what they did; it may run its own. Exit codes: 0 whatever
    the rates; 1 where a limit is missed; 2 where no claim could be judged; 3 where some could not.

    \b
    affidavit eval verifier --model openai:NAME
    affidavit eval verifier CLAIMS --model openai:NAME --record DIR --min-refuted 90% --min-confirmed 90%
    affidavit eval verifier --model openai:NAME --prompt-version 1.0.0 --format json=old.json
    """
    outputs = parse_outputs(options["formats"])
    limits = TrialLimits(
        read_share(options["min_refuted"], "--min-refuted"),
        read_share(options["min_confirmed"], "--min-confirmed"),
    )
    sets = load_claims(_folder(claims))
    limits.check(sets)
    trial = _tried(sets, options)
    write_trial(trial, outputs)
    context.exit(_say_result(trial, limits.misses(trial)))


def _folder(named: Path | None) -> Path:
    if named is None and not DEFAULT_CLAIMS.is_dir():
        raise InputError(
            f"name the folder of the claims: there is no {DEFAULT_CLAIMS} here, such as the project's own"
            " repository has"
        )
    return named or DEFAULT_CLAIMS


def _tried(sets: list[CaseClaims], options: dict[str, Any]) -> VerifierTrial:
    chosen = ReviewOptions.from_all(options)
    log = opened_log(chosen)
    minds = minds_from(chosen_verifiers(chosen), ledger=opened_ledger(chosen), log=log)
    with (
        temporary_folder("eval-") as scratch,
        show_cases(len(sets), is_quiet=options["quiet"]) as follow,
    ):
        plan = TrialPlan(
            minds=minds,
            prompts=measured_prompts(options),
            repositories=CaseRepositories(scratch),
            settings_for=settings_reader(options),
            cache=None if options["no_cache"] else cache_folder(),
            servers_for=server_pool,
            programs=program_ground(options),
            jobs=options["jobs"],
            is_probed=not log.is_replay,
            follow=follow,
        )
        return asyncio.run(_with_connections(sets, plan))


async def _with_connections(sets: list[CaseClaims], plan: TrialPlan) -> VerifierTrial:
    async with kept_open(plan.minds.values()):
        return await try_verifier(sets, plan)


def _say_result(trial: VerifierTrial, missed: list[str]) -> int:
    failures = [one.failure for one in trial.results if not one.is_judged]
    if failures and len(failures) == trial.claims:
        say(f"no claim could be judged; the first: {failures[0]}")
        return EXIT_NOT_DONE
    for sentence in missed:
        say(sentence)
    if failures:
        say(f"{counted(len(failures), 'claim')} could not be judged; the first: {failures[0]}")
    return exit_code(is_failed=bool(missed), is_incomplete=bool(failures))


def _share_words(rate: Rate | None) -> str:
    return f"{rate.share:.1%}" if rate else "an unknown share"
