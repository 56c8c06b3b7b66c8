"""Send one request to a model and return its reply, or the reason why there is none."""

import asyncio
import dataclasses
import errno
import os
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_ai import exceptions as faults
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelMessage, ModelResponse, PartDeltaEvent, PartStartEvent
from pydantic_ai.models import Model, StreamedResponse
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from affidavit.minds.choice import UNREACHABLE, CallLimits, ModelChoice
from affidavit.minds.wire.bounds import TooMuchSentError
from affidavit.minds.wire.forms import (
    Dialect,
    Form,
    Question,
    forms_for,
    request_parameters,
    request_settings,
)
from affidavit.minds.wire.providers import Client

Outcome = Literal["answered", "cut_off", "failed", "refused", "timed_out", "budget_exhausted"]
Sleep = Callable[[float], Awaitable[None]]
OnPartialReply = Callable[[ModelResponse | None], Awaitable[None]]
"""Pays for the part of a reply that arrived before it broke off, and may refuse a retry."""
_TRIED_AGAIN = (
    faults.ModelRateLimitError,
    faults.ModelUnavailableError,
    faults.ModelServerError,
    faults.ModelConnectionError,
)
_NOT_THERE = (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN)
_MAX_DETAIL_LENGTH = 500
_FIELDS_OF_PARTS = ("content", "args", "tool_name", "tool_call_id", "id", "signature")
_FIELDS_OF_DELTAS = ("content_delta", "args_delta", "tool_name_delta", "signature_delta")
_SILENT = "the model sent nothing within the time limit"


class CallEnded(Exception):  # noqa: N818 - it is an outcome, not a mistake
    """A call that returned no whole reply."""

    def __init__(
        self, outcome: Outcome, detail: str, reply: ModelResponse | None = None, *, was_read: bool = True
    ) -> None:
        self.outcome: Outcome = outcome
        self.detail = detail
        self.reply = reply
        self.was_read = was_read
        """Whether a model may have read the request, so that it is paid for."""
        super().__init__(detail)


