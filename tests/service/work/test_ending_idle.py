"""How a server with nothing under way ends: nobody waits for anything."""

import time
from pathlib import Path

from service_process import serving


def test_a_server_with_nothing_under_way_ends_sooner_than_it_began(tmp_path: Path) -> None:
    began = time.monotonic()
    with serving(tmp_path) as (_, service):
        starting = time.monotonic() - began
        # A beat and the looks of all queues lie between.
        time.sleep(2)
        began = time.monotonic()
        assert service.end() == 0
        ending = time.monotonic() - began
    # A busy machine makes both slower; what waits would take longer on any.
    assert ending < starting, (ending, starting)
