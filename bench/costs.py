"""Count what a review sends, new and repeated, with scripted models that read as real ones do.

The server keeps what it was sent, as a provider's cache does: the beginning that a request shares with an
earlier one is repeated, the rest is new. A model asks at once for all that it wants to know, and for nothing
that it was given.
"""

import json
import re
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from operator import add
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from affidavit.records.settings_entries import EFFORTS, Effort
from bench.measure import Row, Scale
from bench.models import CLAIM, JUDGED, PLAN, PROOF, WORDS, lens_number, result_of, scripted_review
from bench.repositories import commit, run
from bench.slow_model import SlowModel, names_of_tools, serving, tool_calls

BYTES_A_TOKEN = 4
SMALLEST_PREFIX, PREFIX_STEP = 1024, 128
"""Tokens: as documented by providers."""
PARTS_A_FILE, BODY, USERS = 3, 24, 2
MAX_FOLLOWED = 6
"""Changed functions that one mind follows to their callers."""
LONG_ROUNDS, LONG_STEP, LONG_OVERLAP = 12, 100, 60
"""A mind that does not find what it looks for: as many rounds as one took in a trial, and their lines."""
LAST = "Hand in your answer now"


class Spent(NamedTuple):
    """What a review sent."""

    total: int
    new: int
    requests: int


class Need(NamedTuple):
    """Lines that a mind wants to have read."""

    path: str
    first: int
    last: int


def changed_part(number: int, *, is_changed: bool) -> list[str]:
    """Return a function of the change; no two of its lines are alike."""
    sign = "-" if is_changed else "+"
    steps = (
        f"    step_{number}_{at} = order_{number}.value_{at} {sign if at in (10, 11, 12) else '+'} {at}"
        for at in range(BODY)
    )
    return [f"def part_{number}(order_{number}):", *steps, f"    return step_{number}_{BODY - 1}", "", ""]


def part_file(number: int, *, is_changed: bool = True) -> list[str]:
    """Return a changed file."""
    parts = range(number * PARTS_A_FILE, (number + 1) * PARTS_A_FILE)
    head = [f'"""Part file {number} of the orders."""', "", ""]
    return [*head, *(line for part in parts for line in changed_part(part, is_changed=is_changed))]


def user_file(number: int, user: int) -> list[str]:
    """Return a file whose function calls a part."""
    name = f"user_{number}_{user}"
    return [
        f"from app.part_file_{number // PARTS_A_FILE} import part_{number}",
        f"from lib.helper_{number} import helper_{number}",
        "",
        "",
        f"def {name}(orders_{name}):",
        f"    ready_{name} = [helper_{number}(one) for one in orders_{name}]",
        *(f"    count_{name}_{at} = len(ready_{name}) + {at}" for at in range(8)),
        f"    first_{name} = part_{number}(ready_{name}[0])",
        *(f"    total_{name}_{at} = first_{name} * {at}" for at in range(6)),
        f"    return total_{name}_5",
    ]


def helper_file(number: int) -> list[str]:
    """Return what the users of a part call before it."""
    return [f"def helper_{number}(one_{number}):", *_steps(f"helped_{number}", 18)]


def test_file(number: int) -> list[str]:
    """Return the test of a part."""
    head = [f"from app.part_file_{number // PARTS_A_FILE} import part_{number}", "", ""]
    steps = _steps(f"tested_{number}", 18)
    return [*head, f"def test_part_{number}():", *steps, f"    assert part_{number}(Order()) == 23"]


def deep_file() -> list[str]:
    """Return a long file that a mind reads piece by piece."""
    lines = LONG_STEP * (LONG_ROUNDS + 1)
    return ["def deep():", *_steps("deep_step", lines)]


def _steps(name: str, count: int) -> list[str]:
    return [f"    {name}_{at} = {at} + len({name!r}) * {at + 1}" for at in range(count)]


def file_of(path: str) -> list[str]:
    """Return a file of the repository by its path."""
    numbers = [int(one) for one in re.findall(r"\d+", path)]
    if path.startswith("app/"):
        return part_file(*numbers)
    if path.startswith("use/"):
        return user_file(*numbers)
    if path.startswith("lib/helper"):
        return helper_file(*numbers)
    return test_file(*numbers) if path.startswith("tests/") else deep_file()


