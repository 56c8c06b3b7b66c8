"""Load and make what every cell needs, in the process that copies itself for each: half of a cell's work."""

from pydantic_ai.messages import ModelMessagesTypeAdapter

import affidavit.language_servers.session
import affidavit.minds.mind
import affidavit.reviewing.panel
import affidavit.tools.toolbox  # noqa: F401 - loaded, so that no cell has to
from affidavit.redaction.text import redact_text


def warm() -> None:
    """Make the readers of messages, and the patterns of secrets."""
    ModelMessagesTypeAdapter.validate_python([])
    redact_text("nothing that is secret")
