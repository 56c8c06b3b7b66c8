"""Provide metrics of the service for Prometheus, and traces for a collector."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager

from opentelemetry import trace
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

REGISTRY = CollectorRegistry()
_QUEUE = Gauge(
    "affidavit_reviews_open", "Reviews that are not over.", ["tenant", "status"], registry=REGISTRY
)
REVIEWS = Counter("affidavit_reviews", "Reviews that ended here.", ["status", "verdict"], registry=REGISTRY)
REVIEW_SECONDS = Histogram(
    "affidavit_review_seconds",
    "From the first worker to the end.",
    buckets=(1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600),
    registry=REGISTRY,
)
STAGE_SECONDS = Histogram(
    "affidavit_stage_seconds",
    "How long a stage took.",
    ["stage"],
    buckets=(0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600),
    registry=REGISTRY,
)
CALLS = Counter("affidavit_model_calls", "Calls to models.", ["model", "outcome"], registry=REGISTRY)
CALL_SECONDS = Histogram(
    "affidavit_model_call_seconds",
    "How long a call took.",
    ["model"],
    buckets=(0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300),
    registry=REGISTRY,
)
TOKENS = Counter("affidavit_tokens", "Tokens that reviews used.", ["prompt_version"], registry=REGISTRY)
MONEY = Counter("affidavit_usd", "What reviews cost, in US dollars.", ["prompt_version"], registry=REGISTRY)


def render_metrics(counts: Mapping[tuple[str, str], int], tenants: Iterable[str]) -> tuple[bytes, str]:
    """Return the text and its media type; `counts` are the unfinished reviews of these tenants."""
    _QUEUE.clear()
    # A missing metric looks like a missing server, so zeros are written, too.
    none = {(tenant, status): 0 for tenant in tenants for status in ("queued", "running")}
    for (tenant, status), count in {**none, **counts}.items():
        _QUEUE.labels(tenant, status).set(count)
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST


ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_TRACER = trace.get_tracer("affidavit")


def send_traces(environment: Mapping[str, str], version: str) -> None:
    """Send traces to the collector that the usual variables name, if there is one."""
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


def span(name: str, **attributes: str) -> AbstractContextManager[trace.Span]:
    """Trace a part of the work; attributes never hold text of the change."""
    return _TRACER.start_as_current_span(name, attributes=_named(attributes))


def record_span(name: str, began_ns: int, ended_ns: int, **attributes: str) -> None:
    """Trace a part of the work that is over."""
    _TRACER.start_span(name, attributes=_named(attributes), start_time=began_ns).end(ended_ns)


def _named(attributes: Mapping[str, str]) -> dict[str, str]:
    return {f"affidavit.{key}": value for key, value in attributes.items()}
