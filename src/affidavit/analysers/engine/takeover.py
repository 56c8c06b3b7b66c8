"""Find steps that let any pull request take over a GitHub workflow (a "pwn request")."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic

# An outsider's commit by its hash or its number; by the name of a branch it needs the fork's name beside it.
HEAD_COMMIT = re.compile(r"pull_request\.(head\.sha|merge_commit_sha)|refs/pull/")
HEAD_REPOSITORY = re.compile(r"pull_request\.head\.repo\b")
FETCHED = re.compile(
    r"\bgh pr checkout\b|\bgit\s+(fetch|pull)\b[^\n]{0,200}?\bpull/[^\n/]{0,100}/(head|merge)"
)
# Outsiders cannot set labels, own a branch of this repository, or open a pull request as Dependabot.
_PULL = r"github\.event\.pull_request\."
GUARD = re.compile(
    rf"{_PULL}head\.repo\.full_name == github\.repository"
    rf"|!{_PULL}head\.repo\.fork|{_PULL}head\.repo\.fork (== false|!= true)"
    rf"|{_PULL}user\.login == 'dependabot\[bot\]'|github\.event\.label\.name == '[^']+'"
    rf"|contains\({_PULL}labels\.\*\.name, ?'[^']+'\)"
)
# No expression, which may be empty, and no `..`, which leads out.
PLAIN_NAME = re.compile(r"(?!null$)(\./)?\.?\w[^/\\$]*(/\.?\w[^/\\$]*)*/?", re.IGNORECASE)
BY_PEOPLE = frozenset(("labeled", "unlabeled", "assigned", "unassigned", "milestoned", "demilestoned"))
"""The activities of a pull request that only people with rights in the repository cause."""
LINE = "\0line"
"""The key under which a dictionary of a workflow has its line; YAML forbids the character."""
MAX_CHARACTERS = 500_000
MAX_CONDITION = 2_000
MAX_NEEDS = 50
TAKEOVER = "zizmor/pull-request-takeover"


def find_takeovers(path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Yield each step that checks out the pull request's head in a job that every fork can start."""
    # Imported here because only changes with workflows need it.
    import yaml  # noqa: PLC0415

    if "pull_request_target" not in text or len(text) > MAX_CHARACTERS:
        return
    try:
        document = _plain(yaml.compose(text, Loader=yaml.SafeLoader), {})
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    if not isinstance(document, dict) or not _is_for_forks(document.get("on")):
        return
    jobs = document.get("jobs")
    found = {
        step[LINE]: _takeover(path, step)
        for steps in _open_steps(jobs if isinstance(jobs, dict) else {})
        for step in steps
        if isinstance(step, dict) and _takes_head(step) and not _refuses_forks(step.get("if"))
    }
    yield from found.values()


def _plain(node: Any, known: dict[int, Any]) -> Any:
    """Convert a YAML node to text, list or dictionary; each dictionary has its line."""
    kind = getattr(node, "id", "")
    if kind not in ("mapping", "sequence"):
        return "" if node is None else node.value
    # An alias is the node that it names, which is read only once, even inside itself.
    if id(node) not in known:
        known[id(node)] = ""
        if kind == "sequence":
            known[id(node)] = [_plain(one, known) for one in node.value]
        else:
            pairs = {str(key.value): _plain(value, known) for key, value in node.value}
            known[id(node)] = {**pairs, LINE: node.start_mark.line + 1}
    return known[id(node)]


def _is_for_forks(triggers: Any) -> bool:
    """Return whether outsiders can start the workflow through `pull_request_target`."""
    if not isinstance(triggers, dict):
        return "pull_request_target" in triggers if isinstance(triggers, list | str) else False
    if "pull_request_target" not in triggers:
        return False
    options = triggers["pull_request_target"]
    types = options.get("types") if isinstance(options, dict) else None
    named = {types} if isinstance(types, str) else set(map(str, types or ()))
    return not named or not named <= BY_PEOPLE


def _is_guarded(job: dict[str, Any], jobs: dict[str, Any]) -> bool:
    """Return whether a job needs somebody with rights: by its condition, or that of a needed job."""
    needed = job.get("needs") or []
    named = needed[:MAX_NEEDS] if isinstance(needed, list) else [needed]
    before = [jobs.get(str(name)) for name in named]
    each = [one for one in (job, *before) if isinstance(one, dict)]
    return any(_refuses_forks(one.get("if")) for one in each)


def _is_plain(name: Any) -> bool:
    """Return whether a value names a folder below the workspace, whoever starts the job."""
    return PLAIN_NAME.fullmatch(str(name or "").strip()) is not None


def _refuses_forks(condition: Any) -> bool:
    """Return whether a condition excludes pull requests of outsiders."""
    text = " ".join(str(condition or "").casefold().split()).removeprefix("${{").removesuffix("}}")
    if len(text) > MAX_CONDITION or "!(" in text.replace(" ", ""):
        return False
    alternatives = [[_bare(part) for part in one.split("&&")] for one in text.split("||")]
    return all(any(GUARD.fullmatch(part) for part in parts) for parts in alternatives)


def _bare(part: str) -> str:
    """Return a part of a condition without the brackets around it."""
    bare = part.strip().lstrip("( ")
    while bare.count(")") > bare.count("("):
        bare = bare.rpartition(")")[0].rstrip()
    return bare


def _open_steps(jobs: dict[str, Any]) -> Iterable[list[Any]]:
    """Return the steps of the jobs that outsiders can start, each list once."""
    open_jobs = [job for job in jobs.values() if isinstance(job, dict) and not _is_guarded(job, jobs)]
    steps = [job.get("steps") for job in open_jobs]
    return {id(one): one for one in steps if isinstance(one, list)}.values()


def _takes_head(step: dict[str, Any]) -> bool:
    given = step.get("with")
    if not str(step.get("uses", "")).startswith("actions/checkout@") or not isinstance(given, dict):
        is_fetched = FETCHED.search(str(step.get("run", ""))) is not None
        return is_fetched and not _is_plain(step.get("working-directory"))
    is_head = HEAD_COMMIT.search(str(given.get("ref", ""))) or HEAD_REPOSITORY.search(
        str(given.get("repository", ""))
    )
    # In a separate folder it is data: nothing runs it automatically.
    return bool(is_head) and not _is_plain(given.get("path"))


def _takeover(path: str, step: dict[str, Any]) -> AnalyserDiagnostic:
    message = "the job checks out the head of any pull request on `pull_request_target`"
    return AnalyserDiagnostic(rule=TAKEOVER, message=message, path=path, line=step[LINE])
