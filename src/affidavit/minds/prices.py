"""Convert tokens to money by a maintained table of prices or the user's; None if the price is unknown."""

import math
import re
from functools import lru_cache

from affidavit.minds.choice import ModelChoice

_PRICE_TABLE_NAMES = {"bedrock": "aws", "vertex": "google"}
OF_NO_TABLE = ("agent", "compatible", "ollama")
_BYTES_PER_TOKEN = 3
"""Tokenisers average more on code and prose, so an estimate is rarely too low."""
_USUAL_BYTES_PER_TOKEN = 4
_SPACES = re.compile(r"\s+")


def estimate_tokens(*texts: str) -> int:
    """Estimate the tokens of a request, rather too many than too few."""
    return sum(math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) for text in texts)


def usual_tokens(*texts: str) -> int:
    """Estimate the tokens of texts, rather too few than too many; indentation is nearly free."""
    return sum(len(_SPACES.sub(" ", text).encode("utf-8", "replace")) for text in texts) // (
        _USUAL_BYTES_PER_TOKEN
    )


def cost_usd(
    choice: ModelChoice,
    input_tokens: int,
    output_tokens: int,
    cached_tokens: int = 0,
    cache_write_tokens: int = 0,
) -> float | None:
    """Return the price of tokens; cached ones are part of the input."""
    known = None
    # The same name behind another address may have any price.
    if choice.provider not in OF_NO_TABLE:
        known = _table_price(
            choice.provider, choice.name, input_tokens, output_tokens, cached_tokens, cache_write_tokens
        )
    if known is None and choice.price is not None:
        return choice.price.cost_usd(input_tokens, output_tokens, cached_tokens)
    return 0.0 if choice.provider == "ollama" else known


def cached_cost_usd(choice: ModelChoice, input_tokens: int, cached_tokens: int) -> float | None:
    """Return the price of the cached tokens of a request of this size."""
    # Some providers charge more per token for a long request.
    of_all = cost_usd(choice, input_tokens, 0, input_tokens)
    return of_all and of_all * cached_tokens / input_tokens


def has_price(choice: ModelChoice) -> bool:
    """Check whether the price of a model is known."""
    return cost_usd(choice, 1, 1) is not None


@lru_cache(maxsize=4096)
def _table_price(
    provider: str, name: str, input_tokens: int, output_tokens: int, cached: int, written: int
) -> float | None:
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - the table is large

    usage = Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_read_tokens=min(cached, input_tokens) or None,
        cache_write_tokens=min(written, input_tokens - min(cached, input_tokens)) or None,
    )
    try:
        price = calc_price(usage, name, provider_id=_PRICE_TABLE_NAMES.get(provider, provider))
    except (LookupError, ValueError):
        return None
    return float(price.total_price)