class Careful(SlowModel):
    """Plays every role; specialists and verifiers read what the change touches before they answer."""

    seen: ClassVar[list[str]] = []
    lock: ClassVar[threading.Lock] = threading.Lock()

    def usage(self, body: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
        """Return the tokens of a request, and how many of them were sent before."""
        text = "".join(map(json.dumps, [body.get("tools", []), *body["messages"]]))
        with self.lock:
            known = max((_alike(text, one) for one in self.seen), default=0)
            self.seen.append(text)
        cached = known // BYTES_A_TOKEN // PREFIX_STEP * PREFIX_STEP
        read, written = len(text) // BYTES_A_TOKEN, len(json.dumps(delta)) // BYTES_A_TOKEN
        return {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": cached if cached >= SMALLEST_PREFIX else 0},
        }

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return what the role that asks is expected to answer, or calls of tools before that."""
        names = names_of_tools(body)
        if not names:
            return {"content": json.dumps(WORDS)}
        if "review_plan" in names:
            return tool_calls([("review_plan", PLAN)])
        told = "\n".join(_text(message) for message in body["messages"])
        is_verifier = "verification_judgment" in names
        asked = {_need(call) for message in body["messages"] for call in message.get("tool_calls") or ()}
        for stage in self.stages(told, is_verifier=is_verifier):
            missing = [need for need in stage if need not in asked and not _has(told, need)]
            if missing and LAST not in _text(body["messages"][-1]):
                rounds = sum(message["role"] == "tool" for message in body["messages"])
                return tool_calls([("get_file_context", _asking(need)) for need in missing], rounds + 1)
        if is_verifier:
            return tool_calls([("verification_judgment", JUDGED)])
        return tool_calls([("review_result", result_of(list(_findings(told))))])

    def stages(self, told: str, *, is_verifier: bool) -> Iterator[list[Need]]:
        """Yield what is wanted first, and what only that leads to."""
        about = told.partition("# The finding")[2] if is_verifier else told
        files = dict.fromkeys(map(int, re.findall(r"app/part_file_(\d+)\.py", about)))
        parts = [part for file in files for part in range(file * PARTS_A_FILE, (file + 1) * PARTS_A_FILE)]
        followed = parts[: 1 if is_verifier else MAX_FOLLOWED]
        wanted = [*map(_part, followed), *(_user(part, user) for part in followed for user in range(USERS))]
        if not is_verifier:
            wanted += [whole(f"tests/test_part_{part}.py") for part in followed]
            # Only the code of the users names them.
            wanted += [whole(f"lib/helper_{part}.py") for part in followed if f"[helper_{part}(" in told]
        yield wanted


class Lost(Careful):
    """Reads a long file piece by piece, each piece with some of the lines before it."""

    def stages(self, told: str, *, is_verifier: bool) -> Iterator[list[Need]]:
        """Yield what a careful mind reads, then one piece after the other."""
        yield from super().stages(told, is_verifier=is_verifier)
        if not is_verifier:
            yield [whole("app/part_file_0.py")]
            for number in range(1, LONG_ROUNDS + 1):
                yield [
                    Need("lib/deep.py", max(1, LONG_STEP * number - LONG_OVERLAP), LONG_STEP * (number + 1))
                ]


def _findings(told: str) -> Iterator[dict[str, Any]]:
    """Yield a finding in the file of the first lens, if its diff was shown."""
    number = lens_number(told)
    file, line = f"app/part_file_{number}.py", 15
    quote = {"code_examined": part_file(number)[line - 1], "line_range_examined": [line, line]}
    if f"=== {file}" in told:
        proof = {**PROOF, **quote}
        yield {**CLAIM, "title": f"Wrong {number}", "file": file, "line": line, "verification": proof}


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def whole(path: str) -> Need:
    """Return the need of a whole file."""
    return Need(path, 1, len(file_of(path)))


def _part(number: int) -> Need:
    first = 4 + number % PARTS_A_FILE * len(changed_part(number, is_changed=True))
    return Need(f"app/part_file_{number // PARTS_A_FILE}.py", first, first + BODY + 1)


def _user(number: int, user: int) -> Need:
    path = f"use/user_{number}_{user}.py"
    return Need(path, 5, len(file_of(path)))


def _has(told: str, need: Need) -> bool:
    return all(line in told for line in file_of(need.path)[need.first - 1 : need.last] if line)


def _asking(need: Need) -> dict[str, Any]:
    return {"file_path": need.path, "start_line": need.first, "end_line": need.last}


def _need(call: dict[str, Any]) -> Need:
    asked = json.loads(call["function"]["arguments"])
    return Need(asked.get("file_path", ""), asked.get("start_line", 0), asked.get("end_line", 0))


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@contextmanager
def shop(files: int) -> Iterator[Path]:
    """Make a repository whose branch `topic` changes every function of some files that others use."""
    parts = range(files * PARTS_A_FILE)
    paths = [f"use/user_{part}_{user}.py" for part in parts for user in range(USERS)]
    paths += [f"{place}_{part}.py" for part in parts for place in ("lib/helper", "tests/test_part")]
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        repository.mkdir()
        texts = {path: file_of(path) for path in [*paths, "lib/deep.py"]}
        before = {f"app/part_file_{file}.py": part_file(file, is_changed=False) for file in range(files)}
        commit(repository, "Write orders", _joined({**texts, **before}))
        run("git", "checkout", "-q", "-b", "topic", cwd=repository)
        commit(repository, "Subtract three steps", _joined({path: file_of(path) for path in before}))
        yield repository


def _joined(texts: dict[str, list[str]]) -> dict[str, str]:
    return {path: "\n".join(lines) + "\n" for path, lines in texts.items()}


def spent_on(files: int, model: type[SlowModel], effort: Effort = "normal") -> dict[str, Spent]:
    """Return what each role sends in a review of a change of so many files."""
    with shop(files) as repository, serving(model, 0) as url:
        report = scripted_review(repository, repository.parent / "cache", url, effort=effort)
    spent: dict[str, Spent] = defaultdict(lambda: Spent(0, 0, 0))
    for one in report.usage:
        sent = Spent(one.input_tokens, one.input_tokens - one.cached_tokens, one.requests)
        for name in (one.role, "all"):
            spent[name] = Spent(*map(add, spent[name], sent))
    return dict(spent)


REVIEWS: dict[str, tuple[int, type[SlowModel]]] = {
    "of a small change": (1, Careful),
    "of a middle-sized change": (5, Careful),
    "of a large change": (20, Careful),
    "of a small change that leads nowhere": (1, Lost),
}
AT_START = {
    "of a small change": Spent(37_845, 18_133, 7),
    "of a middle-sized change": Spent(63_455, 31_327, 7),
    "of a large change": Spent(352_985, 81_369, 23),
    "of a small change that leads nowhere": Spent(365_265, 47_697, 20),
}
"""What commit c111ac90 sent, measured by running this module beside its source: `python -m bench costs`."""
BOUNDS = {
    "of a small change": (0.7, 1.0),
    "of a middle-sized change": (0.75, 1.0),
    "of a large change": (0.55, 0.8),
}
"""Of all and of new tokens. An ordinary conversation has few rounds: nearly all of it is new, and needed."""
LONG_BOUNDS = (0.5, 0.6)


def costs(scale: Scale) -> Iterator[Row]:
    """Compare what reviews send with what they sent before efforts, limits and histories."""
    chosen = dict(list(REVIEWS.items())[: None if scale.is_started else 1])
    sums = [Spent(0, 0, 0), Spent(0, 0, 0)]
    for name, (files, model) in chosen.items():
        now, then = spent_on(files, model)["all"], AT_START[name]
        sums = [Spent(*map(add, total, one)) for total, one in zip(sums, (now, then), strict=True)]
        yield from _rows(f"a review {name}", now, then, BOUNDS.get(name, LONG_BOUNDS))
    yield from _rows("these reviews together", *sums, (0.5, 0.8))


def _rows(name: str, now: Spent, then: Spent, bounds: tuple[float, float]) -> Iterator[Row]:
    yield Row(name, now.total, "at commit c111ac90", then.total, bounds[0], "tok")
    yield Row("  its new tokens", now.new, "at commit c111ac90", then.new, bounds[1], "tok")


def main() -> None:
    """Print what each role sends at each effort."""
    for effort, (name, (files, model)) in product(EFFORTS, REVIEWS.items()):
        for role, one in spent_on(files, model, effort).items():
            sent = f"{one.total:,} tokens, {one.new:,} new, {one.requests} requests"
            print(f"{effort}: a review {name}, {role}: {sent}", flush=True)
