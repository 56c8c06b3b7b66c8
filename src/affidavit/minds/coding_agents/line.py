"""Hold one conversation with a coding agent's process: its calls of our tools are replies of a model."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from affidavit.errors import SettingsError
from affidavit.minds.choice import CallLimits, ModelChoice
from affidavit.minds.coding_agents.canary import TASK, CanaryProvider
from affidavit.minds.coding_agents.programs import (
    AgentProgram,
    Errand,
    ForeignToolError,
    TalkEnd,
    Utterance,
    find_agent,
)
from affidavit.minds.coding_agents.server import serving
from affidavit.minds.wire.connection import CallEnded, OnPartialReply
from affidavit.minds.wire.forms import Form, Question, instructions_in
from affidavit.minds.wire.transcript import as_data
from affidavit.system import supervisor
from affidavit.system.temporary import temporary_folder

AT_ONCE = 4
"""Processes at the same time: each takes some hundred megabytes."""
CANARY_SECONDS = 60.0
_PROMPT = f"Call the tool {TASK} first. It returns your task."
# The change is no part of a prompt: the programs read files that a prompt names.
_TASK_TOOL = {
    "type": "function",
    "function": {
        "name": TASK,
        "description": "Return the task. Call it once, first.",
        "parameters": {"type": "object", "properties": {}},
    },
}
_TOGETHER_SECONDS = 0.05
"""Calls that the model made at once arrive within this time."""
_MAX_LINE = 16_000_000
_MAX_NOISE = 500
_END_SECONDS = 5.0


@dataclass
class Permit:
    """Lets a program hold conversations once the canary has shown that it has our tools alone."""

    program: AgentProgram
    choice: ModelChoice
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _fault: str | None = None

    async def check(self) -> None:
        """Raise SettingsError if the program is refused; it is tried once."""
        async with self._lock:
            if self._fault is None:
                self._fault = await self._try()
        if self._fault:
            raise SettingsError(f"{self.choice.model} is refused: {self._fault}")

    async def _try(self) -> str:
        async with AsyncExitStack() as stack:
            canary = CanaryProvider(stack.enter_context(temporary_folder("canary-")) / "canary.txt")
            session = Session(self.program, self.choice, stack)
            try:
                async with asyncio.timeout(CANARY_SECONDS):
                    await session.begin(canary.task, Question("Say ok.", {}, ""), canary)
                    await session.reply()
            except CallEnded as ended:
                return canary.fault() if canary.seen and canary.fault() else ended.detail
            except TimeoutError:
                return f"it did not answer a scripted provider within {CANARY_SECONDS:g} s"
            return canary.fault()


@dataclass
class AgentLine:
    """The line of one conversation; its process starts with the first request."""

    permit: Permit
    choice: ModelChoice
    limits: CallLimits
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _session: "Session | None" = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Refuse a program with tools of its own; at the end, end the process."""
        await self.permit.check()
        async with self._stack:
            yield

    async def ask(
        self, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """Return what the agent asks for or answers next; raise CallEnded."""
        del on_partial  # nothing is asked twice
        seconds = self.choice.call_seconds
        try:
            async with asyncio.timeout(seconds):
                if self._session is None:
                    await self._stack.enter_async_context(self.permit.gate)
                    self._session = Session(self.permit.program, self.choice, self._stack)
                    await self._session.begin(_task(messages), question)
                else:
                    self._session.give(messages[-1])
                reply = await self._session.reply()
        except TimeoutError:
            raise CallEnded("timed_out", f"the reply was not complete after {seconds:g} s") from None
        if sum(len(str(part)) for part in reply.parts) > self.limits.max_reply_chars:
            most = f"{self.limits.max_reply_chars:,}"
            raise CallEnded("cut_off", f"the reply was longer than {most} characters")
        return reply


class Session:
    """One process of an agent, the server with its tools, and what it waits for."""

    def __init__(self, program: AgentProgram, choice: ModelChoice, stack: AsyncExitStack) -> None:
        self._program, self._choice, self._stack = program, choice, stack
        self._tools: frozenset[str] = frozenset()
        self._task = ""
        self._arrived: asyncio.Queue[ToolCallPart | TalkEnd | CallEnded] = asyncio.Queue()
        self._open: dict[str, asyncio.Future[str]] = {}
        self._count = 0
        self._said: list[str] = []
        self._sign_of_life = asyncio.Event()

    async def begin(self, task: str, question: Question, canary: CanaryProvider | None = None) -> None:
        """Start the tools' server and the process, and send the task."""
        folder = self._stack.enter_context(temporary_folder("agent-"))
        _refuse_repository(folder)
        work, files = folder / "work", folder / "files"
        work.mkdir()
        files.mkdir()
        routes = canary.routes if canary else ()
        tools = (*question.tools, _TASK_TOOL)
        self._task = task
        address = await self._stack.enter_async_context(serving(tools, self._call, routes))
        errand = Errand(
            folder=files,
            instructions=instructions_in(question, Form.PLAIN),
            server=f"{address}/mcp",
            tools=tuple(one["function"]["name"] for one in tools),
            model=self._choice.name.partition("/")[2],
            max_tokens=self._choice.max_tokens,
            endpoint=address if canary else "",
        )
        self._tools = frozenset(errand.tools)
        command = await asyncio.to_thread(self._program.command, errand)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", supervisor.__file__, *command),
            cwd=work,
            env=self._program.environment(errand),
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
            limit=_MAX_LINE,
        )
        reading = asyncio.create_task(self._read(process))
        self._stack.push_async_callback(self._end, process, reading)
        if process.stdin is not None:
            with suppress(ConnectionError):
                process.stdin.write(_PROMPT.encode())
                await process.stdin.drain()
            process.stdin.close()

    def give(self, request: ModelMessage) -> None:
        """Answer the calls that wait; further words to the model go with the last answer."""
        results = [part for part in request.parts if isinstance(part, ToolReturnPart)]
        words = [str(part.content) for part in request.parts if isinstance(part, UserPromptPart)]
        for number, part in enumerate(results, 1):
            waiting = self._open.pop(part.tool_call_id, None)
            if waiting is not None and not waiting.done():
                more = words if number == len(results) else []
                waiting.set_result("\n\n".join([str(part.content), *more]))

    async def reply(self) -> ModelResponse:
        """Wait for calls of tools or the end, as long as there are signs of life."""
        first = await self._next()
        if isinstance(first, CallEnded):
            raise first
        said, self._said = self._said, []
        if isinstance(first, TalkEnd):
            if first.failure:
                raise CallEnded("failed", first.failure[:_MAX_NOISE])
            text = first.text or (said[-1] if said else "")
            if not text.strip():
                raise CallEnded("failed", f"{self._choice.model} ended without an answer")
            return ModelResponse(parts=[TextPart(text)], finish_reason=first.finish)
        calls = [first]
        await asyncio.sleep(_TOGETHER_SECONDS)
        while not self._arrived.empty():
            more = self._arrived.get_nowait()
            if not isinstance(more, ToolCallPart):
                self._arrived.put_nowait(more)
                break
            calls.append(more)
        texts = [TextPart(text) for text in said if text]
        return ModelResponse(parts=[*texts, *calls], finish_reason="tool_call")

    async def _next(self) -> ToolCallPart | TalkEnd | CallEnded:
        waiting = asyncio.create_task(self._arrived.get())
        try:
            while not waiting.done():
                self._sign_of_life.clear()
                alive = asyncio.create_task(self._sign_of_life.wait())
                done, _ = await asyncio.wait(
                    (waiting, alive),
                    timeout=self._choice.silence_seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                alive.cancel()
                if not done:
                    raise CallEnded("timed_out", "the agent printed nothing within the time limit")
            return waiting.result()
        finally:
            waiting.cancel()

    async def _call(self, name: str, arguments: dict[str, Any]) -> str:
        if name == TASK:
            return self._task
        self._count += 1
        number = f"call-{self._count}"
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        self._arrived.put_nowait(ToolCallPart(name, arguments, tool_call_id=number))
        return await answer

    async def _read(self, process: Process) -> None:
        noise = ""
        try:
            while process.stdout and (line := await process.stdout.readline()):
                self._sign_of_life.set()
                event = _decoded(line)
                if event is None:
                    noise = (noise + line.decode("utf-8", "replace"))[-_MAX_NOISE:]
                    continue
                read = self._program.read(event, self._tools)
                if isinstance(read, Utterance):
                    self._said.append(read.text)
                elif read is not None:
                    self._arrived.put_nowait(read)
        except ForeignToolError as other:
            self._fail(process, f"{self._choice.model} has a tool that is not ours and was ended: {other}")
        except (ValueError, AttributeError, TypeError):
            self._fail(process, f"{self._choice.model} printed something that cannot be read")
        detail = f"{self._choice.model} ended without an answer: {' '.join(noise.split())}"
        self._arrived.put_nowait(CallEnded("failed", detail.rstrip(": ")))

    async def _end(self, process: Process, reading: "asyncio.Task[None]") -> None:
        """End the process and all that it started."""
        for waiting in self._open.values():
            waiting.cancel()
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _END_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    def _fail(self, process: Process, detail: str) -> None:
        self._arrived.put_nowait(CallEnded("failed", detail))
        with suppress(ProcessLookupError):
            process.terminate()


def _decoded(line: bytes) -> Mapping[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _task(messages: list[ModelMessage]) -> str:
    """Return the first message; of a resumed conversation also what was said since, as text."""
    opening = [str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart)]
    if len(messages) == 1:
        return "\n\n".join(opening)
    later = json.dumps(as_data(messages)[1:], ensure_ascii=False, indent=1)
    return "\n\n".join([*opening, f"The conversation so far. Go on from here:\n{later}"])


def _refuse_repository(folder: Path) -> None:
    inside = next((one for one in folder.parents if (one / ".git").exists()), None)
    if inside is not None:
        raise SettingsError(
            f"an agent must run outside any repository, and temporary files go to {inside}: set TMPDIR"
        )


def agent_lines(
    choice: ModelChoice,
    limits: CallLimits,
    environment: Mapping[str, str],
    permits: dict[str, Permit],
    reviewed: Path | None,
) -> Callable[[], AgentLine]:
    """Return what makes a line for each conversation; raise SettingsError if the program is missing."""
    if choice.name not in permits:
        permits[choice.name] = Permit(find_agent(choice.name, environment, reviewed), choice)
    return partial(AgentLine, permits[choice.name], choice, limits)
