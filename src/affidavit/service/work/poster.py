"""The process that posts: read a report from standard input, post it, print the result as JSON.

It ends with its worker: two posters at once could not see each other's comments.
"""

import asyncio
import hashlib
import json
import os
import sys
import threading
from typing import Any

from affidavit.errors import AffidavitError, SettingsError
from affidavit.forges.address import known_hosts, parse_change_url
from affidavit.forges.choice import ask_forge
from affidavit.forges.credentials import find_credentials, has_credentials_for_posting
from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.run import Posted, post_report
from affidavit.records.report import Report


def main() -> None:
    """Post the report of the first input line, and print the result on one line."""
    asked = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_worker, daemon=True).start()
    print(json.dumps(_outcome(asked["url"], asked["report"].encode())), flush=True)  # noqa: T201 - to the worker
    # Do not wait for the thread that reads input.
    os._exit(0)


def _end_with_the_worker() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _outcome(url: str, body: bytes) -> dict[str, Any]:
    try:
        posted = asyncio.run(_post(url, body))
    except AffidavitError as error:
        return {"error": str(error), "retryable": bool(getattr(error, "retryable", False))}
    except Exception as error:  # noqa: BLE001 - the worker logs it
        what = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        return {"error": f"a fault in Affidavit itself while posting on {url}, {what}", "retryable": False}
    return {
        "posted": posted.model_dump(mode="json", include={"notes", "decisions"}),
        "actions": len(posted.actions),
    }


async def _post(url: str, body: bytes) -> Posted:
    address = parse_change_url(url, known_hosts())
    if not has_credentials_for_posting():
        raise SettingsError(
            "the service has no token that may write: the operator sets AFFIDAVIT_POST_TOKEN"
            " or an App's variables"
        )
    options, report = PostOptions(digest=hashlib.sha256(body).hexdigest()), Report.model_validate_json(body)
    credentials = find_credentials(address.host, "post")
    return await ask_forge(
        address, credentials, lambda forge: post_report(forge, report, options, address.url)
    )


if __name__ == "__main__":
    main()
