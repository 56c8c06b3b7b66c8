"""Every analyser that is built in."""

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.ty import TY

ANALYSERS: tuple[Analyser, ...] = (RUFF, TY)
