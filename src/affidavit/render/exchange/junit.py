"""Write a report as JUnit XML: one suite per file, one case per finding, failed if it fails the gate."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.report import FileCoverage, Gap, Report
from affidavit.render import wording
from affidavit.render.account import headline_words, set_aside_lines, set_aside_words
from affidavit.render.changed_lines import head_place
from affidavit.render.exchange.shapes import account_of, fingerprint_of, inert, rule_of
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import proof_steps
from affidavit.render.safe_text import one_line, visible

_MAX_NAME_LENGTH = 300
_MAX_LISTED = 50
_MAX_ACCOUNT_LENGTH = 20_000
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(report: Report, _options: RenderOptions) -> str:
    """Write the report as JUnit XML."""
    return to_junit(report)


def to_junit(report: Report) -> str:
    """Return the document in ASCII. It has failures or errors exactly if the exit code is not 0."""
    root = Element("testsuites", name="affidavit")
    _add_review(root, report)
    for path, candidates in _files(report).items():
        suite = SubElement(root, "testsuite", name=visible(path), timestamp=_moment(report))
        for candidate in candidates:
            _add_finding(suite, candidate, report)
        if not candidates:
            _add_file(suite, path, report)
    for suite in root:
        _count(suite, suite)
    _count(root, root)
    root.set("time", f"{report.duration_ms / 1000:.3f}")
    indent(root, " ")
    document: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii") + "\n"


def _moment(report: Report) -> str:
    """Return the date without fractions and zone, as readers of JUnit expect."""
    return visible(report.created_at).partition(".")[0].removesuffix("Z")


def _files(report: Report) -> dict[str, list[Candidate]]:
    """Return findings by file, with hidden ones that fail the gate, then files without findings."""
    hidden = [one for one in report.withheld if one.id in report.gate.failed_by]
    files = wording.by_file([*report.shown, *hidden])
    for file in report.change.files:
        files.setdefault(file.path, [])
    return files


def _add_review(root: Element, report: Report) -> None:
    """Add the review itself, so that an incomplete review is not an error of a file."""
    suite = SubElement(root, "testsuite", name="affidavit review", timestamp=_moment(report))
    case = _case(suite, "affidavit review", "verdict")
    rate = headline_words(report.measured)
    measured = [f"Error rate of this installation: {rate}"] if rate else []
    said = "\n".join([wording.summarize(report), *measured, *_set_aside(report)])
    SubElement(case, "system-out").text = inert(said, _MAX_ACCOUNT_LENGTH)
    _add_parts(suite, report.incomplete, "error", "not completed")
    _add_parts(suite, report.not_run, "skipped", "did not run")


def _set_aside(report: Report) -> list[str]:
    """List results that analysers set aside: they are not findings, so they get no cases."""
    lines = [one_line(line, _MAX_NAME_LENGTH) for line in set_aside_lines(report)]
    left = len(lines) - _MAX_LISTED
    more = [f"and {wording.counted(left, 'line')} more, in the native report"] if left > 0 else []
    return [f"Dropped: {set_aside_words(report)}", *lines[:_MAX_LISTED], *more] if lines else []


def _add_parts(suite: Element, parts: Sequence[Gap], tag: str, what: str) -> None:
    for part in parts:
        case = _case(suite, "affidavit review", part.name)
        said = one_line(f"{what}: {wording.part_sentence(part)}", _MAX_NAME_LENGTH)
        SubElement(case, tag, message=said).text = inert(wording.part_sentence(part))


def _case(suite: Element, classname: str, name: str) -> Element:
    return SubElement(
        suite, "testcase", classname=visible(classname), name=one_line(name, _MAX_NAME_LENGTH), time="0"
    )


def _add_finding(suite: Element, candidate: Candidate, report: Report) -> None:
    finding = candidate.finding
    if finding is None:
        return
    # Readers follow a case from run to run by its name, so the line is not part of it.
    name = (
        f"{one_line(finding.title, _MAX_NAME_LENGTH - 40)} [{rule_of(finding)} {fingerprint_of(candidate)}]"
    )
    case = _case(suite, finding.file, name)
    place = head_place(finding, report.change)
    case.set("file", visible(place.path))
    case.set("line", str(place.first))
    does_fail = candidate.id in report.gate.failed_by
    outcome = SubElement(case, "failure" if does_fail else "skipped")
    outcome.set("message", one_line(_message(candidate, finding, report), _MAX_NAME_LENGTH))
    if does_fail:
        outcome.set("type", f"{finding.severity} {finding.category}")
    outcome.text = _text(candidate, finding, report)


def _message(candidate: Candidate, finding: Finding, report: Report) -> str:
    said = f"{finding.severity}: {finding.title} ({wording.location(finding)})"
    if candidate.id in report.gate.failed_by:
        return said if candidate.is_shown else f"{said}; not shown: {wording.withheld_reason(candidate)}"
    return f"does not fail the build: {said}"


def _text(candidate: Candidate, finding: Finding, report: Report) -> str:
    proof = "\n".join(f"- {part}" for part in proof_steps(candidate))
    code = candidate.quote.code if candidate.quote else ""
    parts = [wording.location(finding), account_of(finding, candidate, report), code, f"Proof:\n{proof}"]
    return inert("\n\n".join(part for part in parts if part), 8_000)


def _add_file(suite: Element, path: str, report: Report) -> None:
    """Add a file without findings: it passes if it was examined, and is skipped otherwise."""
    case = _case(suite, path, "no problems found")
    covered = next((file for file in report.coverage if file.path == path), None)
    why = _unexamined(covered)
    if why:
        SubElement(case, "skipped", message=one_line(why, _MAX_NAME_LENGTH))


def _unexamined(covered: FileCoverage | None) -> str:
    if covered is None:
        return "not known to have been examined"
    if covered.state == "examined":
        return ""
    state = "partly examined" if covered.state == "partly" else covered.state.replace("_", " ")
    return f"{state}: {covered.reason.replace('_', ' ')}" if covered.reason else state


def _count(target: Element, tree: Element) -> None:
    target.set("tests", str(sum(1 for _ in tree.iter("testcase"))))
    for name, tag in _COUNTS.items():
        if name != "skipped" or target.tag == "testsuite":
            target.set(name, str(sum(1 for _ in tree.iter(tag))))
