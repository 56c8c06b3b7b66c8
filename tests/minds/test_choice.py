import subprocess
import sys
from typing import Any

import pytest

from affidavit.errors import SettingsError
from affidavit.minds.choice import choose_model, family_of
from affidavit.minds.conversation_log import FILE_NAME, ConversationLog, LogMode
from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.minds.prices import cost_usd
from affidavit.minds.roles import minds_from
from affidavit.minds.wire.connection import describe
from affidavit.minds.wire.forms import Dialect, Form, Question, forms_for, request_settings
from affidavit.minds.wire.providers import build_client

URL = "http://localhost:8080/v1"
PRICED = ("azure:gpt-4o", "openai:gpt-4o", "vertex:gemini-2.5-pro", "google:gemini-2.5-pro")
AZURE = {"AZURE_OPENAI_ENDPOINT": "http://localhost:9", "AZURE_OPENAI_API_KEY": "k"}


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("anthropic:claude-sonnet-4-6", "anthropic", "claude-sonnet-4-6"),
        ("openai:gpt-5", "openai", "gpt-5"),
        ("azure:our-deployment", "azure", "our-deployment"),
        ("vertex:gemini-3-pro", "vertex", "gemini-3-pro"),
        ("mistral:mistral-large-latest", "mistral", "mistral-large-latest"),
        ("google:gemini-3-pro", "google", "gemini-3-pro"),
        ("bedrock:anthropic.claude-v1:0", "bedrock", "anthropic.claude-v1:0"),
        ("openrouter:meta/llama-3", "openrouter", "meta/llama-3"),
        ("ollama:llama3:8b", "ollama", "llama3:8b"),
    ],
)
def test_a_model_is_named_by_its_provider(text: str, provider: str, name: str) -> None:
    choice = choose_model(text, "planner")
    assert (choice.provider, choice.name) == (provider, name)
    assert choice.model == f"{provider}:{name}"


@pytest.mark.parametrize(
    ("text", "name"), [("openai:gpt-5", "gpt-5"), ("llama3:8b", "llama3:8b"), ("meta/llama", "meta/llama")]
)
def test_with_an_address_every_name_is_of_a_compatible_endpoint(text: str, name: str) -> None:
    choice = choose_model(text, "planner", base_url=URL)
    assert (choice.provider, choice.name, choice.model) == ("compatible", name, name)


@pytest.mark.parametrize("text", ["gpt-5", "nobody:gpt", "", "openai:", "anthropic/claude", ":x"])
def test_a_name_without_a_known_provider_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="model"):
        choose_model(text, "planner")


@pytest.mark.parametrize(
    "url",
    ["localhost:8080", "ftp://host/v1", "http://", "http://user:key@host/v1", "http://host:99999/v1", ""],
)
def test_an_address_that_is_none_or_holds_a_key_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        choose_model("m", "planner", base_url=url)


@pytest.mark.parametrize(
    "options",
    [{"temperature": 3}, {"temperature": -1}, {"max_tokens": -5}, {"max_tokens": 0}, {"silence_seconds": 0}],
)
def test_a_setting_out_of_its_range_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="expected a number"):
        choose_model("openai:gpt-5", "planner", **options)


def test_only_the_verifier_has_a_temperature_by_default() -> None:
    assert choose_model("openai:gpt-5", "verifier").temperature == 1.0
    assert choose_model("openai:gpt-5", "specialist").temperature is None
    assert choose_model("openai:gpt-5", "verifier", temperature=0.0).temperature == 0.0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("anthropic:claude-sonnet-4-6", "ANTHROPIC_API_KEY"),
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("google:gemini-3-pro", "GEMINI_API_KEY"),
        ("openrouter:meta/llama", "OPENROUTER_API_KEY"),
        ("bedrock:claude", "AWS_REGION"),
        ("azure:gpt-5", "set AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY and OPENAI_API_VERSION"),
        ("vertex:gemini-3-pro", "set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"),
    ],
)
def test_a_missing_key_is_said_with_the_name_of_the_variable(text: str, named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        build_client(choose_model(text, "planner"), {})


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("mistral:m", {"MISTRAL_API_KEY": "k-1"}),
        ("bedrock:m", {"AWS_REGION": "eu-west-1"}),
        ("vertex:m", {"GOOGLE_CLOUD_PROJECT": "k-1", "GOOGLE_CLOUD_LOCATION": "europe-west4"}),
    ],
)
def test_a_missing_package_is_said_with_what_to_install(text: str, environment: dict[str, str]) -> None:
    module = {"mistral:m": "mistralai", "bedrock:m": "boto3", "vertex:m": "google.genai"}[text]
    try:
        __import__(module)
    except ImportError:
        with pytest.raises(SettingsError, match="pip install") as refused:
            build_client(choose_model(text, "planner"), environment)
        assert "k-1" not in str(refused.value)
        # The library has another name for Vertex, and another provider under the name google.
        assert ("Google Cloud" in str(refused.value.__cause__)) == (module == "google.genai")
    else:
        pytest.skip(f"{module} is installed")


@pytest.mark.parametrize(
    ("text", "environment", "kind"),
    [
        ("anthropic:claude-sonnet-4-6", {"ANTHROPIC_API_KEY": "k"}, "AnthropicModel"),
        ("openai:gpt-5", {"OPENAI_API_KEY": "k"}, "OpenAIResponsesModel"),
        ("openrouter:meta/llama", {"OPENROUTER_API_KEY": "k"}, "OpenRouterModel"),
        ("azure:ours", AZURE | {"OPENAI_API_VERSION": "2024-10-21"}, "OpenAIChatModel"),
        ("azure:ours", AZURE | {"AZURE_OPENAI_ENDPOINT": "http://localhost:9/openai/v1/"}, "OpenAIChatModel"),
        ("ollama:llama3", {}, "OllamaModel"),
    ],
)
def test_a_model_is_built_for_its_provider(text: str, environment: dict[str, str], kind: str) -> None:
    assert type(build_client(choose_model(text, "planner"), environment).model).__name__ == kind


