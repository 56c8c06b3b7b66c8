"""Make a model answer in a schema: by its native output, by a tool, or by the instructions."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from affidavit.minds.choice import OWN_NAMES, ModelChoice

HAND_IN = "Hand in the final answer. Call this once, when the work is done."


class Form(StrEnum):
    """The ways to ask for an answer in a schema."""

    NATIVE = "native"
    """The provider's own structured output."""
    FORCED_TOOL = "forced tool"
    """A tool that takes the answer; the model must call that or another."""
    TOOL = "tool"
    """The same, but the model may also write text."""
    PLAIN = "plain"
    """The schema is part of the instructions."""


@dataclass(frozen=True)
class Dialect:
    """The settings that a model turned out to accept or refuse."""

    sends_temperature: bool = True
    names_completion_tokens: bool = False
    """The limit on tokens is sent under OpenAI's newer name."""


@dataclass(frozen=True)
class Question:
    """The offer and demand of a request, apart from the messages."""

    instructions: str
    schema: dict[str, Any]
    schema_name: str
    tools: tuple[dict[str, Any], ...] = ()
    must_answer: bool = False
    """Offer no more tools; demand the answer now."""


def forms_for(question: Question, profile: ModelProfile) -> list[Form]:
    """Return the forms that a model may accept, the strictest first."""
    if not profile.get("supports_tools", True):
        return [Form.PLAIN]
    if question.tools:
        # Several servers cannot combine tools with a schema for the text: an answering tool works everywhere.
        return [Form.FORCED_TOOL, Form.TOOL]
    if profile.get("supports_json_schema_output", False):
        return [Form.NATIVE, Form.FORCED_TOOL, Form.PLAIN]
    return [Form.FORCED_TOOL, Form.PLAIN]


def request_parameters(question: Question, form: Form) -> ModelRequestParameters:
    """Return what goes with the messages in this form."""
    has_output_tool = form in {Form.FORCED_TOOL, Form.TOOL}
    return ModelRequestParameters(
        function_tools=[] if form is Form.PLAIN else [_definition(tool) for tool in question.tools],
        output_mode="native" if form is Form.NATIVE else "tool" if has_output_tool else "text",
        output_object=OutputObjectDefinition(json_schema=question.schema, name=question.schema_name)
        if form is Form.NATIVE
        else None,
        output_tools=[_output_tool(question)] if has_output_tool else [],
        allow_text_output=form is not Form.FORCED_TOOL,
        instruction_parts=[InstructionPart(content=instructions_in(question, form), dynamic=False)],
    )


def instructions_in(question: Question, form: Form) -> str:
    """Return the instructions; a plain form has the schema in them."""
    if form is not Form.PLAIN or not question.schema:
        return question.instructions
    text = json.dumps(question.schema, ensure_ascii=False)
    return (
        f"{question.instructions}\n\nAnswer with one JSON object and nothing else. "
        f"It must fit this JSON schema:\n{text}"
    )


def request_settings(choice: ModelChoice, question: Question, form: Form, dialect: Dialect) -> ModelSettings:
    """Return the settings of a request. Only we retry, so that a slow endpoint is not asked twice."""
    settings = ModelSettings()
    if dialect.names_completion_tokens:
        settings["extra_body"] = {"max_completion_tokens": choice.max_tokens}
    else:
        settings["max_tokens"] = choice.max_tokens
    if choice.provider != "compatible":
        settings["cache"] = True
    if choice.provider != "bedrock":
        settings["timeout"] = choice.silence_seconds
        settings["max_retries"] = 0
    if choice.provider == "openai":
        # The provider must not keep any of the reviewed code for later calls.
        settings["openai_store"] = False  # type: ignore[typeddict-unknown-key]
    if choice.temperature is not None and dialect.sends_temperature:
        settings["temperature"] = choice.temperature
    if choice.reasoning and choice.provider in OWN_NAMES:
        settings["openai_reasoning_effort"] = choice.reasoning  # type: ignore[typeddict-unknown-key]
    elif choice.reasoning:
        settings["thinking"] = choice.reasoning
    # Claude takes no forced tool while it reasons.
    if question.must_answer and form is Form.FORCED_TOOL and not choice.reasoning:
        settings["tool_choice"] = [question.schema_name]
    return settings


def _definition(tool: dict[str, Any]) -> ToolDefinition:
    function = tool["function"]
    return ToolDefinition(
        name=function["name"],
        description=function.get("description", ""),
        parameters_json_schema=function["parameters"],
    )


def _output_tool(question: Question) -> ToolDefinition:
    return ToolDefinition(
        name=question.schema_name,
        description=HAND_IN,
        parameters_json_schema=question.schema,
        kind="output",
    )
