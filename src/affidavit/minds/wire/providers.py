"""Build the client for a model; only its provider is imported."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from affidavit.errors import SettingsError
from affidavit.minds.choice import OWN_NAMES, ModelChoice, Provider
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
    """The package of a provider, and the variables that may have its key."""

    extra: str
    """The extra of pydantic-ai that installs the package."""
    package: str
    key_names: tuple[str, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    """Other options of the provider, each with the variable that must be set."""

    @property
    def requirement(self) -> str:
        """Return what to install if the package is missing."""
        return f"pydantic-ai-slim[{self.extra}]"


SUPPLIES: Mapping[Provider, Supply] = {
    "anthropic": Supply("anthropic", "anthropic", ("ANTHROPIC_API_KEY",)),
    "openai": Supply("openai", "openai", ("OPENAI_API_KEY",)),
    "azure": Supply(
        "openai",
        "openai",
        needs={
            "azure_endpoint": "AZURE_OPENAI_ENDPOINT",
            "api_key": "AZURE_OPENAI_API_KEY",
            "api_version": "OPENAI_API_VERSION",
        },
    ),
    "mistral": Supply("mistral", "mistralai", ("MISTRAL_API_KEY",)),
    "google": Supply("google", "google.genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "vertex": Supply(
        "google",
        "google.genai",
        needs={"project": "GOOGLE_CLOUD_PROJECT", "location": "GOOGLE_CLOUD_LOCATION"},
    ),
    "openrouter": Supply("openai", "openai", ("OPENROUTER_API_KEY",)),
    "ollama": Supply("openai", "openai"),
    "bedrock": Supply("bedrock", "boto3"),
    "compatible": Supply("openai", "openai"),
}


def is_installed(supply: Supply) -> bool:
    """Check for the package of a provider."""
    try:
        return find_spec(supply.package) is not None
    except ModuleNotFoundError:
        return False


@dataclass(frozen=True)
class Client:
    """A model, and the client to close after the last request to it."""

    model: "Model[Any]"
    http: "httpx2.AsyncClient | None" = None
    """None: the package of the provider has a client of its own."""

    async def close(self) -> None:
        """Close the connections."""
        if self.http is not None:
            await self.http.aclose()


def build_client(choice: ModelChoice, environment: Mapping[str, str]) -> Client:
    """Return the client for a model; raise SettingsError that says what to set or to install."""
    supply = SUPPLIES[choice.provider]
    options = _options(choice, supply, environment)
    http = None if choice.provider == "bedrock" else _http_client(choice)
    if http is not None:
        options["http_client"] = http
    try:
        model = _build_model(choice, options)
    except ImportError as error:
        raise SettingsError(
            f"model {choice.model}: the package for {choice.provider} is not installed; "
            f"this brings it: {this_installation().command_for(supply.requirement)}"
        ) from error
    if choice.reasoning and choice.provider not in OWN_NAMES:
        _check_reasoning(choice, model)
    return Client(model, http)


def _check_reasoning(choice: ModelChoice, model: "Model[Any]") -> None:
    profile = model.profile
    if not (profile.get("supports_thinking") or profile.get("thinking_always_enabled")):
        raise SettingsError(f"model {choice.model} takes no reasoning effort: remove the role's _reasoning")


def _build_model(choice: ModelChoice, options: dict[str, Any]) -> "Model[Any]":
    if choice.provider == "compatible":
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

        from affidavit.minds.wire.plain_replies import LenientChatModel  # noqa: PLC0415

        return LenientChatModel(choice.name, provider=OpenAICompatibleProvider(**options))
    from pydantic_ai.models import infer_model  # noqa: PLC0415
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415

    library_name = "google-cloud" if choice.provider == "vertex" else choice.provider
    return infer_model(f"{library_name}:{choice.name}", lambda name: infer_provider_class(name)(**options))


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
    if supply.needs:
        return _needed_options(choice, supply, environment)
    for name in supply.key_names:
        if environment.get(name):
            return {"api_key": environment[name]}
    raise SettingsError(
        f"model {choice.model} needs a key: set {' or '.join(supply.key_names)} in the environment"
    )


def _needed_options(choice: ModelChoice, supply: Supply, environment: Mapping[str, str]) -> dict[str, Any]:
    needs = dict(supply.needs)
    if environment.get("AZURE_OPENAI_ENDPOINT", "").rstrip("/").endswith("/v1"):
        # This form of Azure's API has no other version.
        needs.pop("api_version", None)
    missing = [name for name in needs.values() if not environment.get(name)]
    if missing:
        raise SettingsError(f"model {choice.model}: set {' and '.join(missing)} in the environment")
    return {option: environment[name] for option, name in needs.items()}


def _bedrock_options(choice: ModelChoice, environment: Mapping[str, str]) -> dict[str, Any]:
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if not region and not environment.get("AWS_PROFILE"):
        raise SettingsError(
            f"model {choice.model}: set AWS_REGION (and credentials or AWS_BEARER_TOKEN_BEDROCK), "
            "or AWS_PROFILE, in the environment"
        )
    # The AWS client takes its time limit when it is made, not with each request.
    return {"region_name": region, "aws_read_timeout": choice.silence_seconds}
