"""By which methods a path is asked: who probes is answered, who is refused hears of every other one."""

import pytest

from affidavit.service.app import api_document
from service_process import Client

PROBES = ("/api/health", "/api/ready")
METHODS = {
    path: {method.upper() for method in methods} | ({"HEAD"} if path in PROBES else set())
    for path, methods in api_document()["paths"].items()
}


@pytest.mark.parametrize("path", PROBES)
def test_who_probes_with_head_hears_what_get_says_without_its_body(client: Client, path: str) -> None:
    told, probed = client.get(path), client.ask("HEAD", path)
    assert (probed.status, probed.text) == (told.status, "") == (200, "")
    assert probed.headers["Content-Length"] == told.headers["Content-Length"]
