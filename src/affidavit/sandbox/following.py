"""Find out which changed lines of Python and JavaScript a run executes.

In the sandbox, Python is traced and V8 counts; both send notes through the pipe of `watching`.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from affidavit.ports import Tree
from affidavit.sandbox.job import SIDE, WATCH

LINES = "lines"
"""A file in `WATCH` with the changed lines of each file."""
RAN, FOLLOWED, UNSURE = "ran", "followed", "unsure"
TRACED = frozenset((".py", ".js", ".cjs", ".mjs"))
MAX_LINES = 3_000
"""Files that are longer are not followed: comparing them would take too long."""
MAX_NAMED = 1_000


def is_traced(path: str) -> bool:
    return PurePosixPath(path).suffix in TRACED


def changed_lines(tree: Tree, other: Tree, paths: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the lines of each traced file that the other side lacks; none of long files."""
    found = {path: (tree.lines(path) or [], other.lines(path) or []) for path in paths if is_traced(path)}
    return {
        path: tuple(_new_lines(before, after))
        for path, (after, before) in found.items()
        if before != after and max(len(before), len(after)) <= MAX_LINES
    }


def _new_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[int]:
    for kind, _, _, start, end in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if kind != "equal":
            yield from range(start + 1, end + 1)


def listing(lines: Mapping[str, Sequence[int]]) -> str:
    """Write the lines for the sandbox; a name with a line end is left out."""
    rows = [(path, numbers) for path, numbers in lines.items() if numbers and path.isprintable()]
    return "".join(f"{path}\t{' '.join(map(str, numbers[:MAX_NAMED]))}\n" for path, numbers in rows)


