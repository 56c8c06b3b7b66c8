"""Load and make what every cell needs, in the process that copies itself for each: half of a cell's work."""

from pydantic_ai.messages import ModelMessagesTypeAdapter

import affidavit.language_servers.session
import affidavit.minds.mind
import affidavit.reviewing.panel
import affidavit.tools.toolbox  # noqa: F401 - loaded, so that no cell has to
from affidavit.pipeline import Merged
from affidavit.records.context import ContextMap
from affidavit.records.docket import Docket
from affidavit.records.report import Reply, Report
from affidavit.redaction.text import redact_text
from affidavit.service.cell.distant import adapter_of
from affidavit.stages.looking.plan import Opening

FORMS = (list[Reply], ContextMap, Opening, Docket, Merged, Report)
"""What the steps of a review return."""


def warm() -> None:
    """Make the readers of the results of steps, and the patterns of secrets."""
    for form in FORMS:
        adapter_of(form)
    ModelMessagesTypeAdapter.validate_python([])
    redact_text("nothing that is secret")
