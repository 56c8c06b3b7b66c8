"""What a service was told, as its operator hears of it again."""

from pathlib import Path

import pytest

from affidavit.service.settings import ServiceSettings

HERE = {"AFFIDAVIT_DATA": "/var/lib/affidavit"}
ADDRESS = "postgresql://me:hidden@db:5433/reviews?sslmode=require&sslpassword=hidden&host=/run/a%20b"


@pytest.mark.parametrize(
    ("data", "database", "environment", "advice"),
    [
        ("/var/lib/affidavit", None, HERE, "`affidavit token list`"),
        ("/srv/my data", None, HERE, "`affidavit token list --data '/srv/my data'`"),
        (
            "/srv",
            ADDRESS,
            {**HERE, "AFFIDAVIT_DATABASE": "postgresql://other/one"},
            "`affidavit token list"
            " --database 'postgresql://me@db:5433/reviews?sslmode=require&host=/run/a%20b'`",
        ),
        (
            "/srv",
            ADDRESS,
            {**HERE, "AFFIDAVIT_DATABASE": ADDRESS},
            "`affidavit token list`, with this server's AFFIDAVIT_DATABASE",
        ),
    ],
)
def test_a_command_that_is_advised_finds_the_store_of_the_service(
    data: str, database: str | None, environment: dict[str, str], advice: str
) -> None:
    settings = ServiceSettings(data=Path(data), database=database, environment=environment)
    assert settings.on_this_store("affidavit token list") == advice
