"""From the choice of a model to the client for it; only that one provider is imported."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from affidavit.errors import SettingsError
from affidavit.minds.choice import ModelChoice, Provider
from affidavit.system.installation import this_installation

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

COMPATIBLE_PROFILE = {
    # A stream that ends without a reason was cut off, even where the connection was closed properly.
    "openai_chat_streaming_requires_finish_reason": True,
    "openai_chat_supports_max_completion_tokens": False,
}
OLLAMA_ADDRESS = "http://localhost:11434/v1"


@dataclass(frozen=True)
class Supply:
    """Where a provider's classes are, whose package they use, and which variables may have its key."""

    module: str
    model_class: str
    provider_class: str
    extra: str
    """The extra of pydantic-ai that installs the package."""
    package: str
    key_names: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """What is to be installed where the package is missing."""
        return f"pydantic-ai-slim[{self.extra}]"


SUPPLIES: Mapping[Provider, Supply] = {
    "anthropic": Supply(
        "anthropic", "AnthropicModel", "AnthropicProvider", "anthropic", "anthropic", ("ANTHROPIC_API_KEY",)
    ),
    "openai": Supply(
        "openai", "OpenAIResponsesModel", "OpenAIProvider", "openai", "openai", ("OPENAI_API_KEY",)
    ),
    "mistral": Supply(
        "mistral", "MistralModel", "MistralProvider", "mistral", "mistralai", ("MISTRAL_API_KEY",)
    ),
    "google": Supply(
        "google",
        "GoogleModel",
        "GoogleProvider",
        "google",
        "google.genai",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ),
    "openrouter": Supply(
        "openrouter", "OpenRouterModel", "OpenRouterProvider", "openai", "openai", ("OPENROUTER_API_KEY",)
    ),
    "ollama": Supply("ollama", "OllamaModel", "OllamaProvider", "openai", "openai"),
    "bedrock": Supply("bedrock", "BedrockConverseModel", "BedrockProvider", "bedrock", "boto3"),
    "compatible": Supply("openai", "LenientChatModel", "OpenAICompatibleProvider", "openai", "openai"),
}


def is_installed(supply: Supply) -> bool:
    """Whether the package of a provider is here."""
    try:
        return find_spec(supply.package) is not None
    except ModuleNotFoundError:
        return False


@dataclass(frozen=True)
class Client:
    """A model, and what has to be closed after the last request to it."""

    model: "Model[Any]"
    http: "httpx2.AsyncClient | None" = None
    """None: the package of the provider has a client of its own."""

    async def close(self) -> None:
        """Close the connections."""
        if self.http is not None:
            await self.http.aclose()


def build_client(choice: ModelChoice, environment: Mapping[str, str]) -> Client:
    """The client for a model; raises SettingsError that says what to set or to install."""
    supply = SUPPLIES[choice.provider]
    options = _options(choice, supply, environment)
    is_compatible = choice.provider == "compatible"
    where = "openai_compatible" if is_compatible else supply.module
    try:
        models = importlib.import_module(
            "affidavit.minds.wire.plain_replies" if is_compatible else f"pydantic_ai.models.{supply.module}"
        )
        providers = importlib.import_module(f"pydantic_ai.providers.{where}")
    except ImportError as error:
        raise SettingsError(
            f"model {choice.model}: the package for {choice.provider} is not installed; "
            f"this brings it: {this_installation().command_for(supply.requirement)}"
        ) from error
    http = None if choice.provider == "bedrock" else _http_client(choice)
    if http is not None:
        options["http_client"] = http
    provider = getattr(providers, supply.provider_class)(**options)
    return Client(getattr(models, supply.model_class)(choice.name, provider=provider), http)


def _http_client(choice: ModelChoice) -> "httpx2.AsyncClient":
    # What checks settings without a model does not wait for an HTTP client.
    from affidavit.minds.wire.bounds import bounded_client, size_limits  # noqa: PLC0415

    return bounded_client(size_limits(choice.max_tokens), choice.silence_seconds)


def _options(choice: ModelChoice, supply: Supply, environment: Mapping[str, str]) -> dict[str, Any]:
    if choice.provider == "compatible":
        return {
            "name": "compatible",
            "base_url": choice.base_url,
            "api_key": environment.get(choice.key_variable) or "none",
            "profile": dict(COMPATIBLE_PROFILE),
        }
    if choice.provider == "ollama":
        address = environment.get("OLLAMA_BASE_URL") or OLLAMA_ADDRESS
        return {"base_url": address, "api_key": environment.get("OLLAMA_API_KEY") or "none"}
    if choice.provider == "bedrock":
        return _bedrock_options(choice, environment)
    for name in supply.key_names:
        if environment.get(name):
            return {"api_key": environment[name]}
    raise SettingsError(
        f"model {choice.model} needs a key: set {' or '.join(supply.key_names)} in the environment"
    )


def _bedrock_options(choice: ModelChoice, environment: Mapping[str, str]) -> dict[str, Any]:
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if not region and not environment.get("AWS_PROFILE"):
        raise SettingsError(
            f"model {choice.model}: set AWS_REGION (and credentials or AWS_BEARER_TOKEN_BEDROCK), "
            "or AWS_PROFILE, in the environment"
        )
    # The AWS client takes its time limit when it is made, not with each request.
    return {"region_name": region, "aws_read_timeout": choice.silence_seconds}
