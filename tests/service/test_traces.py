"""Traces across stages and calls of models, as a collector gets them."""

from service_process import Asked, other_diff
from trace_collector import attributes


def test_a_review_is_one_trace_with_its_stages_and_calls_and_no_text_of_the_change(asked: Asked) -> None:
    review_id = asked.client.submit(diff_text=other_diff("traced.txt"))
    assert asked.client.finished(review_id)["status"] == "completed"
    spans = asked.collector.trace_of(review_id)
    stages = {attributes(one).get("affidavit.stage") for one in spans if one.name == "stage"}
    assert {"open", "planner", "reviewer", "verifier", "reporter"} <= stages
    calls = [attributes(one) for one in spans if one.name == "model call"]
    assert {one["affidavit.role"] for one in calls} >= {"planner", "specialist", "verifier", "reporter"}
    assert {one["affidavit.model"] for one in calls} == {"scripted"}
    assert b"result += value" not in asked.collector.bytes
    assert b"secret-word" not in asked.collector.bytes
