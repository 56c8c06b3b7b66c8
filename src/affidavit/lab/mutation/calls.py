"""Break calls: swap arguments, drop `await` or escaping, turn protecting options off."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    CALLS,
    ByteEdit,
    PlantingGround,
    Proposal,
    called_name,
    descendants,
    excerpt,
    function_around,
    named_part,
    positional_arguments,
)
from affidavit.records.finding import Category

MARKUP = "markup in it becomes part of the page (cross-site scripting)"
ADDRESS = "a special character in it (`&`, `/`, `#`, `?`) changes the meaning of the address"
COMMAND = "a special character in it becomes part of the shell command (command injection)"
PATTERN = "a special character in it becomes part of the regular expression"
PLACE = "a path with `..` or a folder in it leads outside of where it should stay"

ESCAPES = {
    "html.escape": MARKUP,
    "escape_html": MARKUP,
    "conditional_escape": MARKUP,
    "force_escape": MARKUP,
    "escapeHtml": MARKUP,
    "escapeHTML": MARKUP,
    "DOMPurify.sanitize": MARKUP,
    "bleach.clean": MARKUP,
    "strip_tags": MARKUP,
    "html.EscapeString": MARKUP,
    "template.HTMLEscapeString": MARKUP,
    "HtmlUtils.htmlEscape": MARKUP,
    "shlex.quote": COMMAND,
    "quote_plus": ADDRESS,
    "urlquote": ADDRESS,
    "encodeURIComponent": ADDRESS,
    "url.QueryEscape": ADDRESS,
    "url.PathEscape": ADDRESS,
    "URLEncoder.encode": ADDRESS,
    "re.escape": PATTERN,
    "regexp.QuoteMeta": PATTERN,
    "Pattern.quote": PATTERN,
    "escapeRegExp": PATTERN,
    "secure_filename": PLACE,
    "get_valid_filename": PLACE,
    "os.path.basename": PLACE,
    "filepath.Base": PLACE,
    "filepath.Clean": PLACE,
    "path.basename": PLACE,
}

# The first two arguments of calls whose parameters have the same type and a fixed order.
KNOWN_ORDER = {
    "re.match": ("pattern", "string"),
    "re.search": ("pattern", "string"),
    "re.fullmatch": ("pattern", "string"),
    "re.findall": ("pattern", "string"),
    "re.split": ("pattern", "string"),
    "os.rename": ("src", "dst"),
    "os.replace": ("src", "dst"),
    "shutil.copy": ("src", "dst"),
    "shutil.copyfile": ("src", "dst"),
    "shutil.move": ("src", "dst"),
    "os.path.relpath": ("path", "start"),
    "fnmatch.fnmatch": ("name", "pattern"),
    "strings.Contains": ("s", "substr"),
    "strings.HasPrefix": ("s", "prefix"),
    "strings.HasSuffix": ("s", "suffix"),
    "strings.TrimPrefix": ("s", "prefix"),
    "strings.TrimSuffix": ("s", "suffix"),
    "strings.Split": ("s", "sep"),
    "strings.Index": ("s", "substr"),
    "bytes.HasPrefix": ("s", "prefix"),
    "filepath.Rel": ("basepath", "targpath"),
    "os.Rename": ("oldpath", "newpath"),
    "Math.pow": ("base", "exponent"),
    "path.relative": ("from", "to"),
    "fs.renameSync": ("oldPath", "newPath"),
    "fs.copyFileSync": ("src", "dest"),
}


_TLS = "certificates are not checked, so anybody on the way can read and change what is sent"
_COOKIE = "scripts of the page can read the cookie"
# Safe value, unsafe value, effect of the unsafe one, category.
OPTIONS = {
    "verify": ("True", "False", _TLS, Category.SECURITY),
    "rejectUnauthorized": ("true", "false", _TLS, Category.SECURITY),
    "InsecureSkipVerify": ("false", "true", _TLS, Category.SECURITY),
    "check_hostname": ("True", "False", _TLS, Category.SECURITY),
    "shell": ("False", "True", COMMAND, Category.SECURITY),
    "autoescape": ("True", "False", MARKUP, Category.SECURITY),
    "httponly": ("True", "False", _COOKIE, Category.SECURITY),
    "httpOnly": ("true", "false", _COOKIE, Category.SECURITY),
    "HttpOnly": ("true", "false", _COOKIE, Category.SECURITY),
    "check": ("True", "False", "a program that fails goes unnoticed", Category.RELIABILITY),
    "exist_ok": ("True", "False", "the call fails if the folder exists", Category.RELIABILITY),
    "missing_ok": ("True", "False", "the call fails if the file is missing", Category.RELIABILITY),
    "strict": ("True", "False", "sequences of different length are cut off silently", Category.CORRECTNESS),
}


PLACEHOLDER = re.compile(r"%s")


def swap_arguments(ground: PlantingGround) -> Iterator[Proposal]:
    """Swap the first two arguments of a library function."""
    for call in ground.nodes(*CALLS):
        name = called_name(ground, call)
        given = positional_arguments(call) or []
        if name not in KNOWN_ORDER or len(given) < 2:
            continue
        first, second = given[:2]
        old, new = ground.says(first), ground.says(second)
        yield Proposal(
            (
                ByteEdit(first.start_byte, first.end_byte, new.encode()),
                ByteEdit(second.start_byte, second.end_byte, old.encode()),
            ),
            f"Two arguments of {excerpt(name)} are swapped: it takes `{KNOWN_ORDER[name][0]}` and then "
            f"`{KNOWN_ORDER[name][1]}`, but is given {excerpt(new, 40)} and then {excerpt(old, 40)}.",
        )


def drop_awaits(ground: PlantingGround) -> Iterator[Proposal]:
    """Remove an `await`."""
    for node in ground.nodes("await", "await_expression"):
        called = named_part(node, 0)
        around = node.parent
        # At the top of a module the program waits for what is pending before it ends.
        if called is None or around is None or called.type not in CALLS or function_around(node) is None:
            continue
        is_statement = around.type == "expression_statement"
        is_assigned = around.type in ("assignment", "variable_declarator") and not ground.is_typed
        if not (is_statement or is_assigned):
            continue
        yield Proposal(
            (ByteEdit(node.start_byte, called.start_byte),),
            f"`await` is missing before {excerpt(ground.says(called))}: the code goes on too early.",
        )


def remove_escapes(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `escape(x)` with `x`."""
    for call in ground.nodes(*CALLS, in_strings=True):
        danger = ESCAPES.get(called_name(ground, call)) or ESCAPES.get(
            called_name(ground, call).rpartition(".")[2]
        )
        given = positional_arguments(call)
        if danger is None or not given or _is_constant(given[0]):
            continue
        yield Proposal(
            (ByteEdit(call.start_byte, call.end_byte, ground.says(given[0]).encode()),),
            f"{excerpt(ground.says(given[0]))} is used without `{called_name(ground, call)}`: {danger}.",
        )


