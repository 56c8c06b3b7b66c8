"""Servers that tests of several modules share: a process takes seconds to start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.service.kept.postgresql import open_store
from affidavit.store.open import Store
from model_server import serving as model_serving
from scripted_model import model
from service_process import SECRETS, Asked, Client, serving
from trace_collector import collecting


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("service")
    options = ("--repository-bytes", "2000000", "--requests-per-minute", "100000")
    with (
        collecting() as collector,
        model_serving(model()) as (address, script),
        serving(
            folder,
            *("--model", "openai:scripted", "--base-url", address, *options),
            environment={
                **SECRETS,
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
                "OTEL_BSP_SCHEDULE_DELAY": "200",
            },
        ) as (client, service),
    ):
        yield Asked(client, script, folder, service, collector)


@pytest.fixture(scope="session")
def client(asked: Asked) -> Client:
    return asked.client


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of the service, once as a file and once on a server."""
    is_file = request.param == "sqlite"
    with open_store(tmp_path / "data" if is_file else request.getfixturevalue("postgres_url")) as opened:
        yield opened
