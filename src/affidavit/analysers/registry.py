"""Every analyser that is built in, the slowest first so that the others run beside it."""

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.bandit import BANDIT
from affidavit.analysers.go_vet import GO_VET
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.kingfisher import KINGFISHER
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.tsc import TSC
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR

ANALYSERS: tuple[Analyser, ...] = (
    TY,
    GO_VET,
    TSC,
    KINGFISHER,
    BANDIT,
    RUFF,
    OXLINT,
    SHELLCHECK,
    HADOLINT,
    ZIZMOR,
    YAMLLINT,
)
