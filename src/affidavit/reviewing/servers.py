"""The language servers of a command that may ask some: settings in, a pool of them out."""

from pathlib import Path

from affidavit.assembly import named_compiler
from affidavit.config.settings import Settings
from affidavit.language_servers.pool import ServerPool
from affidavit.language_servers.session import SERVERS, TSC, find_servers


def server_pool(settings: Settings, reviewed_folder: Path | None) -> ServerPool | None:
    """The servers to ask; None unless the user wants them."""
    compiler = named_compiler(settings, reviewed_folder)
    if not settings.language_servers:
        return None
    named = {TSC.name: compiler} if compiler else {}
    return ServerPool(find_servers(reviewed_folder=reviewed_folder, programs=named), wanted=SERVERS)