def _is_constant(node: Node) -> bool:
    return "string" in node.type and not any("interpolation" in one.type for one in descendants(node))


def join_queries(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `execute(sql, (x,))` with `execute(sql % (x,))`."""
    for call in ground.nodes("call"):
        given = positional_arguments(call) or []
        if not re.fullmatch(r".*\.(?:execute|raw)", called_name(ground, call), re.DOTALL) or len(given) != 2:
            continue
        query, values = given
        items = [ground.says(one) for one in values.named_children]
        is_written = query.type == "string" and values.type in ("tuple", "list") and bool(items)
        if not is_written or len(PLACEHOLDER.findall(ground.says(query))) != len(items):
            continue
        joined = f"{ground.says(query)} % ({', '.join(items)}{',' if len(items) == 1 else ''})"
        yield Proposal(
            (ByteEdit(query.start_byte, values.end_byte, joined.encode()),),
            f"SQL injection: {excerpt(', '.join(items), 60)} is put into the text of the query with `%` "
            "instead of being passed as a parameter.",
        )


def turn_options(ground: PlantingGround) -> Iterator[Proposal]:
    """Turn a protecting option off."""
    for node in ground.nodes("keyword_argument", "pair", "keyed_element"):
        name, value = _option(ground, node)
        safe, unsafe, effect, category = OPTIONS.get(name, ("", "", "", None))
        if value is not None and safe and ground.says(value) == safe:
            yield Proposal(
                (ByteEdit(value.start_byte, value.end_byte, unsafe.encode()),),
                f"{excerpt(ground.says(node))} became `{unsafe}`: {effect}.",
                category,
            )


def _option(ground: PlantingGround, node: Node) -> tuple[str, Node | None]:
    name = node.child_by_field_name("name") or node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if node.type == "keyed_element" and len(node.named_children) == 2:
        name, value = node.named_children
        value = named_part(value, 0) or value
    return ground.says(name).strip("'\""), value
