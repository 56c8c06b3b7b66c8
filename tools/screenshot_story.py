"""What the model of the screenshots says of the sample change, and the reviews that are pictured."""

import json
import shutil
import subprocess
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import review as sample
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.quality.labels import add_label
from affidavit.records.measure import Label
from affidavit.records.report import Report
from affidavit.service.kept.access import Access, KnownRepository
from affidavit.service.kept.postgresql import open_store
from model_server import Exchange, calls, says
from panelists import task_in, told_in
from scripted_model import JOINING, each_alone
from service_process import Client

GOAL = {
    "goal": "Customers can redeem a coupon when they pay",
    "approach": "`discounted` takes a coupon and subtracts what it is worth",
    "impact": "Every caller of `discounted` has to pass a coupon",
    "questions": {"logic": [], "security": [], "quality": []},
}
WORDS = {
    "summary": "Customers can redeem coupons, but paying as a loyal customer now fails,"
    " and a coupon can be worth more than the basket.",
    "positive_notes": [],
    "recommendations": ["Decide in one place what a basket may cost at least."],
}


def claim(number: int, severity: str, title: str, line: int, quote: str, **fields: Any) -> dict[str, Any]:
    """A finding of the sample as a specialist hands it in."""
    evidence = {
        "code_examined": quote,
        "line_range_examined": [max(1, line - 3), line + 3],
        "verification_method": "followed a price from the basket to the receipt",
        "checked_for_handling_elsewhere": True,
        "where_checked": "shop/checkout.py and shop/orders.py",
        "failing_input": fields.pop("input", "discounted(Decimal(10), 0, '25-OFF')"),
        "wrong_outcome": fields.pop("outcome", "Decimal('-15.00')"),
    }
    return {
        "id": str(number),
        "severity": severity,
        "category": "correctness",
        "file": "shop/prices.py",
        "line": line,
        "title": title,
        "verification": evidence,
        **fields,
    }


FINDINGS = {
    "logic": [
        claim(
            1,
            "critical",
            "A coupon of 100 makes the price of a small basket negative",
            11,
            "    return (reduced - coupon_value(coupon)).quantize(CENT)",
            message="The value of the coupon is subtracted whatever the basket costs. `with_tax` then adds"
            " tax to a negative amount, and the customer is paid for shopping.",
            suggestion="Return at least `Decimal(0)`: `max(Decimal(0), reduced - coupon_value(coupon))`.",
        ),
        claim(
            2,
            "medium",
            "The discount is rounded only after the coupon was taken off",
            10,
            "    reduced = price - price * percent / 100",
            message="The receipt shows the reduced price, which is no whole number of cents.",
            input="discounted(Decimal('9.99'), 5, '')",
            outcome="9.4905 on the receipt",
        ),
    ],
    "quality": [
        claim(
            1,
            "low",
            "`coupon_value` looks the coupon up for every line of the order",
            16,
            "    return COUPON_VALUES.get(coupon, Decimal(0))",
            category="performance",
            message="An order of a thousand lines looks up the same coupon a thousand times.",
        )
    ],
}
LABELLED_VALID = ("A coupon of 100", "The call leaves out", "a shell command")
JUDGEMENTS = {
    "A coupon of 100": (
        "CONFIRMED",
        "act",
        "At head `prices.py:11` subtracts without a bound; at base there was no coupon.",
    ),
    "The discount is rounded": (
        "REFUTED",
        "nit",
        "`orders.py:19` rounds the sum; nothing else reads the reduced price.",
    ),
    "looks the coupon up": ("CONFIRMED", "nit", "True, and a dictionary takes nanoseconds."),
}