def lines_that_ran(notes: Iterable[str], lines: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Read the notes of a run; only changed lines count."""
    ran: dict[str, set[int]] = {}
    for note in notes:
        kind, _, rest = note.partition(" ")
        number, _, path = rest.partition(" ")
        if kind == RAN and number.isdecimal() and int(number) in lines.get(path, ()):
            ran.setdefault(path, set()).add(int(number))
    return {path: sorted(numbers) for path, numbers in sorted(ran.items())}


def in_words(path: str, numbers: Sequence[int]) -> str:
    """Name the lines of a file, with ranges."""
    runs = [
        [number for _, number in group]
        for _, group in groupby(enumerate(numbers), lambda one: one[1] - one[0])
    ]
    return f"{path}:{', '.join(str(run[0]) if len(run) == 1 else f'{run[0]}-{run[-1]}' for run in runs)}"


# A line of a function's head runs when the function is called, not when it is defined. A line without code of
# its own, such as a closing bracket, runs with the code before it.
IN_PYTHON = f"""
WANTED = {{}}
PATHS = {{}}
PARTS = {{}}


def follow():
    try:
        with open(HERE + {"/" + LINES!r}) as listed:
            for line in listed:
                path, _, numbers = line.partition("\\t")
                WANTED[path] = set(map(int, numbers.split()))
                PATHS[path] = PATHS[SIDE + path] = path
    except OSError:
        return
    import atexit
    if hasattr(sys, "monitoring"):
        watch = sys.monitoring
        watch.use_tool_id(4, "affidavit")
        watch.register_callback(4, watch.events.LINE, lambda code, line: mark(code, line) or watch.DISABLE)
        watch.set_events(4, watch.events.LINE)
        atexit.register(lambda: note({FOLLOWED!r}, "to the end"))
        return
    import threading
    threading.settrace(trace)
    sys.settrace(trace)
    atexit.register(lambda: note({FOLLOWED!r} if sys.gettrace() is trace else {UNSURE!r}, "to the end"))


def trace(frame, event, arg):
    if frame.f_code.co_filename not in PATHS:
        return None
    if event == "line":
        mark(frame.f_code, frame.f_lineno)
    return trace


def mark(code, line):
    path = PATHS.get(code.co_filename)
    wanted = WANTED.get(path)
    if not wanted:
        return
    if code not in PARTS:
        PARTS[code] = parts_of(code)
    head, inner, covered = PARTS[code]
    if line in inner:
        return
    for number in wanted & (head | covered.get(line, {{line}})):
        wanted.discard(number)
        note({RAN!r}, "%d %s" % (number, path))


def parts_of(code):
    lines = lines_of(code)
    inner = set()
    for one in code.co_consts:
        if hasattr(one, "co_firstlineno") and one.co_name.isidentifier():
            inner |= head_of(one)
    ends = lines[1:] + lines[-1:]
    covered = {{line: set(range(line, max(end, line + 1))) for line, end in zip(lines, ends)}}
    is_function = code.co_flags & 2
    return (head_of(code) if is_function else set()), inner, covered


def head_of(code):
    body = [line for line in lines_of(code) if line > code.co_firstlineno]
    return set(range(code.co_firstlineno, body[0] if body else code.co_firstlineno + 1))


def lines_of(code):
    found = code.co_lines() if hasattr(code, "co_lines") else ()
    return sorted({{line for _, _, line in found if line}}) or [code.co_firstlineno]
"""
IN_NODE = f"""
const fs = require("node:fs");
const children = require("node:child_process");
const {{ fileURLToPath }} = require("node:url");
const wanted = new Map();
try {{
  for (const line of fs.readFileSync("{WATCH}/{LINES}", "utf8").split("\\n")) {{
    const [path, numbers] = line.split("\\t");
    if (numbers && /\\.[cm]?js$/.test(path)) wanted.set("{SIDE}/" + path, numbers.split(" ").map(Number));
  }}
}} catch {{}}
function note(text) {{
  try {{
    const pipe = fs.openSync("{WATCH}/noted", fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
    fs.writeSync(pipe, text + "\\n");
    fs.closeSync(pipe);
  }} catch {{}}
}}
function isRun(functions, offset) {{
  let best = null;
  for (const one of functions)
    for (const range of one.ranges)
      if (range.startOffset <= offset && offset < range.endOffset)
        if (!best || range.endOffset - range.startOffset <= best.endOffset - best.startOffset) best = range;
  return best !== null && best.count > 0;
}}
function look(script, place) {{
  const text = fs.readFileSync(place, "utf8");
  if (script.functions[0].ranges[0].endOffset !== text.length) return note("{UNSURE} transformed");
  let offset = 0;
  text.split("\\n").forEach((line, index) => {{
    // A function's head ends inside of it.
    const last = offset + Math.max(0, line.trimEnd().length - 1);
    if (wanted.get(place).includes(index + 1) && /[\\w"'`]/.test(line) && isRun(script.functions, last))
      note("{RAN} " + (index + 1) + " " + place.slice({len(SIDE) + 1}));
    offset += line.length + 1;
  }});
}}
function begun() {{
  try {{
    const {{ Session }} = require("node:inspector");
    const session = new Session();
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", {{ callCount: true, detailed: true }});
    return session;
  }} catch {{
    // The process that starts `node --test` has no inspector.
    note("{UNSURE} inspector");
  }}
}}
if (wanted.size) {{
  const spawn = children.ChildProcess.prototype.spawn;
  children.ChildProcess.prototype.spawn = function (...given) {{
    note("{UNSURE} child");
    return spawn.apply(this, given);
  }};
  for (const name of ["spawnSync", "execSync", "execFileSync"]) {{
    const own = children[name];
    children[name] = (...given) => (note("{UNSURE} child"), own(...given));
  }}
  const session = begun();
  if (session) process.on("exit", () => {{
    session.post("Profiler.takePreciseCoverage", (error, answer) => {{
      if (error) return;
      for (const script of answer.result) {{
        const place = script.url.startsWith("file:") ? fileURLToPath(script.url) : script.url;
        if (wanted.has(place)) look(script, place);
      }}
      note("{FOLLOWED} to the end");
    }});
  }});
}}
"""
