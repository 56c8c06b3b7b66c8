"""What a server shows where no route is: the page, or that there is nothing."""

from importlib.resources import files

from service_process import Client


def test_what_is_not_there_is_not_found_unless_the_page_knows_it(client: Client) -> None:
    is_built = (files("affidavit") / "web" / "index.html").is_file()
    assert client.get("/").status == 200
    assert client.get("/nope").status == (200 if is_built else 404)
    assert client.get("/api/nope").status == 404
