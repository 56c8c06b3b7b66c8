"""A store with the events of a day: the first page of the list comes as fast as from one that is new."""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from affidavit.service.kept.progress import NewEvent, Progress
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.store.open import Store, open_store
from bench.row import Row, best
from bench.service.load import database
from bench.service.sizes import Sizes

sys.path[:0] = [str(Path(__file__).parents[2] / "tests" / "support")]
from service_process import serving  # noqa: E402 - as the tests start it

PAGE = 20
ROUNDS = 30
BOUND = 2.0
DATA = {"agent": "reviewer", "tool": "get_file_context", "file_path": "src/app.py", "timestamp": "x" * 24}


def list_rows(size: Sizes, kind: str) -> list[Row]:
    """The first page of a full store against that of one with a page of reviews."""
    with ExitStack() as stack:
        url = stack.enter_context(database(kind))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        where = ["--database", url] if url else []
        pace = ["--requests-per-minute", "1000000"]
        client, _ = stack.enter_context(serving(folder, "--no-work", *where, *pace, is_started=True))
        store = stack.enter_context(open_store(url or folder))

        def first_page() -> None:
            if len(client.get(f"/api/review?limit={PAGE}").json["reviews"]) != PAGE:
                raise SystemExit("the first page is not full")

        _fill(store, 0, PAGE, 1)
        new = best(first_page, ROUNDS)
        _fill(store, PAGE, size.day_reviews, size.day_events)
        full = best(first_page, ROUNDS)
    many = f"{size.day_reviews} reviews of {size.day_events} events"
    return [Row(f"first page of {many}", full, f"of {PAGE} reviews, {kind}", new, BOUND)]


def _fill(store: Store, first: int, last: int, events: int) -> None:
    reviews, progress = Reviews(store.database), Progress(store.database)
    for number in range(first, last):
        at = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        request = WantedReview(source="diff", diff_text="diff --git a/a b/a\n" * 50)
        name = f"review-{number}"
        reviews.add(Wanted(name, "default", at, "bench", name, request), again=False)
        story = [NewEvent("tool.called", DATA, f"{number}-{one}") for one in range(events)]
        progress.add_events(name, story, None)
        reviews.finish(name, "completed", at)
