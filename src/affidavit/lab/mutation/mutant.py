"""Define bugs that may be planted: their edits, and what they break."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, ancestors, node_text, parse
from affidavit.languages.language import Language
from affidavit.languages.registry import LANGUAGES
from affidavit.languages.test_files import is_test
from affidavit.records.finding import Category

FAMILIES = frozenset({"python", "javascript"})
"""The languages that operators know how to break, with their dialects."""
# Text in these is read by people or other tools: an edit there breaks nothing.
UNPLANTED = frozenset(
    {
        "assert_statement",
        "decorator",
        "comment",
        "import_statement",
        "import_from_statement",
        "type",
        "type_annotation",
        "type_arguments",
        "type_alias_declaration",
        "interface_declaration",
        "raise_statement",
        "throw_statement",
    }
)
STRINGS = frozenset({"string", "template_string"})
CALLS = frozenset({"call", "call_expression"})
FUNCTIONS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "method_definition",
        "arrow_function",
        "function_expression",
        "generator_function_declaration",
        "lambda",
    }
)
# Messages and measurements: no result depends on them.
SPEAKING_CALL = re.compile(
    r"(?:self\.|this\.|cls\.)?_?(?:\w*log(?:ger|ging)?|console|warnings|metrics|statsd|sentry_sdk|span|tracer?"
    r"|messages)\.\w+.*|print|pprint|warn|assert\w*|expect|logger|log|debug|deprecated?",
    re.IGNORECASE | re.DOTALL,
)
# Results of these functions are read by people only, or they are tests.
SPEAKING_FUNCTION = re.compile(r"__repr__|__str__|toString|inspect|describe|help|test_\w+|usage")
NEVER_RUN = re.compile(r"\(?\s*(?:TYPE_CHECKING|typing\.TYPE_CHECKING|False|false|__debug__)\s*\)?")
UNSUITED_PATH = re.compile(
    r"(?:^|/)(?:docs?|examples?|samples?|benchmarks?|bench|migrations|fixtures|stories|mocks?|__mocks__|testutils?"
    r"|test_\w+|tools|scripts)/|(?:^|/)(?:conftest|setup|noxfile|fabfile)\.py$|\.d\.[mc]?ts$|\.pyi$"
    r"|\.(?:stories|config|test|spec|bench)\.\w+$|_test\.\w+$|_mock\.\w+$"
    r"|\.pb\.\w+$|_pb2\w*\.py$|_pb\.\w+$|\.gen(?:erated)?\.\w+$|_generated\.\w+$|(?:^|/)generated/",
    re.IGNORECASE,
)
MAX_NODES = 200_000


@dataclass(frozen=True)
class PlantingGround:
    """A file at head, parsed, and the lines of it that the commit added or changed."""

    path: str
    language: Language
    grammar: Grammar
    text: bytes
    root: Node
    lines: frozenset[int]

    @property
    def family(self) -> str:
        """Return the family of languages that operators break in the same way."""
        return self.language.family

    @property
    def is_typed(self) -> bool:
        """Check whether a compiler knows the types of this language, so that fewer edits are possible."""
        return self.language.is_typed

    def says(self, node: Node | None) -> str:
        """Return the text of a node."""
        return node_text(node, self.text)

    def nodes(self, *types: str, in_strings: bool = False) -> Iterator[Node]:
        """Yield the nodes of some types on changed lines, outside of messages, assertions and dead code."""
        for node, is_in_string in self._plantable:
            if node.type in types and (in_strings or not is_in_string) and self.is_own(node):
                yield node

    def is_own(self, node: Node) -> bool:
        """Check that the commit wrote every line of the node."""
        return self.lines.issuperset(range(node.start_point.row + 1, node.end_point.row + 2))

    @cached_property
    def _plantable(self) -> list[tuple[Node, bool]]:
        """Return the nodes on changed lines, in order, and whether each is in a string."""
        first, last = min(self.lines), max(self.lines)
        found: list[tuple[Node, bool]] = []
        stack = [(self.root, False)]
        while stack and len(found) < MAX_NODES:
            node, is_in_string = stack.pop()
            if node.end_point.row + 1 < first or node.start_point.row + 1 > last or self._is_barred(node):
                continue
            is_in_string = is_in_string or node.type in STRINGS
            if node.is_named:
                found.append((node, is_in_string))
            stack += [(child, is_in_string) for child in reversed(node.children)]
        return found

    def _is_barred(self, node: Node) -> bool:
        if node.type in UNPLANTED or node.is_error:
            return True
        if node.type in CALLS:
            return SPEAKING_CALL.fullmatch(called_name(self, node)) is not None
        if node.type in FUNCTIONS:
            return SPEAKING_FUNCTION.fullmatch(self.says(node.child_by_field_name("name"))) is not None
        if node.type == "if_statement":
            return NEVER_RUN.fullmatch(self.says(node.child_by_field_name("condition"))) is not None
        return False


def open_ground(path: str, text: bytes, lines: frozenset[int]) -> PlantingGround | None:
    """Parse the file for planting; None for a test, an unknown language, or a file with errors."""
    parsed_as = LANGUAGES.parsed_as(path)
    if parsed_as is None or parsed_as.language.family not in FAMILIES or not lines or is_unsuited(path):
        return None
    root = parse(parsed_as.grammar, text)
    # In a file with errors the tree is a guess, and so is the place of the bug.
    if root is None or root.has_error:
        return None
    return PlantingGround(path, parsed_as.language, parsed_as.grammar, text, root, lines)


def is_unsuited(path: str) -> bool:
    """Check for a file in which a bug would not count: tests, examples, declarations, migrations."""
    return is_test(path) or UNSUITED_PATH.search(path) is not None


def called_name(ground: PlantingGround, call: Node) -> str:
    """Return the dotted name of the called function, as written."""
    return ground.says(call.child_by_field_name("function"))


def positional_arguments(call: Node) -> list[Node] | None:
    """Return the arguments of a call by position; None if some are unpacked."""
    listed = call.child_by_field_name("arguments")
    if listed is None or listed.type not in ("argument_list", "arguments"):
        return None
    given = [one for one in listed.named_children if one.type != "comment"]
    if any(one.type in ("list_splat", "dictionary_splat", "spread_element") for one in given):
        return None
    return [one for one in given if one.type != "keyword_argument"]


def condition_of(ground: PlantingGround, branch: Node) -> str:
    """Return the condition of a branch, without the brackets that the language requires."""
    condition = branch.child_by_field_name("condition")
    text = ground.says(condition)
    return text[1:-1] if condition is not None and condition.type == "parenthesized_expression" else text


def named_part(node: Node, at: int) -> Node | None:
    """Return a named child by its number; None if there are fewer."""
    return node.named_children[at] if at < node.named_child_count else None


def function_around(node: Node) -> Node | None:
    """Return the innermost function that holds a node."""
    return next((one for one in ancestors(node) if one.type in FUNCTIONS), None)


def descendants(node: Node) -> Iterator[Node]:
    """Yield a node and all named nodes in it, in the order of the text."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        stack += reversed(one.named_children)


