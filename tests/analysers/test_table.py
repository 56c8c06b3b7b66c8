"""The documentation's table of analysers is the one that the code makes."""

from pathlib import Path

import pytest

from affidavit.analysers.registry import all_analysers
from analyser_table import analyser_table, secret_rules

DOCUMENT = Path(__file__).parents[2] / "docs" / "analysers.md"


def test_the_documents_table_is_up_to_date():
    assert analyser_table() in DOCUMENT.read_text(), "run `python tools/analyser_table.py` and paste it"


def test_the_list_of_rules_for_secrets_is_up_to_date():
    text = DOCUMENT.with_name("secrets.md").read_text()
    assert secret_rules() in text, "run `python tools/analyser_table.py` and paste its second part"


@pytest.mark.parametrize("analyser", all_analysers(), ids=lambda analyser: analyser.name)
def test_every_analyser_says_what_it_is_for(analyser):
    assert all(
        [analyser.subject, analyser.languages, analyser.version_tried, analyser.install_hint, analyser.rules]
    )
    assert f"| {analyser.name} |" in DOCUMENT.read_text().partition("honoured of the base commit")[2]
