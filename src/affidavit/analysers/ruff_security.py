"""List ruff's security rules with their bandit codes."""

from affidavit.analysers.engine.rule import Rule, RuleMaker
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
            # Bandit's comments also suppress it; the star is a bare `nosec`.
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
        "The connection can be downgraded to a broken version.",
        "Allow TLS 1.2 and newer only.",
        severity=MEDIUM,
    ),
    *_insecure(
        "S505",
        "Weak cryptographic key",
        "Anything that is protected with this key.",
        "The key can be broken with available means.",
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