@dataclass
class Connection:
    """The connection to one model: retries, waits, and finds the form of request that the model accepts."""

    dial: Callable[[], Client]
    choice: ModelChoice
    limits: CallLimits
    gate: asyncio.Semaphore
    sleep: Sleep = asyncio.sleep
    _client: Client | None = None
    _users: int = 0
    _refused_forms: set[Form] = dataclasses.field(default_factory=set)
    _dialect: Dialect = dataclasses.field(default_factory=Dialect)
    _was_reached: bool = False

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep the client open; the last user closes it."""
        self._client = self._client or self.dial()
        self._users += 1
        try:
            async with self._client.model:
                yield
        finally:
            self._users -= 1
            await self._close_unless_used()

    async def _close_unless_used(self) -> None:
        if self._users == 0 and self._client is not None:
            client, self._client = self._client, None
            await client.close()

    @property
    def model(self) -> Model[Any]:
        """Return the model, while the connection is open."""
        if self._client is None:
            raise AssertionError("the connection is opened before anything is sent")
        return self._client.model

    async def ask(
        self, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """Return the reply, from as many attempts as the limits allow; raise CallEnded."""

        async def pay(state: RetryCallState) -> None:
            cut = _cut_in(state)
            if cut.was_read:
                await on_partial(cut.reply)

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.limits.attempts),
            retry=retry_if_exception(self._is_retried),
            wait=self._seconds_to_wait,
            sleep=self.sleep,
            before_sleep=pay,
            reraise=True,
        )
        try:
            reply: ModelResponse = await retrying(self._ask_in_some_form, messages, question)
        except _Interrupted as cut:
            ended = _ended(cut, self.choice.base_url or self.model.base_url or "")
            if self.choice.reasoning and _is_rejected(cut.fault):
                ended.detail += f"; the request set reasoning to {self.choice.reasoning}: change or remove it"
            raise ended from cut
        self._was_reached = True
        return reply

    async def _ask_in_some_form(self, messages: list[ModelMessage], question: Question) -> ModelResponse:
        while True:
            form = self._form(question)
            try:
                return await self._ask_once(messages, question, form)
            except _Interrupted as cut:
                if not self._can_ask_differently(cut.fault, question, form):
                    raise

    def _form(self, question: Question) -> Form:
        forms = [form for form in forms_for(question, self.model.profile) if form not in self._refused_forms]
        return forms[0] if forms else Form.PLAIN

    def _can_ask_differently(self, fault: Exception, question: Question, form: Form) -> bool:
        if not _is_rejected(fault) or self._refuses_reasoning(fault):
            return False
        other = self._other_dialect(str(fault))
        if other is not None:
            self._dialect = other
            return True
        if form is forms_for(question, self.model.profile)[-1]:
            return False
        self._refused_forms.add(form)
        return True

    def _refuses_reasoning(self, fault: Exception) -> bool:
        return self.choice.reasoning is not None and "reasoning" in str(fault)

    def _other_dialect(self, complaint: str) -> Dialect | None:
        now = self._dialect
        if "temperature" in complaint and now.sends_temperature and self.choice.temperature is not None:
            return dataclasses.replace(now, sends_temperature=False)
        is_newer_name = "max_completion_tokens" in complaint and self.choice.provider == "compatible"
        if is_newer_name and not now.names_completion_tokens:
            return dataclasses.replace(now, names_completion_tokens=True)
        return None

    async def _ask_once(self, messages: list[ModelMessage], question: Question, form: Form) -> ModelResponse:
        settings = request_settings(self.choice, question, form, self._dialect)
        reading = _Reading(self.limits, self.choice.silence_seconds)
        async with self.gate:
            try:
                async with asyncio.timeout(self.choice.call_seconds):
                    return await reading.read(
                        model_request_stream(
                            self.model,
                            messages,
                            model_settings=settings,
                            model_request_parameters=request_parameters(question, form),
                        )
                    )
            except TimeoutError:
                reason = f"the reply was not complete after {self.choice.call_seconds:g} s"
                raise CallEnded("timed_out", reason, reading.so_far) from None

    def _is_retried(self, cut: BaseException) -> bool:
        if not isinstance(cut, _Interrupted):
            return False
        self._was_reached |= not _unreachable(cut.fault)
        is_soon = (cut.retry_after or 0.0) <= self.limits.max_delay_seconds
        return self._was_reached and is_soon and _is_worth_another_try(cut.fault)

    def _seconds_to_wait(self, state: RetryCallState) -> float:
        asked_for: float | None = _cut_in(state).retry_after
        if asked_for is not None:
            return asked_for
        # Spread, so that specialists that were refused together do not retry together.
        spread = random.uniform(0.75, 1.25)  # noqa: S311 - nothing secret
        delay = self.limits.first_delay_seconds * spread * 2.0 ** (state.attempt_number - 1)
        return min(delay, self.limits.max_delay_seconds)


class _Reading:
    """Reads one stream up to the limits."""

    def __init__(self, limits: CallLimits, silence_seconds: float) -> None:
        self._limits, self._silence_seconds = limits, silence_seconds
        self._stream: StreamedResponse | None = None

    async def read(self, opening: AbstractAsyncContextManager[StreamedResponse]) -> ModelResponse:
        """Return the whole reply; raise CallEnded, or a fault with what had arrived by then."""
        try:
            return await self._read(opening)
        except CallEnded:
            raise
        except Exception as fault:  # the clients check little of what a server sends, and raise anything
            raise _Interrupted(fault, self.so_far) from fault

    async def _read(self, opening: AbstractAsyncContextManager[StreamedResponse]) -> ModelResponse:
        try:
            async with asyncio.timeout(self._silence_seconds) as alarm, opening as self._stream:
                size = parts = 0
                async for event in self._stream:
                    more = _size_of(event)
                    if more:
                        # Comments and empty events do not extend the time limit; only parts of the reply do.
                        alarm.reschedule(asyncio.get_running_loop().time() + self._silence_seconds)
                    size, parts = size + more, parts + isinstance(event, PartStartEvent)
                    self._check(size, parts)
                return self._stream.get()
        except TimeoutError:
            if not alarm.expired():
                raise
            raise CallEnded("timed_out", _SILENT, self.so_far) from None

    def _check(self, size: int, parts: int) -> None:
        limits = self._limits
        if size > limits.max_reply_chars:
            reason = f"the reply was longer than {limits.max_reply_chars:,} characters"
        elif parts > limits.max_reply_parts:
            reason = f"the reply had more than {limits.max_reply_parts:,} parts"
        else:
            return
        raise CallEnded("cut_off", reason, self.so_far)

    @property
    def so_far(self) -> ModelResponse | None:
        """Return what has arrived, or None if that cannot be read."""
        try:
            return self._stream.get() if self._stream else None
        except Exception:  # noqa: BLE001 - as above
            return None


class _Interrupted(Exception):  # noqa: N818 - carries a fault, and what arrived before it
    def __init__(self, fault: Exception, reply: ModelResponse | None) -> None:
        self.fault = fault
        self.reply = reply
        # A status in place of a reply is a refusal, and without a connection nothing was asked.
        is_unread = isinstance(fault, faults.ModelHTTPError | faults.ModelConnectionError | faults.UserError)
        self.was_read = reply is not None or not is_unread
        self.retry_after = fault.retry_after if isinstance(fault, faults.ModelAPIError) else None
        super().__init__(str(fault))


def _cut_in(state: RetryCallState) -> Any:
    return state.outcome and state.outcome.exception()


def _is_rejected(fault: Exception) -> bool:
    """Check whether another form of the same request may be accepted."""
    is_final = isinstance(
        fault,
        faults.ModelAuthenticationError
        | faults.ModelNotFoundError
        | faults.ModelContextWindowExceededError
        | faults.ModelQuotaExceededError,
    )
    return isinstance(fault, faults.ModelHTTPError) and fault.status_code in {400, 422} and not is_final


def _size_of(event: object) -> int:
    """Count the characters of a reply in an event."""
    if isinstance(event, PartStartEvent):
        return _chars_in(event.part, _FIELDS_OF_PARTS)
    return _chars_in(event.delta, _FIELDS_OF_DELTAS) if isinstance(event, PartDeltaEvent) else 0


def _chars_in(part: object, names: tuple[str, ...]) -> int:
    return sum(len(str(getattr(part, name, None) or "")) for name in names)


def _is_worth_another_try(fault: Exception) -> bool:
    if _is_timeout(fault) or _flood_in(fault):
        return False
    is_broken_stream = type(fault) is faults.ModelAPIError
    return isinstance(fault, _TRIED_AGAIN) or is_broken_stream


def _is_timeout(fault: Exception) -> bool:
    is_late = isinstance(fault, faults.ModelTimeoutError) and fault.phase not in {"connect", "pool"}
    return is_late or isinstance(fault, faults.ModelRequestTimeout)


def _flood_in(fault: BaseException) -> TooMuchSentError | None:
    """Return the exceeded limit that caused a fault, if one did."""
    return next((each for each in _causes(fault) if isinstance(each, TooMuchSentError)), None)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = fault
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _unreachable(fault: BaseException) -> str:
    """Return why no connection could be made; nothing if one was made."""
    for each in _causes(fault):
        if isinstance(each, socket.gaierror):
            return (each.strerror or "unknown host").lower()
        if isinstance(each, OSError) and each.errno in _NOT_THERE:
            return os.strerror(each.errno).lower()
    return ""


def _ended(cut: _Interrupted, address: str) -> CallEnded:
    fault = cut.fault
    if isinstance(fault, faults.ContentFilterError):
        return CallEnded("refused", "the provider's content filter stopped the reply", cut.reply)
    if _is_timeout(fault):
        return CallEnded("timed_out", _SILENT, cut.reply)
    cause = _unreachable(fault)
    detail = _shortened(f"{UNREACHABLE} {address}: {cause}") if cause else describe(fault)
    return CallEnded("failed", detail, cut.reply, was_read=cut.was_read)


_EXPLANATIONS: tuple[tuple[type[Exception], str], ...] = (
    (
        faults.ModelAuthenticationError,
        "the provider did not accept the key, or the key may not use this model",
    ),
    (
        faults.ModelNotFoundError,
        "the provider has no such model, or there is no such endpoint at the address",
    ),
    (faults.ModelContextWindowExceededError, "the conversation is longer than the model can read"),
    (faults.ModelQuotaExceededError, "the account with the provider has no credit left"),
    (faults.ModelConnectionError, "the connection to the model failed or broke off"),
)


def describe(fault: Exception) -> str:
    """Describe a fault for the user: short, and without anything from the request."""
    if flood := _flood_in(fault):
        return str(flood)
    for kind, explanation in _EXPLANATIONS:
        if isinstance(fault, kind):
            return explanation
    if type(fault).__module__.startswith("google.auth"):
        return _shortened(f"the credentials of Google Cloud cannot be used: {fault}")
    if isinstance(fault, faults.ModelHTTPError):
        return _shortened(f"HTTP status {fault.status_code}: {_message_in(fault.body)}")
    if isinstance(fault, faults.UserError | faults.ModelAPIError):
        return _shortened(f"the connection to the model failed: {fault}")
    return _shortened(f"the server sent something that is not a reply ({type(fault).__name__}: {fault})")


def _message_in(body: object) -> str:
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, dict) else inner
    return str(body)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_DETAIL_LENGTH else text[:_MAX_DETAIL_LENGTH] + "…"
