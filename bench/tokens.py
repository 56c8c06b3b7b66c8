"""The tokens of a fixed review: a scripted mind makes the same calls here and in an earlier version.

`python -m bench tokens` sends what a model would be sent, to nobody, and counts it; the earlier version is
checked out beside this one and counted by the same script.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BEFORE = "c70713b"
"""The version that is compared with."""
BOUND = 1.0
BOUNDED = ("tools", "needed")
BYTES_A_TOKEN = 4
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_file_context", {"file_path": "shop/orders.py", "start_line": 1, "end_line": 120}),
    ("find_definition", {"symbol": "to_cents"}),
    ("find_references", {"symbol": "total_00"}),
    ("search", {"pattern": "total_0", "context_lines": 2}),
    ("search", {"pattern": "amount"}),
    ("outline", {"file_path": "shop/orders.py"}),
)
"""What each specialist asks for, all in one reply; then it answers."""
SPECIALISTS = 4
IN_THE_PREFIX = {"get_file_context", "find_definition"}
"""What the shared text has already, where it has the code around the hunks."""


def _files(factor: str) -> dict[str, str]:
    functions = "".join(
        f"def total_{number:02}(items):\n"
        f'    """The total of an order of kind {number}."""\n'
        "    amount = 0\n"
        "    for item in items:\n"
        f"        amount += to_cents(item){factor if number == 3 else ''}\n"
        "    return amount\n\n\n"
        for number in range(20)
    )
    messages = "".join(f'msgid "amount {n}"\nmsgstr "Betrag {n}"\n\n' for n in range(60))
    users = {
        f"web/page{n:02}.py": f"from shop.orders import total_{n:02}\n\n\ndef show(items):\n"
        f"    amount = total_{n:02}(items)\n    return amount\n"
        for n in range(20)
    }
    return {
        "shop/money.py": "def to_cents(amount):\n    return amount * 100\n",
        "shop/orders.py": f"from shop.money import to_cents\n\n\n{functions}",
        "locale/de.po": messages,
        **users,
    }


def measure() -> dict[str, int]:
    """What the specialists of this version would be sent, in tokens."""
    from affidavit.assembly import assemble_panel  # noqa: PLC0415
    from affidavit.events import ignore_events  # noqa: PLC0415
    from affidavit.ports import Case  # noqa: PLC0415
    from affidavit.specialists.agents.model_agents import LENSES  # noqa: PLC0415
    from affidavit.stages.intake import ChangeRequest, open_change  # noqa: PLC0415
    from affidavit.stages.plan import plan_by_size  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        _commit(Path(folder))
        with open_change(ChangeRequest(target="HEAD", repo=Path(folder))) as opened:
            session = assemble_panel({}, None).convene(Case(opened.change, opened.repository, ignore_events))
            plan = plan_by_size(opened.change, LENSES)
            prefix = session.briefing.change_text(plan.chunks[0], plan)
            tools = session.panel.make_tools(session.case)
            is_known = "shop/orders.py at head, total_03:" in prefix
            answers = {number: _written(tools.call(*one)) for number, one in enumerate(CALLS)}
            needed = [at for at, one in enumerate(CALLS) if not (is_known and one[0] in IN_THE_PREFIX)]
            described = json.dumps(tools.descriptions)
    first = len((prefix + described).encode()) // BYTES_A_TOKEN
    read = sum(len(text.encode()) for text in answers.values()) // BYTES_A_TOKEN
    less = sum(len(answers[at].encode()) for at in needed) // BYTES_A_TOKEN
    return {
        "opening": first,
        "tools": read,
        "same": SPECIALISTS * (2 * first + read),
        "needed": SPECIALISTS * (2 * first + less),
    }


def _written(answer: dict[str, Any]) -> str:
    """As a model of this version reads it."""
    try:
        from affidavit.minds.wire.tool_text import written  # noqa: PLC0415
    except ImportError:
        return json.dumps(answer, ensure_ascii=False)
    return written(answer)


def _commit(folder: Path) -> None:
    _git(folder, "init", "-q", "-b", "main")
    for message, factor in (("Before", ""), ("Count twice", " * 2")):
        for name, text in _files(factor).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        _git(folder, "add", "-A")
        _git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", message)


def _git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)


def measure_before() -> dict[str, int]:
    """The same for the earlier version, whose sources are checked out for it."""
    here = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "before"
        _git(here, "worktree", "add", "-q", "--detach", str(place), BEFORE)
        try:
            command = [sys.executable, str(Path(__file__).absolute()), "measure"]
            environment = {**os.environ, "PYTHONPATH": str(place / "src")}
            done = subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
        finally:
            _git(here, "worktree", "remove", "--force", str(place))
    found: dict[str, int] = json.loads(done.stdout)
    return found


def lines() -> list[str]:
    """A line for what is sent first, for what tools answer, and for all that is sent."""
    now, before = measure(), measure_before()
    names = {
        "opening": "what a specialist reads first",
        "tools": "what tools answer to the same calls",
        "same": f"{SPECIALISTS} specialists, the same calls",
        "needed": f"{SPECIALISTS} specialists, no known code again",
    }
    return [
        f"{names[key]:<38} {now[key]:8.0f} tok {f'version {BEFORE}':<42} {before[key]:8.0f} tok"
        f" ratio {now[key] / before[key]:6.2f}"
        + (
            f"   {'within' if now[key] / before[key] <= BOUND else 'OVER'} {BOUND:g}"
            if key in BOUNDED
            else ""
        )
        for key in names
    ]


if __name__ == "__main__":
    print(json.dumps(measure()))
