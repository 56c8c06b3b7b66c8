"""List ruff's security rules with their bandit codes, and find what bandit would find beyond ruff."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from affidavit.analysers.python_syntax import nodes_in, tree_of
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

LOW, MEDIUM = Severity.LOW, Severity.MEDIUM
BIDIRECTIONAL = "PLE2502"
BANDIT_CODES = {BIDIRECTIONAL: "B613"}
"""Bandit's codes that have another number; S602 is B602."""
_wrong = RuleMaker("ruff", category=Category.SECURITY)


def bandit_code(code: str) -> str:
    """Return the test of bandit that reports the same as a rule of ruff."""
    return BANDIT_CODES.get(code) or code.replace("S", "B")


def _insecure(
    codes: str,
    title: str,
    attack: str,
    outcome: str,
    fix: str,
    *,
    severity: Severity = Severity.HIGH,
) -> list[Rule]:
    """Make rules whose code can be abused; tests are run by their authors, so they are left alone."""
    return [
        rule
        for code in codes.split()
        for rule in _wrong(
            code,
            title,
            outcome,
            fix,
            severity=severity,
            failing_input=attack,
            in_tests=False,
            # People silence it as a test of bandit, too; the star is a bare `nosec`.
            silenced_as=(f"bandit/{bandit_code(code)}", "bandit/*"),
        )
    ]


SECURITY_RULES: tuple[Rule, ...] = (
    *_insecure(
        "S602 S605",
        "Shell injection{through}",
        "A part of the command that holds `; rm -rf ~` or `$(…)`.",
        "The shell runs whatever a part of the command says.",
        "Pass the program and its arguments as a list, without a shell.",
    ),
    *_insecure(
        "S608",
        "SQL injection{through}",
        "A value such as `' OR '1'='1`.",
        "The database runs whatever the value says.",
        "Pass values as parameters of the statement; check names against a list.",
    ),
    *_insecure(
        "S307",
        "Code injection through `eval`",
        "Text such as `__import__('os').system('…')`.",
        "Whoever controls the text runs code.",
        "Use `ast.literal_eval` or parse the text.",
        severity=MEDIUM,
    ),
    *_insecure(
        "S506",
        "Unsafe YAML loading",
        "A document with `!!python/object/apply:os.system`.",
        "Loading the document runs the code that it names.",
        "Use `yaml.safe_load`.",
    ),
    *_insecure(
        "S301 S302",
        "Unsafe deserialization",
        "Data that an attacker wrote.",
        "Loading the data runs the code that it names.",
        "Use a format that carries data only, such as JSON.",
        severity=LOW,
    ),
    *_insecure(
        "S501 S323",
        "TLS certificate is not verified",
        "An attacker between the two sides.",
        "The attacker reads and changes what is sent.",
        "Leave the check on and give it the right certificate.",
    ),
    *_insecure(
        "S507",
        "SSH host key is not verified",
        "An attacker between the two sides.",
        "The attacker reads and changes what is sent.",
        "Load the known host keys and reject unknown ones.",
    ),
    *_insecure(
        "S502 S503 S504",
        "Outdated TLS version",
        "A connection through a network that somebody else controls.",
        "The connection can be talked down to one that is known to be broken.",
        "Allow TLS 1.2 and newer only.",
        severity=MEDIUM,
    ),
    *_insecure(
        "S505",
        "Weak cryptographic key",
        "Anything that is protected with this key.",
        "The key can be broken with means that are within reach.",
        "Use at least 2048 bits for RSA and DSA, 224 for elliptic curves.",
        severity=MEDIUM,
    ),
    *_insecure(
        "S201",
        "Flask debugger is on",
        "A request that raises an error.",
        "Whoever reaches it can run code through the debugger.",
        "Leave `debug` off, or take it from a setting of the development machine.",
    ),
    *_insecure(
        "S306",
        "Insecure temporary file",
        "Another user of the machine who guesses the name.",
        "The program writes into a file of the attacker's choice.",
        "Use `tempfile.mkstemp` or `NamedTemporaryFile`.",
        severity=MEDIUM,
    ),
    *_insecure(
        "S612",
        "Logging configuration from the network",
        "A configuration that is sent to the port.",
        "Whoever reaches the port runs code.",
        "Pass `verify`, or read the configuration from a file.",
        severity=MEDIUM,
    ),
    *_insecure(
        BIDIRECTIONAL,
        "Hidden bidirectional characters (Trojan Source)",
        "Any input that reaches {file}:{line}.",
        "What is read differs from what runs.",
        "Delete the characters.",
        severity=MEDIUM,
    ),
)