def excerpt(text: str, limit: int = 90) -> str:
    """Return code on one line, in quotes, cut if it is long."""
    folded = " ".join(text.split())
    return f"`{folded if len(folded) <= limit else folded[: limit - 1] + '…'}`"


@dataclass(frozen=True)
class ByteEdit:
    """One replacement of bytes; without a text it is a removal."""

    start: int
    end: int
    text: bytes = b""


@dataclass(frozen=True)
class Proposal:
    """One possible bug; its place is that of the first edit."""

    edits: tuple[ByteEdit, ...]
    description: str
    category: Category | None = None
    """The category, if it is not the operator's."""


@dataclass(frozen=True)
class Operator:
    """One way to break code: its name, and what kind of bug it makes."""

    name: str
    propose: Callable[[PlantingGround], Iterable[Proposal]]
    category: Category = Category.CORRECTNESS


@dataclass(frozen=True)
class Mutant:
    """A file with one bug in it, and the lines of the bug."""

    operator: str
    category: Category
    path: str
    text: bytes
    line: int
    end_line: int
    description: str


def mutants(operator: Operator, ground: PlantingGround) -> Iterator[Mutant]:
    """Yield every bug that an operator can plant in a file."""
    for proposal in operator.propose(ground):
        text = apply_edits(ground.text, proposal.edits)
        if text == ground.text:
            continue
        line, end_line = _place(text, proposal)
        yield Mutant(
            operator=operator.name,
            category=proposal.category or operator.category,
            path=ground.path,
            text=text,
            line=line,
            end_line=end_line,
            description=proposal.description,
        )


def apply_edits(text: bytes, edits: Iterable[ByteEdit]) -> bytes:
    """Return the text with all edits made; they must not overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: one.start):
        if edit.start < at:
            raise ValueError("two edits overlap")
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*parts, text[at:]])


def _place(text: bytes, proposal: Proposal) -> tuple[int, int]:
    """Return the bug's first and last line in the new text; for removed code, the line that follows it."""
    edit = proposal.edits[0]
    last = max(1, text.rstrip(b"\n").count(b"\n") + 1)
    first = text.count(b"\n", 0, edit.start) + 1
    end = first + edit.text.rstrip(b"\n").count(b"\n")
    return min(first, last), min(end, last)


BLOCKS = frozenset({"block", "statement_block", "program", "module", "class_body"})


def whole_lines(text: bytes, node: Node) -> tuple[int, int] | None:
    """Return the lines of a statement as a byte range; None if it shares them with another one."""
    start = text.rfind(b"\n", 0, node.start_byte) + 1
    end = text.find(b"\n", node.end_byte)
    end = len(text) if end < 0 else end + 1
    before, after = text[start : node.start_byte], text[node.end_byte : end]
    is_alone = not before.strip() and (
        not after.strip(b" \t\r\n;") or after.strip().startswith((b"#", b"//"))
    )
    return (start, end) if is_alone else None


def has_siblings(node: Node) -> bool:
    """Check that the block has other statements, so that it is not empty without this one."""
    around = node.parent
    if around is None or around.type not in BLOCKS:
        return False
    return sum("comment" not in one.type for one in around.named_children) > 1
