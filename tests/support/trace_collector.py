"""A collector of traces on loopback: spans come in over OTLP, and tests look at them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """What was collected so far."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.spans: list[Any] = []
        self.bytes = b""

    def trace_of(self, review_id: str, seconds: float = 30.0) -> list[Any]:
        """All spans of the trace in which a review was done, once its last one has come."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for one in self.spans:
                if one.name == "review" and attributes(one).get("affidavit.review") == review_id:
                    return [other for other in self.spans if other.trace_id == one.trace_id]
            time.sleep(0.1)
        raise AssertionError(f"no span of {review_id} among {len(self.spans)}")


def attributes(span: Any) -> dict[str, str]:
    return {one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    class Answering(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent = ExportTraceServiceRequest.FromString(body)
            collector.bytes += body
            collector.spans += [
                span
                for resource in sent.resource_spans
                for scope in resource.scope_spans
                for span in scope.spans
            ]
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    http = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    http.daemon_threads = True
    collector = Collector(f"http://127.0.0.1:{http.server_address[1]}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