OWN_CODES = {"flask-debug": "S201", "tls-version": "S502", "host-key-policy": "S507", "joined-sql": "S608"}
"""Our own checks for calls and strings that ruff does not resolve, with ruff's rule."""
OWN_RULES: tuple[Rule, ...] = tuple(
    replace(rule, id=f"ruff/{name}", equivalents=(rule.id,), is_own=True)
    for name, code in OWN_CODES.items()
    for rule in SECURITY_RULES
    if rule.id == f"ruff/{code}"
)
HINT = re.compile(rb"debug|set_missing_host_key_policy|SSLv|TLSv|(?i:select|insert|update|delete)")
FLASK = re.compile(rb"^[ \t]*(?:import|from)[ \t]+\w*flask", re.MULTILINE)
PARAMIKO = re.compile(rb"^[ \t]*(?:import|from)[ \t]+paramiko\b", re.MULTILINE)
POLICY = b"set_missing_host_key_policy"
TRUSTING = re.compile(rb"(?:[\w.]+\.)?(?:AutoAddPolicy|WarningPolicy)\b")
OUTDATED = re.compile(rb"(?:[\w.]+\.)?(?:PROTOCOL_)?(?:SSLv2|SSLv23|SSLv3|TLSv1|TLSv1_1)(?:_METHOD)?")
STATEMENT = re.compile(
    rb"\s*(?:select\s.*from\s|delete\s+from\s|insert\s+into\s.*values\s|update\s.*set\s)",
    re.IGNORECASE | re.DOTALL,
)


def find_unresolved(path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Find the problems of bandit in calls and texts that ruff does not resolve."""
    data = text.encode()
    root = tree_of(data) if HINT.search(data) else None
    has_flask, has_paramiko = FLASK.search(data) is not None, PARAMIKO.search(data) is not None
    for node in nodes_in(root) if root is not None else ():
        name, message, place = _in_call(node, has_flask, has_paramiko) or _in_text(node) or ("", "", node)
        if name:
            line = data.count(b"\n", 0, place.start_byte) + 1
            before = data[data.rfind(b"\n", 0, place.start_byte) + 1 : place.start_byte]
            column = len(before.decode("utf-8", "replace")) + 1
            yield AnalyserDiagnostic(
                rule=f"ruff/{name}", message=message, path=path, line=line, column=column
            )


Found = tuple[str, str, Node]
"""The name of a check, its message, and where it found something."""


def _in_call(node: Node, has_flask: bool, has_paramiko: bool) -> Found | None:
    arguments = node.child_by_field_name("arguments") if node.type == "call" else None
    function = node.child_by_field_name("function")
    if arguments is None or function is None:
        return None
    method = function.child_by_field_name("attribute")
    called = method.text if method is not None else b""
    for given in arguments.named_children:
        name, value = given.child_by_field_name("name"), given.child_by_field_name("value")
        word = name.text if name is not None and value is not None else None
        text = (value or given).text or b""
        if word is None and has_paramiko and called == POLICY and TRUSTING.match(text):
            return "host-key-policy", "Paramiko is told to trust an unknown host key", given
        if word in (b"ssl_version", b"method") and OUTDATED.fullmatch(text):
            return "tls-version", "Call made with an insecure SSL protocol", given
        if has_flask and called == b"run" and (word, text) == (b"debug", b"True"):
            return "flask-debug", "Use of `debug=True` in a Flask app", given
    return None


def _in_text(node: Node) -> Found | None:
    """Find SQL whose words stand in several texts beside each other, to which something is added."""
    is_outermost = node.type == "binary_operator" and getattr(node.parent, "type", "") != "binary_operator"
    first = node.child_by_field_name("left") if is_outermost else None
    while first is not None and first.type == "binary_operator":
        first = first.child_by_field_name("left")
    if first is None or first.type != "concatenated_string":
        return None
    parts = (part for text in first.named_children for part in text.named_children)
    words = b"".join(part.text or b"" for part in parts if part.type == "string_content")
    return ("joined-sql", "SQL statement that is put together", node) if STATEMENT.match(words) else None


def join_own(diagnostics: Sequence[AnalyserDiagnostic]) -> list[AnalyserDiagnostic]:
    """Drop what our own checks report in a line in which ruff reports the same."""
    known = {(one.rule, one.path, one.line) for one in diagnostics}

    def is_known(one: AnalyserDiagnostic) -> bool:
        code = OWN_CODES.get(one.rule.removeprefix("ruff/"))
        return code is not None and (f"ruff/{code}", one.path, one.line) in known

    return [one for one in diagnostics if not is_known(one)]
