"""The page of an evaluation in a real browser: quiet, whatever a case or a finding says."""

from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="no browser to drive here: playwright is not installed")

from playwright.sync_api import Browser
from test_evaluation_formats import an_evaluation, reports_of

from affidavit.lab.evaluation.view.page import evaluation_page
from browser import watch
from reports import a_candidate, a_finding, a_report

ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(1)></details><a href='javascript:alert(1)'>x"


def test_a_hostile_case_runs_nothing_and_every_case_opens(browser: Browser, tmp_path: Path) -> None:
    report = a_report(a_candidate(0, finding=a_finding(title=ATTACK, file=ATTACK, message=ATTACK)))
    evaluation = an_evaluation(report, ATTACK)
    place = tmp_path / "evaluation.html"
    place.write_text(evaluation_page(evaluation, reports_of(evaluation, report)))
    page = browser.new_page()
    watched = watch(page, place)
    for case in page.locator("details.case:not([open]) > summary").all():
        case.click()
    assert page.locator("details.case[open]").count() == 3
    assert page.locator("article.card:visible").count() == 2
    watched.assert_quiet()
    page.close()
