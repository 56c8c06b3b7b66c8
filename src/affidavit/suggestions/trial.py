"""Try a patch before it is offered: does it apply, parse, stay quiet, and settle what it is for?"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from affidavit.diff.between import files_between
from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.languages.engine.grammars import parse
from affidavit.languages.registry import grammar_of
from affidavit.ports import Case, Runner, Specialist
from affidavit.proof.reproduction import meets
from affidavit.records.change import Change, Revision
from affidavit.records.finding import Finding, Reproduction
from affidavit.records.record import Record
from affidavit.stages.parse import read_replies
from affidavit.stages.review import collect_replies
from affidavit.suggestions.patched import Contents, apply_patch, patched_repository

MAX_NAMED = 3
StepName = Literal["applies", "parses", "analysers", "reproduction"]
MakeRunner = Callable[[GitRepository], Runner]
"""From head and patched head to what runs programs there."""


class Step(Record):
    """One thing that was tried. `passed` is None where it could not be tried here."""

    name: StepName
    passed: bool | None
    detail: str


class Trial(Record):
    """What became of a patch."""

    steps: tuple[Step, ...]

    @property
    def is_good(self) -> bool:
        """Nothing failed, and it applies."""
        return self.steps[0].passed is True and all(step.passed is not False for step in self.steps)


async def try_patch(
    finding: Finding,
    change: Change,
    repository: GitRepository,
    specialists: Sequence[Specialist],
    make_runner: MakeRunner | None,
) -> tuple[Trial, Contents]:
    """Apply the finding's patch to head and look at the result; a failed step ends the trial."""
    evidence = finding.verification
    if evidence is None or not evidence.patch:
        raise InputError("this finding has no patch")
    try:
        contents = apply_patch(repository, evidence.patch)
    except InputError as error:
        return Trial(steps=(Step(name="applies", passed=False, detail=str(error)),)), {}
    patched = patched_repository(repository, contents)
    steps = [Step(name="applies", passed=True, detail=f"to head, in {', '.join(contents)}"[:300])]
    steps += _parses(patched, contents)
    steps.append(await _analysed(change, patched, specialists))
    steps.append(_reproduced(evidence.reproduction, make_runner(patched) if make_runner else None))
    return Trial(steps=tuple(steps)), contents


def _parses(patched: GitRepository, contents: Contents) -> Iterator[Step]:
    """What could be parsed before must be parsable after it."""
    broken = [path for path in contents if _is_broken(patched, path)]
    detail = f"{', '.join(broken[:MAX_NAMED])} cannot be parsed any more" if broken else "as before"
    yield Step(name="parses", passed=not broken, detail=detail)


def _is_broken(patched: GitRepository, path: str) -> bool:
    return not has_errors(path, patched.base.read(path)) and has_errors(path, patched.head.read(path))


def has_errors(path: str, content: bytes | None) -> bool:
    """Whether the grammar of a file's language finds a fault in it."""
    if content is None:
        return False
    grammar = grammar_of(path)
    root = parse(grammar, content) if grammar else None
    return root is not None and root.has_error


async def _analysed(change: Change, patched: GitRepository, specialists: Sequence[Specialist]) -> Step:
    """What the machine reports of the step from head to patched head."""
    store, base, head = patched.store, patched.base, patched.head
    update = {
        "files": files_between(store, base, head),
        "commits": (),
        "base": Revision(tree=base.revision, commit=base.commit),
        "head": Revision(tree=head.revision),
    }
    case = Case(change.model_copy(update=update), patched)
    replies = await collect_replies(specialists, case)
    found = read_replies(replies, case.change).findings
    if found:
        named = "; ".join(f"{one.rule_id or one.title} at {one.file}:{one.line}" for one in found[:MAX_NAMED])
        return Step(name="analysers", passed=False, detail=f"new with the patch: {named}")
    ran = sum(reply.text is not None for reply in replies)
    return Step(name="analysers", passed=True if ran else None, detail=f"{ran} looked, nothing new")


def _reproduced(reproduction: Reproduction | None, runner: Runner | None) -> Step:
    """With the patch the program must do what it does at base, or no longer what it did at head."""
    if reproduction is None or runner is None:
        why = "it has no reproduction" if reproduction is None else "programs are not run here"
        return Step(name="reproduction", passed=None, detail=why)
    run = runner.run(reproduction.as_program, "head")
    if run.state == "not_started":
        return Step(name="reproduction", passed=None, detail=run.detail)
    if reproduction.expected_at_base is not None:
        passed = meets(run, reproduction.expected_at_base)
    else:
        passed = not meets(run, reproduction.expected_at_head)
    word = "settled" if passed else "not settled"
    return Step(name="reproduction", passed=passed, detail=f"{word}: with the patch {run.summary}")
