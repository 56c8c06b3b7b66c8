"""The page with a real server and a scripted model that waits where a test wants to look."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

from affidavit.events import now_iso
from affidavit.service.kept.access import Access, KnownRepository
from affidavit.service.kept.postgresql import open_store
from github_server import GitHubServer
from model_server import Act, Exchange
from model_server import serving as model_serving
from page_visits import built_page
from repositories import Repo
from scripted_model import model
from service_process import Client, serving

STARTS_AT_ONE = """def total(values):
    result = 1
    for value in values:
        result += value
    return result
"""


@dataclass
class Gate:
    """Lets the verifier speak; until then a review stands still where it can be watched."""

    opened: threading.Event = field(default_factory=threading.Event)

    def before(self, act: Act) -> Act:
        def gated(exchange: Exchange) -> None:
            if "verification_judgment" in json.dumps(exchange.body.get("tools", [])):
                self.opened.wait(60)
            act(exchange)

        return gated


@dataclass
class House:
    """One server, one model, one forge for all of these, and the browser of those who look at it now."""

    client: Client
    gate: Gate
    forge: GitHubServer
    visitor: Browser | None = None

    @property
    def browser(self) -> Browser:
        assert self.visitor is not None
        return self.visitor


@contextmanager
def keeping_house(folder: Path) -> Iterator[House]:
    """The house, with everything in it."""
    built_page()
    gate = Gate()
    know_repository(folder / "data", folder / "shop")
    forge = open_forge(folder)
    answers = gate.before(model(answer={"answer": "Yes: total([]) is 1."}))
    hosts = {"AFFIDAVIT_GITHUB_HOSTS": forge.url}
    with (
        model_serving(answers) as (address, _script),
        serving(folder / "data", "--model", "openai:scripted", "--base-url", address, environment=hosts) as (
            client,
            _service,
        ),
    ):
        yield House(client, gate, forge)
        gate.opened.set()
    forge.stop()


def know_repository(data: Path, folder: Path) -> None:
    """A repository with a branch in which a caller is left behind, known to the server."""
    folder.mkdir()
    repo = Repo(folder)
    caller = "from app import total\n\n\ndef bill(values):\n    return total(values)\n"
    repo.commit("Begin", {"app.py": "def total(values):\n    return sum(values)\n", "bill.py": caller})
    repo.git("branch", "before")
    body = "def total(values, tax):\n    result = 1\n    return result + sum(values) + tax\n"
    repo.commit("Add tax", {"app.py": body})
    known = KnownRepository(tenant="default", name="shop", location=str(folder), added_at=now_iso())
    with open_store(data) as store:
        Access(store.database).add_repository(known)


def open_forge(folder: Path) -> GitHubServer:
    """A pull request with two mistakes: one of them is mended later."""
    forge = GitHubServer(folder)
    base = forge.origin.commit("main", {"app.py": "def total(values):\n    return sum(values)\n"}, "Begin")
    head = forge.origin.commit(
        "topic", {"app.py": STARTS_AT_ONE, "tax.py": "RATE = UNKNOWN_RATE\n"}, "Sum by hand"
    )
    forge.open_pull(base, head, title="A total with tax")
    return forge
