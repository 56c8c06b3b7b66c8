"""Provide metrics of the service for Prometheus, and traces for a collector."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, get_args

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from affidavit.events import Agent
from affidavit.minds.choice import ModelChoice
from affidavit.ports import Role

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
_PROVIDER_NAMES = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex": "gcp.vertex_ai",
}
"""What OpenTelemetry calls providers that have another name here."""
_MOST_TOOLS = 32
"""Of one reply; no more are called."""
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


@contextmanager
def span(name: str, kind: SpanKind = SpanKind.INTERNAL, **own: str) -> Iterator[Span]:
    """Trace a part of the work; neither attributes nor errors hold text of the change."""
    with _TRACER.start_as_current_span(
        name, kind=kind, attributes=_named(own), record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except BaseException as error:
            # Not its message: providers quote the request in theirs.
            current.set_attribute("error.type", getattr(error, "outcome", type(error).__name__))
            current.set_status(StatusCode.ERROR)
            raise


def stage_span(stage: str) -> Span:
    """Begin the span of a stage; an agent's has the name that OpenTelemetry gives it."""
    if stage not in get_args(Agent):
        return _TRACER.start_span("stage", attributes=_named({"stage": stage}))
    conventional = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": stage}
    return _TRACER.start_span(f"invoke_agent {stage}", attributes=conventional | _named({"stage": stage}))


@contextmanager
def call_span(choice: ModelChoice, role: Role) -> Iterator[Span]:
    """Trace a call to a model in the words of OpenTelemetry's GenAI conventions, and ours beside them."""
    with span(f"chat {choice.name}", SpanKind.CLIENT, model=choice.model, role=role) as current:
        provider = _PROVIDER_NAMES.get(choice.provider, choice.provider)
        current.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider,
                "gen_ai.request.model": choice.name,
                "gen_ai.request.max_tokens": choice.max_tokens,
            }
        )
        yield current


def record_tools(messages: Sequence[Any], offered: Collection[str], role: Role) -> None:
    """Trace the tools that ran since the last reply; the name of no other tool is shown."""
    if len(messages) == 1:
        return
    began = messages[-2].timestamp
    for part in messages[-1].parts[:_MOST_TOOLS]:
        if part.part_kind == "tool-return":
            name = part.tool_name if part.tool_name in offered else "unknown"
            conventional = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
            _TRACER.start_span(
                f"execute_tool {name}",
                attributes=conventional | _named({"role": role}),
                start_time=_nanoseconds(began),
            ).end(_nanoseconds(part.timestamp))
            began = part.timestamp


def _nanoseconds(when: datetime) -> int:
    return int(when.timestamp() * 1e9)


def _named(attributes: Mapping[str, str]) -> dict[str, str]:
    return {f"affidavit.{key}": value for key, value in attributes.items()}
