"""Put the models of a review together with what they read: the map, the tools, the fence."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.context.gather import gather_context
from affidavit.errors import InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.git.repository import GitRepository
from affidavit.minds.fence import EXPLANATION, fence, tag_of
from affidavit.ports import Brief, Mind, Role, ToolSource
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.change import Change
from affidavit.records.context import ContextMap
from affidavit.specialists.panel import Panel
from affidavit.surveying import Confirming, assemble_survey, made_precise
from affidavit.tools.checks import Checks, JoinedTools
from affidavit.tools.toolbox import Toolbox


@dataclass(frozen=True)
class TaggedFence:
    """The fence of one review; its tag comes from the change, so that recorded runs stay valid."""

    tag: str
    rule: str = EXPLANATION

    def wrap(self, label: str, text: str) -> str:
        """The text inside marks that it cannot close."""
        return fence(label, text, self.tag)


def assemble_panel(
    minds: Mapping[Role, Mind],
    cache_dir: Path | None,
    prompts: PromptSet | None = None,
    *,
    analysers_off: Collection[str] = (),
    servers: Confirming | None = None,
) -> Panel:
    """The panel that reads through this installation's map and tools.

    Servers make what the tools find surer. The map does without: everybody would wait for it.
    """
    survey = assemble_survey(BlobCache(cache_dir) if cache_dir else None)
    surer = made_precise(survey, servers) if servers is not None else survey

    def read_context(brief: Brief) -> ContextMap:
        return gather_context(brief.change, _git(brief), survey)

    def make_tools(brief: Brief) -> ToolSource:
        return Toolbox(brief.repository, brief.change, surer)

    def make_verifier_tools(brief: Brief) -> ToolSource:
        checks = Checks(brief.repository, brief.change, cache_dir, analysers_off=analysers_off)
        return JoinedTools(make_tools(brief), checks)

    def make_fence(change: Change) -> TaggedFence:
        return TaggedFence(tag_of(change.base.tree, change.head.tree))

    return Panel(
        minds, read_context, make_tools, make_fence, prompts or current_prompts(), make_verifier_tools
    )


def _git(brief: Brief) -> GitRepository:
    if not isinstance(brief.repository, GitRepository):
        raise InputError("the map of a change needs a git repository")
    return brief.repository
