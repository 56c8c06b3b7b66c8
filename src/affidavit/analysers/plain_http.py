"""Find scripts that are downloaded over plain HTTP and run, in any file with shell commands."""

import re
from collections.abc import Iterator

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

UNENCRYPTED = "unencrypted-script"
MAX_LINE = 20_000
_LOCAL = r"(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal)"
_PLAIN = rf"(?>(?:curl|wget)\s[^|\n]{{0,500}}?\bhttp://(?!{_LOCAL}))"
_INTERPRETER = r"(?:\S*/)?(?:(?:ba|da|k|z|a)?sh|python[\d.]*|perl|ruby|node|php)\b"
# In the place of a command: `curl http://… | sh`, `sh -c "$(curl http://…)"`, `bash <(curl http://…)`.
_COMMAND = r"(?:^|[;&|({]|\b(?:RUN|run:|sudo|do|then|else)\s)\s*(?:-\s+)?(?:sudo\s+(?:-\S+\s+)*)?"
PIPED = re.compile(
    rf"{_COMMAND}(?:{_PLAIN}[^|\n]{{0,500}}\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?{_INTERPRETER}"
    rf"|(?:{_INTERPRETER}|eval|source|\.)\s[^|;&\n]{{0,100}}?[$<]\(\s*{_PLAIN})"
)
CONTINUED = re.compile(r"[\\`]\r?\n")


def unencrypted_script(analyser: str) -> list[Rule]:
    """Return the rule, under the name of the analyser that reads the file."""
    return RuleMaker(analyser, category=Category.SECURITY)(
        UNENCRYPTED,
        "Downloaded script runs without encryption",
        "Anybody on the network path can replace the script and run code on this machine.",
        "Download over HTTPS and compare a checksum before it runs.",
        severity=Severity.HIGH,
        meaning="The script comes over plain HTTP and goes straight into an interpreter.",
        failing_input="An attacker between this machine and the server.",
        in_tests=False,
        is_own=True,
    )


def find_unencrypted_scripts(analyser: str, path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Yield each line that downloads a script over plain HTTP and runs it."""
    number = 1
    for line in CONTINUED.sub("\0", text).split("\n"):
        found = PIPED.search(line[:MAX_LINE].replace("\0", " "))
        if found and not line.lstrip().startswith("#"):
            yield AnalyserDiagnostic(
                rule=f"{analyser}/{UNENCRYPTED}",
                message="a script is downloaded over plain HTTP and run",
                path=path,
                line=number + line.count("\0", 0, found.end()),
            )
        number += 1 + line.count("\0")
