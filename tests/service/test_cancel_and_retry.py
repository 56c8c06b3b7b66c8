"""A review that is cancelled ends at once, and goes on from where it was when it is retried."""

from pathlib import Path

from model_server import serving as model_serving
from pausing_model import PausingModel
from service_process import other_diff, serving


def asked_for(script: list[dict[str, object]], schema: str) -> int:
    return sum(schema in str(request.get("tools")) for request in script)


def test_a_cancelled_review_ends_and_a_retried_one_does_not_plan_again(tmp_path: Path) -> None:
    pausing = PausingModel()
    with (
        model_serving(pausing) as (address, script),
        serving(tmp_path, "--model", "openai:scripted", "--base-url", address) as (client, service),
    ):
        pausing.pause_at("reviewer")
        review_id = client.submit(diff_text=other_diff("cancel.txt"))
        assert pausing.reached.wait(100)
        assert client.post(f"/api/review/{review_id}/cancel").json["status"] == "cancelled"
        assert client.post(f"/api/review/{review_id}/cancel").status == 409
        last = list(client.stream(review_id))[-1]
        assert (last.name, last.data["by"]) == ("pipeline.cancelled", "local")
        assert client.get(f"/api/review/{review_id}").status == 202
        planned = asked_for(script.requests, "review_plan")
        pausing.go_on()
        assert client.post(f"/api/review/{review_id}/retry").status == 202
        assert client.finished(review_id)["status"] == "completed"
        assert asked_for(script.requests, "review_plan") == planned
        names = [event.name for event in client.stream(review_id)]
        assert names[-1] == "pipeline.completed"
        assert client.ask("DELETE", f"/api/review/{review_id}").status == 204
        assert client.get(f"/api/review/{review_id}").status == 404
        assert service.end() == 0
