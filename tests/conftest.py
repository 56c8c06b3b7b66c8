"""Fixtures that every part's tests may use."""

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

import page as page_tool
from affidavit.store.open import Store, open_store
from browser import browser
from commands import SHARED_CACHE
from import_graphs import graph
from long_tests import examples
from postgres_server import NoServerError, Server
from repositories import Repo
from trees import open_pair, open_tree

__all__ = ["browser", "graph", "open_pair", "open_tree"]

OF_WINGS = {"service": ("service", "web", "test_bench_smoke.py"), "lab": ("lab", "test_bench_smoke.py")}
collect_ignore = [
    place for wing, places in OF_WINGS.items() if find_spec(f"affidavit.{wing}") is None for place in places
]
"""The tests of a wing that was deleted."""

# Shared machines are slow at times, which is no failure. A build tries the same examples each time, so it
# fails only for what was changed; whoever runs the tests by hand searches anew.
settings.register_profile(
    "project", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=examples(100)
)
settings.load_profile("project")

# Collection makes a million objects and no garbage: looking for some takes a fifth of its time.
gc.disable()

# Made by whoever starts the workers, and theirs, too.
IS_CACHE_MADE_HERE = SHARED_CACHE not in os.environ
os.environ.setdefault(SHARED_CACHE, tempfile.mkdtemp(prefix="affidavit-tests-"))
os.environ["AFFIDAVIT_CACHE"] = os.environ[SHARED_CACHE]

TESTS = Path(__file__).parent
OF_PROCESSES = {"cli", "golden", "language_servers", "mcp", "sandbox", "service", "web"}
WAITING = {"service", "web"}
"""Folders whose tests wait for servers and browsers half of their time."""
LONGEST = {
    "test_behaviour_compared.py",
    "test_bench_smoke.py",
    "test_running.py",
    "test_starter_set.py",
    "test_useless_patch.py",
    "test_wings.py",
}
"""Files that take longest: at the end, one worker would run them while the others have nothing to do."""
BROKEN = TESTS.parent / ".pytest_cache" / "runner-broke.txt"


def pytest_sessionstart(session: pytest.Session) -> None:
    """What broke an earlier run says nothing about this one."""
    # What runs in the background is started with these ignored, and every program would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if not hasattr(session.config, "workerinput"):
        BROKEN.unlink(missing_ok=True)
        _build_page()


def _build_page() -> None:
    """HTML is made of the built page: make it where there is none; tests that need it say so otherwise."""
    is_built = (page_tool.BUILT / page_tool.FILE).is_file()
    if not is_built and not os.environ.get("AFFIDAVIT_WITHOUT_PAGE"):
        with suppress(SystemExit):
            page_tool.build()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest and what waits; a build repeats a failed test of living processes once."""
    # One worker waits, then, while the others compute, and the last tests of all are short ones.
    items.sort(key=_order)
    # They wait for servers, browsers and signals, on machines that others use, too.
    if os.environ.get("CI"):
        for item in items:
            if not OF_PROCESSES.isdisjoint(item.path.relative_to(TESTS).parts):
                item.add_marker(pytest.mark.flaky(reruns=1))


def _order(item: pytest.Item) -> tuple[bool, bool]:
    parts = item.path.relative_to(TESTS).parts
    return LONGEST.isdisjoint(parts), WAITING.isdisjoint(parts)


def pytest_collection_finish() -> None:
    """Look for garbage again, but not among what was collected: it is there to the end."""
    gc.freeze()
    gc.enable()


def pytest_internalerror(excrepr: object) -> None:
    """Keep what broke the runner first: `tools/run-tests` shows it after the last line."""
    BROKEN.parent.mkdir(exist_ok=True)
    with suppress(FileExistsError), BROKEN.open("x") as file:
        file.write(f"{excrepr}\n")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A lost worker takes its tests with it; the runner alone would call what is left a success."""
    if IS_CACHE_MADE_HERE:
        shutil.rmtree(os.environ[SHARED_CACHE], ignore_errors=True)
    if BROKEN.exists() and not hasattr(session.config, "workerinput") and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A PostgreSQL server, the same for all workers of this run."""
    own = tmp_path_factory.getbasetemp()
    try:
        server = Server(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    except NoServerError as error:
        pytest.skip(f"no PostgreSQL: {error}")
    yield server
    server.release()


@pytest.fixture
def postgres_url(postgres: Server) -> str:
    """The address of an empty PostgreSQL store."""
    pytest.importorskip("psycopg")
    return postgres.new_store()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store, once as a file and once on a server."""
    if request.param == "sqlite":
        opened = open_store(tmp_path / "data")
    else:
        # The service brings the databases on servers.
        served = pytest.importorskip("affidavit.service.kept.postgresql")
        opened = served.open_store(request.getfixturevalue("postgres_url"))
    with opened:
        yield opened
