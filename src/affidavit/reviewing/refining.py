"""Run the reviews of a loop with a coding agent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from affidavit.errors import EmptyChangeError
from affidavit.events import Emit
from affidavit.git.location import Allowed
from affidavit.iterations.guard import held_back
from affidavit.iterations.loop import Journal
from affidavit.ports import Case
from affidavit.records.iteration import Earlier, IterationSummary
from affidavit.records.report import Report
from affidavit.reviewing.hold import hold_review, settings_for
from affidavit.reviewing.keeping import keep_report, measured_report
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.reviewing.prompts import prompts_for
from affidavit.reviewing.series import Followed, keep_summary
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change

SHARING = Allowed(alternates=True)
"""Our own repository of a loop takes its objects from the user's."""


@dataclass(frozen=True)
class LoopReviews:
    """Reviews of commits in our own repository of a loop."""

    own: Path
    options: ReviewOptions
    config: tuple[str, bytes] | None
    repository: str
    watched: Callable[[], AbstractContextManager[Emit]]
    say: Say

    def hold(self, commit: str, earlier: Earlier | None, journal: Journal) -> Report:
        options = _what_is_left(self.options, journal)
        with self._opened(f"{journal.base}..{commit}") as opened, self.watched() as emit:
            settings = settings_for(opened, options, self.config)
            chosen = prompts_for(opened, options) if models_of(settings, options) else None
            report = hold_review(opened, settings, options, chosen, emit, earlier=earlier)
        if options.no_store:
            return measured_report(report, options.data)
        return keep_report(report, options.data, self.say)

    def keep(self, summary: IterationSummary, journal: Journal) -> None:
        if not self.options.no_store:
            keep_summary(summary, Followed(self.repository, journal.series), self.options.data, self.say)

    def guard(self, journal: Journal, commit: str, first: Report) -> list[str]:
        """Say why only a person may accept the agent's work since the loop began."""
        try:
            with (
                self._opened(f"{journal.base}..{journal.start}") as reviewed,
                self._opened(f"{journal.start}..{commit}") as work,
            ):
                cases = [Case(one.change, one.repository) for one in (reviewed, work)]
                return held_back(cases[0], cases[1], first)
        except EmptyChangeError:
            return []

    def _opened(self, target: str) -> OpenedChange:
        return open_change(ChangeRequest(target=target, repo=self.own, allowed=SHARING))


def _what_is_left(options: ReviewOptions, journal: Journal) -> ReviewOptions:
    """Reduce the budgets of the loop by what is spent."""
    if options.budget_usd is not None:
        options = replace(options, budget_usd=max(float(options.budget_usd) - journal.spent_usd, 0))
    if options.budget_tokens is not None:
        options = replace(options, budget_tokens=max(int(options.budget_tokens) - journal.spent_tokens, 1))
    return options
