"""Traces across stages and calls of models, for whoever names a collector."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_TRACER = trace.get_tracer("affidavit")


def send_traces(environment: Mapping[str, str], version: str) -> None:
    """Send traces to the collector that the usual variables name; without one, none are made."""
    if not any(environment.get(name) for name in ENDPOINTS):
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - few want it
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource.create({"service.name": "affidavit", "service.version": version})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def span(name: str, **attributes: str) -> Iterator[None]:
    """A part of the work, with what it is about; never a text of the change."""
    named = {f"affidavit.{key}": value for key, value in attributes.items()}
    with _TRACER.start_as_current_span(name, attributes=named):
        yield


def record_span(name: str, began_ns: int, ended_ns: int, **attributes: str) -> None:
    """Tell of a part of the work that is over."""
    named = {f"affidavit.{key}": value for key, value in attributes.items()}
    _TRACER.start_span(name, attributes=named, start_time=began_ns).end(ended_ns)
