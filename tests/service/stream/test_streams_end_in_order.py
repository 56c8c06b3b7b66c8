"""How a server ends when it is asked to: who listens hears the end, and the log has no fault."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from service_process import DIFF, serving


def test_a_server_that_ends_closes_its_streams_in_order(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-work") as (client, service), ThreadPoolExecutor(1) as pool:
        review_id = client.submit(diff_text=DIFF)
        listening = pool.submit(lambda: list(client.stream(review_id)))
        time.sleep(1)
        assert not listening.done()
        assert service.end() == 0
        # Cut off in the middle it would raise.
        assert listening.result(10) == []
        told = [json.loads(line) for line in service.log.read_text().splitlines()]
    assert told[0]["event"].startswith("Affidavit listens at http://127.0.0.1:")
    assert {one["level"] for one in told} == {"info"}, told