class Story:
    """A model for the pictures; `gate` holds the second review back where it can be watched."""

    def __init__(self, gate: threading.Event) -> None:
        self.gate = gate

    def act(self, exchange: Exchange) -> None:
        """Answer as the role asks."""
        body = exchange.body
        said = json.dumps(body)
        names = {tool["function"]["name"] for tool in body.get("tools", ())}
        has_read = any(message["role"] == "tool" for message in body["messages"])
        if "review_plan" in names:
            calls(("review_plan", json.dumps(GOAL)))(exchange)
        elif names and not has_read:
            reading = {"file_path": "shop/prices.py", "start_line": 1, "end_line": 20}
            calls(("get_file_context", json.dumps(reading)))(exchange)
        elif "review_result" in names:
            findings = FINDINGS.get(task_in(told_in(body)).split()[0], [])
            result = {"schema_version": "1.3", "prompt_version": CURRENT_PROMPT_VERSION, "findings": findings}
            calls(("review_result", json.dumps(result)))(exchange)
        elif "verification_judgment" in names:
            self._judge(exchange, said)
        else:
            says(json.dumps(each_alone(exchange) if JOINING in said else WORDS))(exchange)

    def _judge(self, exchange: Exchange, said: str) -> None:
        title = next((start for start in JUDGEMENTS if start in said), "")
        answer, worth, reason = JUDGEMENTS.get(title, ("CONFIRMED", "act", "It is as the finding says."))
        if "at the till" in said and title == "A coupon of 100":
            self.gate.wait(600)
        judgement = {"judgment": answer, "qualified": False, "worth": worth, "reason": reason}
        calls(("verification_judgment", json.dumps(judgement)))(exchange)

    def prepare(self, client: Client, repository: Path) -> tuple[str, str, str]:
        """Some reviews: one to read, the next of it, one that stands still, and a history beside them."""
        change = {"repository": "shop", "base": "HEAD~1"}
        reviewed = client.submit(**change, head="HEAD", title=sample.TITLE, series="coupons")
        client.finished(reviewed)
        small = git(repository, "diff", "HEAD~1", "HEAD", "--", "shop/orders.py")
        for title in ("Round once, at the end", "Say on the receipt what a coupon is worth"):
            client.finished(client.submit(diff_text=small, title=title))
        candidates = client.get(f"/api/review/{reviewed}/report").json["candidates"]
        for one in candidates:
            is_valid = any(part in one["finding"]["title"] for part in LABELLED_VALID)
            if is_valid and one["withheld"] is None:
                client.ask("PUT", f"/api/review/{reviewed}/findings/{one['id']}/label", {"label": "valid"})
        keep_history(client.get(f"/api/review/{reviewed}/report").text, repository.parent / "data")
        mend(repository)
        mended = client.submit(**change, head="mended", title=sample.TITLE, series="coupons")
        client.finished(mended)
        return reviewed, mended, client.submit(**change, head="HEAD", title="Redeem coupons at the till")


def mend(repository: Path) -> None:
    """The next push: one finding is dealt with, and another one comes."""
    git(repository, "branch", "mended")
    with tempfile.TemporaryDirectory() as folder:
        sample.git(repository, "worktree", "add", "--quiet", folder, "mended")
        shutil.copy(sample.HERE / "before" / "shop" / "export.py", Path(folder) / "shop" / "export.py")
        receipts = '"""Receipts."""\n\n\ndef receipt(due):\n    return f"{SHOP}: {due}"\n'
        (Path(folder) / "shop" / "receipts.py").write_text(receipts)
        sample.git(Path(folder), "add", "--all")
        sample.git(Path(folder), "commit", "--quiet", "--message", "Pack without a shell")
        sample.git(repository, "worktree", "remove", "--force", folder)


def keep_history(body: str, data: Path) -> None:
    """Reviews of the last weeks, so that there is something to draw: copies with other days and findings."""
    report = Report.model_validate_json(body)
    with open_store(data) as store:
        for day in range(1, 41):
            shown = [one for one in report.candidates if one.is_shown][: 2 + day % 3]
            hidden = list(report.withheld)[: 1 + day * 7 % 4]
            candidates = [
                one.model_copy(update={"fingerprint": f"{one.fingerprint}{day}"}) for one in (*shown, *hidden)
            ]
            copy = report.model_copy(
                update={
                    "id": f"earlier-{day}",
                    "created_at": (datetime.now(UTC) - timedelta(days=41 - day)).isoformat(),
                    "prompt_version": "0.9.0" if day < 24 else report.prompt_version,
                    "duration_ms": 18_000 + day * 7_919 % 17 * 1_000,
                    "candidates": tuple(candidates),
                    "usage": tuple(
                        one.model_copy(update={"cost_usd": (one.cost_usd or 0) * (0.6 + day * 31 % 17 / 20)})
                        for one in report.usage
                    ),
                }
            )
            store.reports.save(copy)
            for number, one in enumerate(candidates[: len(shown)]):
                is_wrong = (day + number) % (9 if day < 24 else 23) == 0
                add_label(store, copy, one, Label.WRONG if is_wrong else Label.VALID)


def register(repository: Path, data: Path) -> None:
    """Build the sample and tell the service of it before it starts."""
    sample.build(repository)
    data.mkdir()
    with open_store(data) as store:
        known = KnownRepository(
            tenant="default", name="shop", location=str(repository), added_at="2026-01-01T00:00:00Z"
        )
        Access(store.database).add_repository(known)


def git(repository: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout
