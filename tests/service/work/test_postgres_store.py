"""The service's store on a PostgreSQL server: its address, its errors, its connections."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import ColumnElement, inspect, select

from affidavit.errors import StoreError
from affidavit.service.kept.postgresql import locate, open_store
from affidavit.service.kept.tables import TABLES
from affidavit.store import open as core
from affidavit.store.open import SqliteFile
from affidavit.store.tables import REPORTS, VERSION, is_completed, is_of_tenant
from reports_to_keep import report


def test_a_path_is_a_folder_with_a_file_in_it() -> None:
    assert locate(Path("data")) == locate("data") == SqliteFile(Path("data/affidavit.db"))


@pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "sqlite:///x.db", "://"])
def test_an_address_of_something_else_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreError, match=r"postgresql://USER@HOST/DATABASE") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_a_port_that_is_no_number_is_refused_without_the_password() -> None:
    with pytest.raises(StoreError, match="cannot be read") as caught:
        open_store("postgresql://u:secret@h:port/d")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["postgres://u:secret@127.0.0.1:1/d", "postgresql://u@127.0.0.1:1/d?password=secret"]
)
def test_a_server_that_does_not_answer_is_a_clear_error_without_the_password(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url).reports.count()
    message = str(caught.value)
    assert message.startswith("the store postgresql://u@127.0.0.1:1/d cannot be used: connection failed")
    assert "secret" not in message
    assert "\n" not in message


@pytest.mark.parametrize("option", ["sslmode=bogus", "target_session_attrs=bogus", "nonsense=1"])
def test_an_option_that_the_driver_refuses_is_not_waited_for(option: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="invalid") as refused:
        open_store(f"postgresql://me@127.0.0.1:1/db?{option}").reports.count()
    assert not refused.value.retryable


def test_a_database_that_is_not_there_yet_is_waited_for(postgres_url: str) -> None:
    with pytest.raises(StoreError, match='"nowhere" does not exist') as refused:
        open_store(postgres_url.replace("/postgres?", "/nowhere?")).reports.count()
    assert refused.value.retryable


def test_a_missing_driver_is_named_with_the_command_that_brings_it() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from affidavit.errors import StoreError\nfrom affidavit.service.kept.postgresql import open_store\n"
        "try: open_store('postgresql://u@h/d').reports.count()\nexcept StoreError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"{sys.executable} -m pip install 'psycopg[binary]'" in said.stdout


def test_a_database_that_another_process_keeps_is_said_to_be_held(postgres_url: str) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url, busy_seconds=0.1) as hasty:
        store.reports.save(report())
        with store.database.alone():
            assert hasty.reports.count() == 1
            with pytest.raises(StoreError, match="locked by another process") as caught:
                hasty.rollouts.begin(None)  # type: ignore[arg-type] - it does not come so far
    assert caught.value.retryable


def test_a_connection_that_the_server_closed_is_made_again(postgres_url: str) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url) as other:
        assert other.reports.count() == 0  # who makes the tables has two connections, and could use the other
        with store.database.transaction() as connection:
            process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        with other.database.transaction() as connection:
            assert connection.exec_driver_sql(f"SELECT pg_terminate_backend({process}, 5000)").scalar_one()
        assert store.reports.count() == 0


def test_no_text_on_a_server_is_ordered_by_the_rules_of_a_language(postgres_url: str) -> None:
    texts = (
        "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND data_type = 'text'"
    )
    with open_store(postgres_url) as store, store.database.transaction() as connection:
        assert connection.exec_driver_sql(texts).scalars().all() == ["C"]


def test_threads_may_share_a_store(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        store.reports.count()
        threads = [
            threading.Thread(target=store.reports.save, args=[report(f"r{number}")]) for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.reports.count() == 8


def in_threads(folder: Path | str, count: int = 6) -> list[StoreError]:
    """Save from several threads at once, each with a store of its own."""
    errors: list[StoreError] = []
    start = threading.Barrier(count)

    def save() -> None:
        start.wait()
        try:
            with open_store(folder) as store:
                store.reports.save(report())
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_those_who_open_a_new_database_at_once_all_find_it_whole(postgres_url: str) -> None:
    assert in_threads(postgres_url) == []
    with open_store(postgres_url) as store:
        assert store.reports.count() == 1


def test_a_table_of_somebody_else_is_not_taken_for_ours(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        store.reports.save(report())
        with store.database.transaction() as connection:
            VERSION.drop(connection)
        store.close()
        with pytest.raises(StoreError, match='cannot be used: relation "reports" already exists'):
            store.reports.count()


def test_a_store_of_the_command_line_gets_the_tables_of_the_service(tmp_path: Path) -> None:
    with core.open_store(tmp_path) as store:
        store.reports.save(report())
    with open_store(tmp_path) as store, store.database.transaction() as connection:
        assert set(TABLES.tables) <= set(inspect(connection).get_table_names())
        assert store.reports.count() == 1


@pytest.mark.parametrize("of_some", [is_of_tenant(REPORTS.c.id, "default"), is_completed(REPORTS.c.id)])
def test_one_report_is_looked_up_without_reading_all_reviews(
    postgres_url: str, of_some: ColumnElement[bool]
) -> None:
    wanted = select(REPORTS.c.id).where(of_some, REPORTS.c.id == "one")
    with open_store(postgres_url) as store, store.database.transaction() as connection:
        text = wanted.compile(connection, compile_kwargs={"literal_binds": True})
        plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {text}").scalars())
    assert "Anti Join" in plan
    assert "SubPlan" not in plan
