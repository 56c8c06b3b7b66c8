"""Services that this one needs."""

NEIGHBOURS = {"search": "http://search:8080/ping", "stock": "http://stock:8080/ping"}
TIMEOUT_SECONDS = 2
PAUSE_SECONDS = 1