def test_the_price_table_knows_the_models_of_azure_and_vertex() -> None:
    known = {name: cost_usd(choose_model(name, "planner"), 10**6, 10**6) for name in PRICED}
    assert known["azure:gpt-4o"] == known["openai:gpt-4o"] == 12.5
    assert known["vertex:gemini-2.5-pro"] == known["google:gemini-2.5-pro"] == 17.5


@pytest.mark.parametrize(
    ("text", "setting"),
    [("anthropic:claude-sonnet-5", "thinking"), ("azure:ours", "openai_reasoning_effort")],
)
def test_a_role_can_set_how_much_its_model_reasons(text: str, setting: str) -> None:
    question = Question("i", {"type": "object"}, "name", must_answer=True)
    set_low = request_settings(
        choose_model(text, "planner", reasoning="low"), question, Form.FORCED_TOOL, Dialect()
    )
    unset = request_settings(choose_model(text, "planner"), question, Form.FORCED_TOOL, Dialect())
    assert set_low[setting] == "low"  # type: ignore[literal-required]
    # Claude refuses a forced tool while it reasons.
    assert (setting in unset, "tool_choice" in unset, "tool_choice" in set_low) == (False, True, False)


@pytest.mark.parametrize("text", ["openai:gpt-4o", "agent:claude"])
def test_a_model_that_is_known_not_to_reason_refuses_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match="reasoning"):
        build_client(choose_model(text, "planner", reasoning="high"), {"OPENAI_API_KEY": "k"})


def test_missing_credentials_of_google_cloud_are_not_called_a_bad_reply() -> None:
    kind = type("DefaultCredentialsError", (Exception,), {"__module__": "google.auth.exceptions"})
    assert describe(kind("not found")) == "the credentials of Google Cloud cannot be used: not found"


def test_a_budget_in_dollars_needs_a_price() -> None:
    choices = {"planner": choose_model("m", "planner", base_url=URL)}
    with pytest.raises(SettingsError, match="price"):
        minds_from(choices, ledger=Ledger(SpendingLimit(usd=1.0)), environment={})


def test_minds_are_made_for_each_role() -> None:
    choices = {
        "planner": choose_model("m", "planner", base_url=URL),
        "verifier": choose_model("n", "verifier", base_url=URL),
    }
    minds = minds_from(choices, ledger=Ledger(), environment={})
    assert {role: (mind.role, mind.model) for role, mind in minds.items()} == {
        "planner": ("planner", "m"),
        "verifier": ("verifier", "n"),
    }


def test_a_replay_needs_no_key(tmp_path: Any) -> None:
    (tmp_path / FILE_NAME).write_text("")
    log = ConversationLog(tmp_path, LogMode.REPLAY)
    choices = {"planner": choose_model("openai:gpt-5", "planner")}
    assert minds_from(choices, ledger=Ledger(), log=log, environment={})["planner"].model == "openai:gpt-5"


def test_choosing_models_imports_no_provider() -> None:
    code = (
        "import sys, affidavit.minds.choice, affidavit.minds.roles, affidavit.minds.ledger;"
        "print([m for m in ('pydantic_ai', 'openai', 'anthropic', 'genai_prices') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_one_provider_does_not_import_another() -> None:
    code = (
        "import sys; from affidavit.minds.choice import choose_model;"
        "from affidavit.minds.wire.providers import build_client;"
        f"build_client(choose_model('m', 'planner', base_url={URL!r}), {{}}).model;"
        "print('anthropic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_providers_are_not_left_to_retry_or_to_store() -> None:
    question = Question("i", {"type": "object"}, "name")
    settings = request_settings(choose_model("openai:gpt-5", "planner"), question, Form.NATIVE, Dialect())
    assert settings["max_retries"] == 0
    assert settings["timeout"] == 120
    assert settings["openai_store"] is False  # type: ignore[typeddict-item]
    anthropic = choose_model("anthropic:claude-sonnet-4-6", "planner")
    assert request_settings(anthropic, question, Form.NATIVE, Dialect())["cache"] is True


def test_a_model_without_tools_is_told_the_schema() -> None:
    question = Question("i", {"type": "object"}, "name")
    assert forms_for(question, {"supports_tools": False}) == [Form.PLAIN]
    assert forms_for(question, {"supports_json_schema_output": True})[0] is Form.NATIVE
    assert forms_for(question, {})[0] is Form.FORCED_TOOL


@pytest.mark.parametrize(
    ("family", "models"),
    {
        "claude": "anthropic:claude-sonnet-4-6 bedrock:us.anthropic.claude-opus-4-1-v1:0 agent:claude/sonnet "
        "openrouter:anthropic/claude-haiku-4.5",
        "gpt": "openai:gpt-4.1 azure:gpt-5-mini openai:o3 openai:chatgpt-4o-latest agent:codex",
        "gemini": "google:gemini-2.5-pro vertex:gemini-3-flash",
        "qwen": "qwen3-coder ollama:qwen3:8b openrouter:qwen/qwen3-coder Qwen/Qwen2.5-Coder-7B-Instruct",
        "llama": "ollama:llama3.1 bedrock:meta.llama3-1-70b-instruct-v1:0",
        "7b": "7b",
        "": "",
    }.items(),
)
def test_a_family_is_the_line_of_a_model_whoever_serves_it(family: str, models: str) -> None:
    assert {family_of(model) for model in models.split(" ")} == {family}
