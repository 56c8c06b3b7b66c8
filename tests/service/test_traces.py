"""Traces across stages and calls of models, as a collector gets them."""

import subprocess
import sys

from service_process import Asked, other_diff
from trace_collector import attributes


def test_a_review_is_one_trace_with_its_stages_and_calls_and_no_text_of_the_change(asked: Asked) -> None:
    review_id = asked.client.submit(diff_text=other_diff("traced.txt"))
    assert asked.client.finished(review_id)["status"] == "completed"
    spans = asked.collector.trace_of(review_id)
    stages = {attributes(one).get("affidavit.stage") for one in spans}
    assert {"open", "planner", "reviewer", "verifier", "reporter"} <= stages
    assert {one.name for one in spans} >= {"invoke_agent planner", "invoke_agent verifier", "chat scripted"}
    calls = [attributes(one) for one in spans if one.name == "chat scripted"]
    assert {one["affidavit.role"] for one in calls} >= {"planner", "specialist", "verifier", "reporter"}
    assert {one["affidavit.model"] for one in calls} == {"scripted"}
    assert {(one["gen_ai.operation.name"], one["gen_ai.provider.name"]) for one in calls} == {
        ("chat", "compatible")
    }
    assert {one["gen_ai.request.model"] for one in calls} == {"scripted"}
    assert {(one["gen_ai.usage.input_tokens"], one["gen_ai.usage.output_tokens"]) for one in calls} == {
        ("100", "10")
    }
    agents = {one.span_id: one.name for one in spans if one.name.startswith("invoke_agent")}
    ran = [one for one in spans if attributes(one).get("gen_ai.tool.name") == "get_file_context"]
    assert {agents[one.parent_span_id] for one in ran} == {"invoke_agent reviewer", "invoke_agent verifier"}
    assert all(0 <= one.end_time_unix_nano - one.start_time_unix_nano < 60e9 for one in ran)
    assert b"result += value" not in asked.collector.bytes
    assert b"secret-word" not in asked.collector.bytes


FAILED_CALL = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolReturnPart
from affidavit.minds.choice import choose_model
from affidavit.minds.wire.connection import CallEnded
from affidavit.service import metrics

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
invented = ToolReturnPart(tool_name="code of the change", content="its text", tool_call_id="1")
metrics.record_tools([ModelResponse(parts=[]), ModelRequest(parts=[invented])], ["read"], "verifier")
try:
    with metrics.call_span(choose_model("azure:ours", "verifier"), "verifier"):
        raise CallEnded("failed", "HTTP status 400: code of the change")
except CallEnded:
    print(*(span.to_json() for span in exporter.get_finished_spans()))
"""


def test_neither_an_error_nor_an_invented_tool_puts_text_into_a_span() -> None:
    done = subprocess.run([sys.executable, "-c", FAILED_CALL], capture_output=True, text=True, check=True)
    assert "code of the change" not in done.stdout
    for shown in (
        "execute_tool unknown",
        "chat ours",
        '"azure.ai.openai"',
        '"error.type": "failed"',
        '"ERROR"',
    ):
        assert shown in done.stdout
