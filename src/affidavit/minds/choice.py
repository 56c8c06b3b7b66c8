"""Read the user's choice of a model for a role, with its limits and address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args
from urllib.parse import urlsplit

from affidavit.errors import SettingsError
from affidavit.ports import SPECIALISTS, Role
from affidavit.records.record import Record
from affidavit.records.settings_entries import Price, Reasoning

Provider = Literal[
    "anthropic",
    "openai",
    "azure",
    "mistral",
    "google",
    "vertex",
    "bedrock",
    "openrouter",
    "ollama",
    "agent",
    "compatible",
]
PROVIDERS: tuple[str, ...] = get_args(Provider)
AGENT_NAME = re.compile(r"(?:claude|codex)(?:/\w[\w.:-]*)?", re.ASCII)
"""A coding agent whose command line is the model, and which of its models."""
_LINE = re.compile(r"(?:[a-z]+\.)*([a-z]+)")
OPENAI_LINES = dict.fromkeys(("chatgpt", "codex", "o"), "gpt")
TEMPERATURES: Mapping[Role, float | None] = {
    "planner": None,
    **dict.fromkeys(SPECIALISTS),
    "joiner": None,
    "verifier": 1.0,
    "second_verifier": 1.0,
    "reporter": None,
}
"""None: the provider's own default."""
MAX_TOKENS: Mapping[Role, int] = {
    "planner": 8192,
    **dict.fromkeys(SPECIALISTS, 16_384),
    "joiner": 8192,
    "verifier": 8192,
    "second_verifier": 8192,
    "reporter": 8192,
}
"""Room enough for models that think before they answer."""
Number = TypeVar("Number", int, float, float | None)
SILENCE_SECONDS = 120.0
OWN_NAMES = ("azure", "ollama", "compatible")
"""Providers whose users name the models, so that a name does not say what a model can do."""
COMPATIBLE_KEY = "AFFIDAVIT_API_KEY"
CALL_SECONDS = 900.0

UNREACHABLE = "cannot connect to"
"""The beginning of the reason if no connection to a model could be made."""


@dataclass(frozen=True)
class CallLimits:
    """Limits on the number, duration and concurrency of requests to a model."""

    attempts: int = 4
    first_delay_seconds: float = 1.0
    max_delay_seconds: float = 60.0
    """A call whose provider asks for a longer wait is not retried."""
    max_reply_chars: int = 2_000_000
    max_reply_parts: int = 1_000
    """Texts, thoughts and calls of tools."""
    at_once: int = 8
    """Requests to one provider at the same time."""


class ModelChoice(Record):
    """The model of a role and how it is asked."""

    provider: Provider
    name: str
    base_url: str | None = None
    key_variable: str = COMPATIBLE_KEY
    """Which variable of the environment may hold the key of `base_url`; each address has its own."""
    temperature: float | None = None
    reasoning: Reasoning | None = None
    """How much the model reasons before it answers; None: the provider's own default."""
    max_tokens: int
    silence_seconds: float = SILENCE_SECONDS
    """How long a call may go without any part of a reply."""
    call_seconds: float = CALL_SECONDS
    """How long a call may take in all."""
    price: Price | None = None
    """The user's prices, for models that the table of prices lacks."""

    @property
    def model(self) -> str:
        """Return the model's name for reports and logs."""
        return self.name if self.provider == "compatible" else f"{self.provider}:{self.name}"


def choose_model(  # noqa: PLR0913 - each setting of a role is an argument
    text: str,
    role: Role,
    *,
    base_url: str | None = None,
    key_variable: str = COMPATIBLE_KEY,
    temperature: float | None = None,
    reasoning: Reasoning | None = None,
    max_tokens: int | None = None,
    silence_seconds: float | None = None,
    prices: Mapping[str, Price] | None = None,
) -> ModelChoice:
    """Return the model that the text names; omitted values have the role's defaults."""
    provider, name = _read_name(text.strip(), base_url)
    if provider == "agent":
        _check_agent(name, base_url, reasoning)
    chosen = TEMPERATURES[role] if temperature is None else temperature
    limit = SILENCE_SECONDS if silence_seconds is None else silence_seconds
    choice = ModelChoice(
        provider=provider,
        name=name,
        base_url=_checked_url(base_url),
        key_variable=key_variable,
        temperature=None if provider == "agent" else _between("temperature", chosen, 0, 2),
        reasoning=reasoning,
        max_tokens=_between(
            "max_tokens", MAX_TOKENS[role] if max_tokens is None else max_tokens, 1, 10_000_000
        ),
        silence_seconds=_between("the time limit in seconds", limit, 0.001, 86_400),
        call_seconds=max(CALL_SECONDS, limit),
    )
    stated = prices or {}
    # A price is found by the name as the user writes it here, and by the name that reports have.
    return choice.model_copy(update={"price": stated.get(text.strip()) or stated.get(choice.model)})


def _check_agent(name: str, base_url: str | None, reasoning: Reasoning | None) -> None:
    if not AGENT_NAME.fullmatch(name):
        raise SettingsError(f"agent:{name}: write agent:claude, agent:codex or agent:claude/MODEL")
    if base_url is not None:
        raise SettingsError(f"agent:{name} is a program of this machine: leave out --base-url for it")
    if reasoning is not None:
        raise SettingsError(f"agent:{name} has its own settings for reasoning: leave out ours")


def names_provider(text: str) -> bool:
    """Check whether a model is written as PROVIDER:NAME."""
    return _split(text.strip())[0] is not None


def _read_name(text: str, base_url: str | None) -> tuple[Provider, str]:
    provider, name = _split(text)
    if base_url is not None and provider != "agent":
        # Behind another address every model speaks Chat Completions, whoever made it.
        name = name if provider == "openai" else text
        provider = "compatible"
    if provider is None:
        raise SettingsError(
            f"model {text!r} names no known provider; write PROVIDER:NAME, where PROVIDER is one of "
            f"{', '.join(PROVIDERS[:-1])}; for another OpenAI-compatible server, add --base-url"
        )
    if not name:
        raise SettingsError(f"model {text!r}: the model's name is missing")
    return provider, name


def family_of(model: str) -> str:
    """Return the family of a model of a report: its line before any version, whoever serves it.

    `anthropic:claude-sonnet-4-6` and `bedrock:us.anthropic.claude-opus-4-1-v1:0` are both `claude`.
    """
    provider, name = _split(model)
    # A coding agent comes before its model, a maker or folder before the name of a model.
    own = name.partition("/")[0] if provider == "agent" else name.rsplit("/", 1)[-1]
    line = _LINE.match(own.lower())
    return OPENAI_LINES.get(line[1], line[1]) if line else own


def _split(text: str) -> tuple[Provider | None, str]:
    for provider in PROVIDERS[:-1]:
        if text.startswith(f"{provider}:"):
            return provider, text.partition(":")[2].strip()  # type: ignore[return-value]
    return None, text


def _checked_url(base_url: str | None) -> str | None:
    if base_url is None:
        return None
    try:
        parts = urlsplit(base_url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise SettingsError("base_url: expected the address of a server, such as http://localhost:8080/v1")
    if parts.username or parts.password:
        raise SettingsError("base_url contains a user name or password; set the key in the environment")
    return base_url


def _between(what: str, value: Number, least: float, most: float) -> Number:
    if value is not None and (isinstance(value, bool) or not least <= value <= most):
        raise SettingsError(f"{what}: expected a number from {least} to {most}, found {value!r}")
    return value
