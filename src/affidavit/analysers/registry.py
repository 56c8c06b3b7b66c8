"""List the built-in analysers, the slowest first so that the others run beside it."""

from collections.abc import Mapping

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.go_vet import GO_VET
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.rule import Rule
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.silence import Silence
from affidavit.analysers.tsc import TSC
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR
from affidavit.ports import Repository
from affidavit.records.change import Change

ANALYSERS: tuple[Analyser, ...] = (
    TY,
    GO_VET,
    TSC,
    KINGFISHER,
    RUFF,
    OXLINT,
    SHELLCHECK,
    HADOLINT,
    ZIZMOR,
    YAMLLINT,
)
RULES: Mapping[str, Rule] = {rule.id: rule for analyser in ANALYSERS for rule in analyser.rules.values()}


def silence_about(change: Change, repository: Repository, rules: Mapping[str, Rule] = RULES) -> Silence:
    """Collect the suppressions of all analysers for a change."""
    return Silence(change, repository, rules, [analyser.ignored_at for analyser in ANALYSERS])
