"""How a server with nothing under way ends: nobody waits for anything."""

import time
from pathlib import Path

from service_process import serving

LONG_SECONDS = 3600
"""What a server that waited would wait for: no slow machine takes that long to end one."""


def test_a_server_with_nothing_under_way_waits_for_nothing_when_it_ends(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-seconds", str(LONG_SECONDS)) as (_, service):
        # A beat and the looks of all queues lie between.
        time.sleep(2)
        assert service.end(seconds=120) == 0
