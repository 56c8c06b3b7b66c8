"""The tests of bandit that are run, and what each means: those that an attacker can use as they stand."""

from affidavit.analysers.rule import Rule
from affidavit.analysers.rule_kinds import RuleMaker
from affidavit.records.candidate import Worth
from affidavit.records.finding import Category, Severity

HIGH = Severity.HIGH
_insecure = RuleMaker("bandit", category=Category.SECURITY)

BANDIT_RULES: tuple[Rule, ...] = (
    *_insecure(
        "B602 B605",
        "Text from outside becomes part of a shell command",
        "Whoever controls the text can run any command.",
        "Pass a list of arguments and no shell.",
        severity=HIGH,
        in_tests=False,
        failing_input="A value that holds `; rm -rf ~` or another shell command.",
        equivalents=("ruff/S602", "ruff/S605"),
    ),
    *_insecure(
        "B608",
        "Text from outside becomes part of an SQL statement",
        "Whoever controls the text can read or alter the database.",
        "Pass the values as parameters of the query.",
        severity=HIGH,
        in_tests=False,
        failing_input="A value that holds `' OR 1=1 --`.",
        equivalents=("ruff/S608",),
    ),
    *_insecure(
        "B307",
        "Text is evaluated as Python code",
        "Whoever controls the text runs any code.",
        "Use `ast.literal_eval`, or parse the text.",
        in_tests=False,
        failing_input="A text such as `__import__('os').system('id')`.",
        equivalents=("ruff/S307",),
    ),
    *_insecure(
        "B301 B302",
        "Data is loaded with a format that runs code",
        "Whoever controls the data runs any code.",
        "Use JSON or another format that holds data only.",
        worth=Worth.MAYBE,
        in_tests=False,
        failing_input="A crafted pickle or marshal stream.",
        equivalents=("ruff/S301", "ruff/S302"),
    ),
    *_insecure(
        "B506",
        "YAML is loaded in a way that can make any Python object",
        "A crafted document runs code.",
        "Use `yaml.safe_load`.",
        severity=HIGH,
        in_tests=False,
        failing_input="A document with `!!python/object/apply:os.system [id]`.",
        equivalents=("ruff/S506",),
    ),
    *_insecure(
        "B501 B323 B507",
        "The other side's identity is not checked",
        "Somebody between the two can read and alter everything that is sent.",
        "Leave the check of certificates or host keys on.",
        severity=HIGH,
        in_tests=False,
        failing_input="A connection through a network that somebody else controls.",
        equivalents=("ruff/S501", "ruff/S507"),
    ),
    *_insecure(
        "B502 B503 B504",
        "An outdated version of TLS is allowed",
        "The connection can be talked down to one that is known to be broken.",
        "Allow TLS 1.2 and newer only.",
        in_tests=False,
        failing_input="A connection through a network that somebody else controls.",
    ),
    *_insecure(
        "B505",
        "The key is too short",
        "The key can be broken with means that are within reach.",
        "Use at least 2048 bits for RSA and DSA, 224 for elliptic curves.",
        in_tests=False,
        failing_input="Anything that is protected with this key.",
    ),
    *_insecure(
        "B201",
        "The web application runs with the debugger on",
        "Whoever reaches it can run code through the debugger.",
        "Leave `debug` off, or take it from a setting of the development machine.",
        severity=HIGH,
        in_tests=False,
        failing_input="A request that raises an error.",
    ),
    *_insecure(
        "B306",
        "A temporary file name is made before the file",
        "Somebody else can put a file or link of that name there first.",
        "Use `tempfile.mkstemp` or `NamedTemporaryFile`.",
        in_tests=False,
        failing_input="A link of that name, made in the moment between.",
        equivalents=("ruff/S306",),
    ),
    *_insecure(
        "B613",
        "Hidden characters make the code read differently from how it runs",
        "The reader sees other code than Python runs.",
        "Delete the characters that change the direction of text.",
        in_tests=False,
        equivalents=("ruff/PLE2502",),
    ),
    *_insecure(
        "B612",
        "Logging takes its configuration from the network",
        "Whoever reaches the port runs code.",
        "Pass `verify`, or read the configuration from a file.",
        in_tests=False,
        failing_input="A configuration that is sent to the port.",
    ),
)
