"""Requests begin as earlier ones do, so a provider's cache can repeat them; the report counts that apart."""

from bench.costs import Careful, shop
from bench.models import scripted_review
from bench.slow_model import serving

from affidavit.render.wording import spent_sentence

HIT_RATE = 0.4
"""A specialist sends two requests, so at most about half of its tokens are repeated."""


def test_a_server_that_counts_common_prefixes_is_sent_the_first_request_again() -> None:
    with shop(1) as repository, serving(Careful, 0) as url:
        report = scripted_review(repository, repository.parent / "cache", url)
    (specialist,) = [one for one in report.usage if one.role == "specialist"]
    assert specialist.requests == 2
    assert HIT_RATE <= specialist.cached_tokens / specialist.input_tokens <= 0.5
    read, repeated = (
        sum(getattr(one, name) for one in report.usage) for name in ("input_tokens", "cached_tokens")
    )
    said = spent_sentence(report)
    assert f" {read - repeated:,} new tokens in" in said
    assert f" {repeated:,} repeated" in said
