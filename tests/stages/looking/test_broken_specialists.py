"""A fault of ours in one specialist's part: the others' work is kept, and the hole is said."""

import asyncio
from dataclasses import dataclass

import pytest

from affidavit.errors import InputError
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Reply
from affidavit.stages.review import collect_replies
from claims import case_of, change_of


@dataclass
class Breaking:
    """A specialist with a fault, or none."""

    name: str
    error: Exception | None = None
    kind: SpecialistKind = "mechanical"

    def examines(self, file: FileChange) -> bool:
        return True

    async def examine(self, case: object) -> Reply:
        if self.error:
            raise self.error
        return Reply(specialist=self.name, kind=self.kind, text="{}")


def replies(*specialists: Breaking) -> list[Reply]:
    return asyncio.run(collect_replies(specialists, case_of(change_of("app.py"))))


def test_an_analyser_whose_part_breaks_is_a_hole_and_the_others_are_heard() -> None:
    broken, whole = replies(Breaking("ty", IndexError("list index out of range")), Breaking("ruff"))
    assert whole.text == "{}"
    assert broken.text is None
    (gap,) = broken.incomplete
    assert gap.name == "ty"
    assert gap.reason.startswith(
        "a bug in Affidavit: IndexError: list index out of range (test_broken_specialists.py:"
    )


@pytest.mark.parametrize(
    "broken",
    [Breaking("ty", InputError("no such folder")), Breaking("logic", IndexError("no"), kind="model")],
    ids=["what the user must act on", "a conversation, which handles its own failures"],
)
def test_what_is_no_fault_of_an_analysers_part_ends_the_review(broken: Breaking) -> None:
    with pytest.raises((InputError, IndexError)):
        replies(broken)
