"""Every analyser that is built in."""

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.ruff import RUFF

ANALYSERS: tuple[Analyser, ...] = (RUFF,)
