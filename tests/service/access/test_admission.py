"""Whoever was let in stays only as long as the token is valid that opened the door."""

import asyncio
import urllib.request
from pathlib import Path

from affidavit.events import now_iso
from affidavit.service.api.access import AGAIN_SECONDS, Admission
from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from service_process import DIFF, Client, make_token, operate, serving


def test_a_token_is_asked_about_again_after_a_while_and_once_for_all_streams(tmp_path: Path) -> None:
    token = make_token(tmp_path, "me", "read")
    now = [0.0]
    with open_store(tmp_path) as store:
        access = Access(store.database)
        admission = Admission(access, lambda: now[0])

        async def holds() -> list[bool]:
            return [await admission.holds(token), await admission.holds(token)]

        assert asyncio.run(holds()) == [True, True]
        access.revoke(access.tokens()[0].id, now_iso())
        assert asyncio.run(holds()) == [True, True]
        now[0] = AGAIN_SECONDS
        assert asyncio.run(holds()) == [False, False]
        assert asyncio.run(admission.holds(""))


def test_a_stream_closes_when_its_token_is_revoked(tmp_path: Path) -> None:
    owner = make_token(tmp_path, "owner", "submit")
    with serving(tmp_path, "--no-work", "--require-token", token=owner) as (client, _):
        reader = Client(client.url, make_token(tmp_path, "reader", "read"))
        review_id = client.submit(diff_text=DIFF)
        asked = urllib.request.Request(f"{client.url}/api/review/{review_id}/stream")
        asked.add_header("Authorization", f"Bearer {reader.token}")
        with urllib.request.urlopen(asked, timeout=60) as stream:
            (line,) = [
                one for one in operate(tmp_path, "token", "list").out.splitlines() if "  reader  " in one
            ]
            assert operate(tmp_path, "token", "revoke", line.split()[0]).code == 0
            assert client.post(f"/api/review/{review_id}/cancel").status == 202
            heard = stream.read().decode()
        assert "pipeline.cancelled" not in heard
        assert "pipeline.cancelled" in "".join(event.name for event in client.stream(review_id))
